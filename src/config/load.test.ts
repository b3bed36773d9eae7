import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { isRefusal } from '../base/errors.ts';
import type { Refusal } from '../base/errors.ts';
import { defaultSettings } from '../protocol/to-settings.ts';
import { explainSettings } from './explain.ts';
import { loadSettings } from './load.ts';
import type { Flags, Loaded, LoadOptions } from './load.ts';

const USER = '/home/ann/.supervisor/config.yaml';
const PROJECT = 'shop/.supervisor/config.yaml';

type Given = { readonly user?: string; readonly project?: string; readonly flags?: Flags };

function load(
  { user, project, flags = {} }: Given,
  more: Partial<LoadOptions> = {},
): Promise<Loaded> {
  const files = new Map([
    [USER, user],
    [PROJECT, project],
  ]);
  return loadSettings({
    home: '/home/ann/.supervisor',
    project: 'shop',
    userDir: '/home/ann',
    flags,
    readFile: (path) => Promise.resolve(files.get(path)),
    ...more,
  });
}

async function refusal(loading: Promise<unknown>): Promise<Refusal> {
  const error = await loading.then(
    () => assert.fail('it was accepted'),
    (thrown: unknown) => thrown,
  );
  assert.ok(isRefusal(error), String(error));
  return error;
}

function set(...set: string[]): Flags {
  return { set };
}

describe('settings come from', () => {
  const cases: [why: string, given: Given, attempts: number][] = [
    ['the defaults where nothing is said', {}, 10],
    ["the user's file", { user: 'limits: {attempts: 2}' }, 2],
    [
      "the project's file before it",
      { user: 'limits: {attempts: 2}', project: 'limits: {attempts: 3}' },
      3,
    ],
    [
      'a --set before the files',
      { project: 'limits: {attempts: 3}', flags: set('limits.attempts=4') },
      4,
    ],
    ['the last --set', { flags: set('limits.attempts=4', 'limits.attempts=5') }, 5],
    [
      'other flags before --set',
      {
        flags: {
          ...set('limits.attempts=4'),
          values: { limits: { attempts: 6 }, owner: undefined },
        },
      },
      6,
    ],
    [
      'the defaults again after null',
      { user: 'limits: {attempts: 2}', flags: set('limits.attempts=null') },
      10,
    ],
    [
      'the file with a byte order mark and Windows lines',
      { user: '\uFEFFlimits:\r\n  attempts: 2\r\n' },
      2,
    ],
    ['the defaults where files are empty', { user: '', project: '# nothing\n---\n' }, 10],
    ['an anchor and its alias', { user: 'x-n: &n 7\nlimits: {attempts: *n}' }, 7],
  ];
  for (const [why, given, attempts] of cases) {
    test(why, async () => {
      const { settings } = await load(given);
      const limits = { ...defaultSettings.limits, attempts };
      assert.deepEqual(settings, { ...defaultSettings, limits });
    });
  }

  test('one file once, where the project is the home directory', async () => {
    const user = 'agents: [{id: a, cli: claude}]';
    const { settings } = await load({ user }, { project: '/home/ann' });
    assert.deepEqual(
      settings.agents.map(({ id }) => id),
      ['a'],
    );
  });

  test("the user's file alone outside a project", async () => {
    const { settings } = await loadSettings({
      home: '/home/ann/.supervisor',
      userDir: '/home/ann',
      readFile: (path) => Promise.resolve(path === USER ? 'default_agent: codex' : undefined),
    });
    assert.equal(settings.defaultAgent, 'codex');
  });
});

