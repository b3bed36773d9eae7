/** Files and flags that are refused: all problems at once, each with its place. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { SCRIPTED_LIST } from '../adapters/scripted/scripted-programs.ts';
import { isRefusal } from '../base/errors.ts';
import type { Refusal } from '../base/errors.ts';
import { loadFiles, PROJECT, set, USER } from '../../test/support/load-settings-fixture.ts';

async function refusal(loading: Promise<unknown>): Promise<Refusal> {
  const error = await loading.then(
    () => assert.fail('it was accepted'),
    (thrown: unknown) => thrown,
  );
  assert.ok(isRefusal(error), String(error));
  return error;
}

describe('an invalid configuration is refused', () => {
  const notifiers: [why: string, line: string, message: string][] = [
    [
      'an unknown kind of notifier',
      '{name: a, kind: sms}',
      '3:23: notifications.notifiers[0].kind: expected one of slack, ntfy, smtp, webhook, command, found "sms"',
    ],
    [
      'a notifier without its address',
      '{name: a, kind: slack}',
      '3:7: notifications.notifiers[0]: expected a key url, which slack needs',
    ],
    [
      'a notifier with a key of another kind',
      '{name: a, kind: slack, url: "https://x.y", user: me}',
      '3:56: notifications.notifiers[0].user: expected no key user: a notifier of the kind slack has none',
    ],
    [
      'an event that there is not',
      '{name: a, kind: slack, url: "https://x.y", events: [done]}',
      '3:59: notifications.notifiers[0].events[0]: expected one of approval, asks, ended, login, paused, found "done"',
    ],
    [
      'an address that no notification can reach',
      '{name: a, kind: ntfy, url: "ftp://x"}',
      '3:34: notifications.notifiers[0].url: expected a URL that starts with http:// or https://, found "ftp://x"',
    ],
  ];
  for (const [why, line, message] of notifiers)
    test(why, async () => {
      const user = `notifications:\n  notifiers:\n    - ${line}`;
      const { data } = await refusal(loadFiles({ user }));
      assert.ok(data.message.startsWith(`${USER}:${message}`), data.message);
    });

  const cases: [why: string, text: string, message: string][] = [
    [
      'a duplicate agent id',
      'agents:\n  - {id: a, cli: claude}\n  - {id: a, cli: codex}',
      `3:10: agents[1].id: the name "a" is already taken at ${PROJECT}:2:10`,
    ],
    [
      'a bracket that is never closed',
      'version: 1\ngates:\n  - name: test\n    command: [npm, test\n  - name: lint\n    command: [npm, run, lint]\n',
      '4:14: the bracket [ is never closed: add ]',
    ],
    [
      'a brace at the end that is never closed',
      'limits: {attempts: 3\n',
      '1:9: the bracket { is never closed: add }',
    ],
    [
      'a duplicate name of a gate',
      'gates:\n  - {name: test, command: [a]}\n  - {name: test, command: [b]}',
      `3:12: gates[1].name: the name "test" is already taken at ${PROJECT}:2:12`,
    ],
    [
      'an unknown agent that takes over',
      'selection:\n  fallbacks: {claude: codxe}',
      '2:23: selection.fallbacks.claude: no agent is called "codxe" (did you mean "codex"?)',
    ],
    [
      'an unknown agent that another takes over from',
      'selection:\n  fallbacks: {clade: codex}',
      '2:22: selection.fallbacks.clade: no agent is called "clade" (did you mean "claude"?)',
    ],
    [
      'an unknown pinned agent',
      'selection: {mode: pinned, pinned: zed}',
      '1:35: selection.pinned: no agent is called "zed"',
    ],
    [
      'an unknown default agent',
      'default_agent: clade',
      '1:16: default_agent: no agent is called "clade" (did you mean "claude"?)',
    ],
    [
      'a misspelt scripted agent as the default agent',
      'default_agent: scripted:crash',
      `1:16: default_agent: no scripted agent is called "scripted:crash" (did you mean "scripted:crashes"?); use ${SCRIPTED_LIST}`,
    ],
    [
      'custom as the default agent',
      'default_agent: custom',
      '1:16: default_agent: no agent is called "custom"',
    ],
  ];
  for (const [why, text, message] of cases) {
    test(why, async () => {
      const { data } = await refusal(loadFiles({ project: text }));
      assert.equal(data.code, 'config.invalid');
      assert.equal(data.message, `${PROJECT}:${message}`);
    });
  }

  test('the id of a scripted agent that names no program, with its place', async () => {
    const user = "agents:\n  - {id: 'mine:crashs', cli: scripted}";
    const { data } = await refusal(loadFiles({ user }));
    assert.equal(
      data.message,
      `${USER}:2:10: agents[0].id: no scripted agent is called "mine:crashs" (did you mean "mine:crashes"?); use ${SCRIPTED_LIST}`,
    );
  });

  test('an approval by time, with its place', async () => {
    const user = 'approvals:\n  medium_timeout: 4h\n  medium_on_timeout: approve';
    const { data } = await refusal(loadFiles({ user }));
    assert.deepEqual(
      [data.code, data.message],
      [
        'config.invalid',
        `${USER}:3:22: approvals.medium_on_timeout: expected park or deny, because time never approves, found "approve"`,
      ],
    );
  });

  test('the details are those of the first problem', async () => {
    const { data } = await refusal(loadFiles({ project: 'limts: 1\nowner: 2' }));
    assert.deepEqual(data.details, {
      file: PROJECT,
      line: 1,
      column: 1,
      key: 'limts',
      nearest: 'limits',
      problems: 2,
    });
  });

  test('all problems of all files and flags are reported at once', async () => {
    const { message } = await refusal(
      loadFiles({
        user: 'a: 1',
        project: 'owner: {b: 1}\nlimits: 2',
        flags: {
          set: ['limits.c=1', 'nonsense', 'API_KEY=hunter2', 'attempt.grace=', 'attempt.grace="'],
          values: { d: 1 },
        },
      }),
    );
    assert.deepEqual(message.split('\n'), [
      `${USER}:1:1: unknown key "a"`,
      `${PROJECT}:1:9: unknown key "b" in owner`,
      `${PROJECT}:2:9: limits: expected keys with values, found 2`,
      '--set limits.c: unknown key "c" in limits',
      '--set: expected key=value, such as attempt.grace=5s, found the key "nonsense"',
      '--set: expected key=value, such as attempt.grace=5s, found the key "API_KEY"',
      '--set attempt.grace: no value: use null to restore the default',
      '--set attempt.grace: something is missing here: a colon, a comma, a space, a closing quote or bracket',
      'flags: unknown key "d"',
    ]);
  });

  test('every --set ends in a value or a refusal', async () => {
    const key = fc.constantFrom('', 'attempt.grace=', 'agents=', '__proto__.a=', 'a.'.repeat(5000));
    await fc.assert(
      fc.asyncProperty(key, fc.string(), async (start, rest) => {
        const error: unknown = await loadFiles({ flags: set(start + rest) }).catch(
          (thrown) => thrown,
        );
        assert.ok(!(error instanceof Error) || isRefusal(error), String(error));
      }),
      { numRuns: 500 },
    );
  });

  test('twenty problems are shown and the rest are counted', async () => {
    const text = Array.from({ length: 25 }, (_, index) => `k${index}: 1`).join('\n');
    const { message } = await refusal(loadFiles({ project: text }));
    assert.equal(message.split('\n').length, 21);
    assert.match(message, /\nand 5 more$/);
  });

  test('an agent id is unique over all files', async () => {
    const user = 'agents: [{id: a, cli: claude}]';
    const { message } = await refusal(loadFiles({ user, project: `x-1: 1\n${user}` }));
    assert.equal(
      message,
      `${PROJECT}:2:15: agents[0].id: a project may not set this: your own settings already have an agent with this id`,
    );
  });

  test('a file that exists and cannot be read is refused with its name', async () => {
    const error = Object.assign(new Error('it is a directory'), { code: 'EISDIR' });
    const { data } = await refusal(loadFiles({}, { readFile: () => Promise.reject(error) }));
    assert.deepEqual(data, {
      code: 'config.unreadable',
      message: `${USER}: the file cannot be read: it is a folder, not a file (EISDIR)`,
      hint: 'Make the file readable, or move it away.',
      details: { file: USER },
    });
  });

  test('a file with the other ending of YAML files is not ignored', async () => {
    const other = USER.replace('.yaml', '.yml');
    const readFile = (path: string): Promise<string | undefined> =>
      Promise.resolve(path === other ? 'default_agent: a' : undefined);
    const { data } = await refusal(loadFiles({}, { readFile }));
    assert.deepEqual(data, {
      code: 'config.invalid',
      message: `${other} has a name that is not read.`,
      hint: 'Rename it to config.yaml.',
      details: { file: other },
    });
  });
});