describe('what is written wrong is refused', () => {
  const cases: [why: string, text: string, message: string][] = [
    [
      'a name taken twice',
      'agents:\n  - {id: a, cli: claude}\n  - {id: a, cli: codex}',
      `3:10: agents[1].id: the name "a" is already taken at ${PROJECT}:2:10`,
    ],
    [
      'a default agent that nobody is',
      'default_agent: clade',
      '1:16: default_agent: no agent is called "clade" (did you mean "claude"?)',
    ],
    [
      'custom as the default agent',
      'default_agent: custom',
      '1:16: default_agent: no agent is called "custom"',
    ],
  ];
  for (const [why, text, message] of cases) {
    test(why, async () => {
      const { data } = await refusal(load({ project: text }));
      assert.equal(data.code, 'config.invalid');
      assert.equal(data.message, `${PROJECT}:${message}`);
    });
  }

  test('the details are those of the first problem', async () => {
    const { data } = await refusal(load({ project: 'limts: 1\nowner: 2' }));
    assert.deepEqual(data.details, {
      file: PROJECT,
      line: 1,
      column: 1,
      key: 'limts',
      nearest: 'limits',
      problems: 2,
    });
  });

  test('all problems of all files and flags are told at once', async () => {
    const { message } = await refusal(
      load({
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
      '--set attempt.grace: no value: write null to go back to the default',
      '--set attempt.grace: something is missing here: a colon, a comma, a space, a closing quote or bracket',
      'flags: unknown key "d"',
    ]);
  });

  test('no --set whatever ends in anything but a value or a refusal', async () => {
    const key = fc.constantFrom('', 'attempt.grace=', 'agents=', '__proto__.a=', 'a.'.repeat(5000));
    await fc.assert(
      fc.asyncProperty(key, fc.string(), async (start, rest) => {
        const error: unknown = await load({ flags: set(start + rest) }).catch((thrown) => thrown);
        assert.ok(!(error instanceof Error) || isRefusal(error), String(error));
      }),
      { numRuns: 500 },
    );
  });

  test('twenty problems are shown and the rest are counted', async () => {
    const text = Array.from({ length: 25 }, (_, index) => `k${index}: 1`).join('\n');
    const { message } = await refusal(load({ project: text }));
    assert.equal(message.split('\n').length, 21);
    assert.match(message, /\nand 5 more$/);
  });

  test('a name is taken once over all files', async () => {
    const user = 'agents: [{id: a, cli: claude}]';
    const { message } = await refusal(load({ user, project: `x-1: 1\n${user}` }));
    assert.equal(
      message,
      `${PROJECT}:2:15: agents[1].id: the name "a" is already taken at ${USER}:1:15`,
    );
  });

  test('a file that is there and can not be read is refused by its name', async () => {
    const error = new Error('EISDIR: it is a directory');
    const { data } = await refusal(load({}, { readFile: () => Promise.reject(error) }));
    assert.deepEqual(data, {
      code: 'config.unreadable',
      message: `${USER}: the file can not be read: Error: EISDIR: it is a directory`,
      hint: 'Make it a file that you may read, or move it away.',
      details: { file: USER },
    });
  });
});

describe('what is loaded', () => {
  const given = {
    user: 'agents:\n  - {id: a, cli: claude, args: [--fast], env: {HUB_TOKEN: t, LANG: C}}\nlimits: {attempts: 4}',
    project: 'limits: null\nattempt: {grace: 5}',
    flags: { set: ['limits.starts_per_minute=2'], values: { default_agent: 'a' } },
  };

  test('is explained: every value, as written, with its origin, and no secret', async () => {
    assert.deepEqual(
      explainSettings(await load(given)).map(({ key, value, origin }) => [key, value, origin]),
      [
        ['version', 1, 'default'],
        ['agents[0].id', 'a', `${USER}:2:10`],
        ['agents[0].cli', 'claude', `${USER}:2:18`],
        ['agents[0].args[0]', '--fast', `${USER}:2:33`],
        ['agents[0].env.HUB_TOKEN', '(not shown)', `${USER}:2:59`],
        ['agents[0].env.LANG', 'C', `${USER}:2:68`],
        ['default_agent', 'a', 'flags'],
        ['selection.mode', 'fallback', 'default'],
        ['selection.fallbacks', {}, 'default'],
        ['selection.pinned', null, 'default'],
        ['recovery.preset', 'fallback-first', 'default'],
        ['recovery.retries_per_agent', null, 'default'],
        ['recovery.attempts_max', null, 'default'],
        ['recovery.cooldown_s', 3600, 'default'],
        ['recovery.limit_patience_s', 60, 'default'],
        ['recovery.wait_for_reset', true, 'default'],
        ['recovery.wait_max_s', 43_200, 'default'],
        ['capacity.runs_max', 4, 'default'],
        ['capacity.per_agent_max', 2, 'default'],
        ['limits.attempts', 10, 'default'],
        ['limits.starts_per_minute', 2, '--set limits.starts_per_minute'],
        ['limits.disk_free', '500MB', 'default'],
        ['attempt.grace', 5, `${PROJECT}:2:18`],
        ['attempt.deadline', null, 'default'],
        ['attempt.lost_max', 3, 'default'],
        ['attempt.output_max', '10MB', 'default'],
        ['gates', [], 'default'],
        ['setup.command', null, 'default'],
        ['setup.inputs', [], 'default'],
        ['setup.network', [], 'default'],
        ['setup.timeout', '30m', 'default'],
        ['sandbox.backend', 'auto', 'default'],
        ['sandbox.image', null, 'default'],
        ['sandbox.pull', 'missing', 'default'],
        ['sandbox.memory', '4GB', 'default'],
        ['sandbox.cpus', 2, 'default'],
        ['sandbox.pids', 512, 'default'],
        ['sandbox.disk', '10GB', 'default'],
        ['sandbox.tmp', '500MB', 'default'],
        ['sandbox.mounts', [], 'default'],
        ['sandbox.preflight', [], 'default'],
        ['sandbox.network', [], 'default'],
        ['sandbox.grants.toolchains', [], 'default'],
        ['sandbox.grants.files', [], 'default'],
        ['sandbox.grants.git_identity', null, 'default'],
        ['classify.rules', [], 'default'],
        ['gateway.calls_per_project', 10, 'default'],
        ['gateway.outage_patience', '10s', 'default'],
        ['gateway.first_byte', '10m', 'default'],
        ['gateway.silence', '5m', 'default'],
        ['gateway.request_max', '32MB', 'default'],
        ['gateway.record_max', '64MB', 'default'],
        ['gateway.prices', [], 'default'],
        ...['', 'project.', 'tree.'].flatMap((scope) =>
          ['tokens', 'usd', 'calls', 'wall_s'].map((cap) => [
            `budget.${scope}${cap}`,
            null,
            'default',
          ]),
        ),
        ['owner.idle_exit', '10m', 'default'],
        ['owner.clear_orphans_after', null, 'default'],
        ['tree.children', [], 'default'],
        ['tree.depth_max', 4, 'default'],
        ['tree.children_max', 100, 'default'],
      ],
    );
  });

  test('is frozen through and through', async () => {
    const loose: string[] = [];
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Object.isFrozen(value)) loose.push(path);
      for (const [key, part] of Object.entries(value)) visit(part, `${path}.${key}`);
    };
    visit(await load(given), 'loaded');
    visit(defaultSettings, 'defaults');
    assert.deepEqual(loose, []);
  });

  test("warns of a secret in the project's file, and not in the user's own", async () => {
    const agents =
      'agents: [{id: ID, cli: claude, model: claude-3-5-sonnet-20241022-bedrock-v1, env: {GIT_AUTHOR_NAME: ann, API_KEY: abc}}]';
    const { warnings } = await load({
      user: agents.replace('ID', 'a'),
      project: agents.replace('ID', 'b'),
    });
    assert.deepEqual(warnings, [
      `${PROJECT}:1:114: agents[0].env.API_KEY looks like a secret, in a file that others may see`,
    ]);
  });
});
