/** The settings of a custom agent, and the messages about mistakes in them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { loadFiles, USER } from '../../test/support/load-settings-fixture.ts';
import { parseConfigText } from './load-settings.ts';

const ENTRY = `agents:
  - id: tool
    cli: custom
    command: [tool, "{prompt_file}"]
`;

function readRefusal(text: string): string {
  try {
    parseConfigText(text, 'c.yaml');
  } catch (error) {
    if (isRefusal(error, 'config.invalid')) return error.message;
    throw error;
  }
  return 'accepted';
}

test('every key of a custom agent is part of its settings', async () => {
  const { settings } = await loadFiles({
    user: `${ENTRY}    resume_command: [tool, --resume, "{session}"]
    files:
      .tool/settings.json: '{"url": "{gateway_url}"}'
    output:
      format: jsonl
      session_line: "Session: {session}"
      usage: stats
      usage_fields: {input: tokens.sent, cost: dollars}
`,
  });
  const [agent] = settings.agents;
  const { resumeCommand, files, output } = agent ?? {};
  assert.deepEqual(
    { resumeCommand, files, output },
    {
      resumeCommand: ['tool', '--resume', '{session}'],
      files: { '.tool/settings.json': '{"url": "{gateway_url}"}' },
      output: {
        ...{ format: 'jsonl', result: null, usage: 'stats', session: null, error: null },
        usageFields: { input: 'tokens.sent', cost: 'dollars' },
        sessionLine: 'Session: {session}',
      },
    },
  );
});

describe('a mistake in a custom agent is reported with file, line and key', () => {
  const path =
    'expected the path of a file in the home of the agent, such as .config/tool/settings.json, without . and ..';
  const cases: [why: string, lines: string, message: string][] = [
    ...(['/etc/passwd', '../x', 'a/../b', 'a//b', './a', 'a/', '..'] as const).map(
      (name): [string, string, string] => [
        `the file ${name}`,
        `    files: {"${name}": x}`,
        `5:13: the key "${name}" in agents[0].files: ${path}`,
      ],
    ),
    [
      "a file with one of Supervisor's names",
      '    files: {.supervisor-prompt.md: x}',
      '5:13: the key ".supervisor-prompt.md" in agents[0].files: expected a path that does not start with .supervisor',
    ],
    [
      'a file with a number',
      '    files: {a: 1}',
      '5:16: agents[0].files.a: expected text of up to 100000 characters, found 1',
    ],
    [
      'too many files',
      `    files: {${Array.from({ length: 21 }, (_, index) => `f${index}: x`).join(', ')}}`,
      '5:12: agents[0].files: expected up to 20 files, found keys with values',
    ],
    [
      'a resume_command without the id',
      '    resume_command: [tool, --continue]',
      '5:21: agents[0].resume_command: expected a command line that contains {session}, found a list of 2',
    ],
    [
      'a resume_command without a source for its id',
      '    resume_command: [tool, "{session}"]',
      '5:21: agents[0].resume_command: expected a way to get the conversation id: output.session, output.session_line, or {session} in command, found a list of 2',
    ],
    [
      'an empty resume_command',
      '    resume_command: []',
      '5:21: agents[0].resume_command: expected a list of 1 to 100 texts, found a list of 0',
    ],
    [
      'a session_line without the id',
      '    output: {session_line: "Session"}',
      '5:28: agents[0].output.session_line: expected text that contains {session} once, such as "Session ID: {session}", found "Session"',
    ],
    [
      'an unknown usage field',
      '    output: {usage_fields: {inputs: a}}',
      '5:29: unknown key "inputs" in agents[0].output.usage_fields (did you mean "input"?)',
    ],
    [
      'a usage field that is not a path',
      '    output: {usage_fields: {input: "a b"}}',
      '5:36: agents[0].output.usage_fields.input: expected keys and indexes separated by dots, such as usage.total or items.0.text, found "a b"',
    ],
  ];
  for (const [why, lines, message] of cases)
    test(why, () => assert.equal(readRefusal(`${ENTRY}${lines}`), `c.yaml:${message}`));

  for (const key of ['files: {a: b}', 'resume_command: [claude, "{session}"]'])
    test(`an agent of a known CLI has no ${key.split(':', 1).join()}`, () => {
      const [name = ''] = key.split(':', 1);
      const message = readRefusal(`agents:\n  - id: a\n    cli: claude\n    ${key}`);
      assert.match(
        message,
        new RegExp(`^c.yaml:4:\\d+: agents\\[0\\]\\.${name}: expected no such key`),
      );
    });
});

test('a key in a file is refused, and is not shown', async () => {
  const user = `${ENTRY}    files: {a: "key = sk-ant-REDACTED"}`;
  const error = await loadFiles({ user }).catch((thrown: unknown) => thrown);
  assert.ok(isRefusal(error, 'config.invalid'), String(error));
  const words = 'it contains a key: write {gateway_key} instead, and set the key in env';
  assert.equal(error.message, `${USER}:5:16: agents[0].files.a: ${words}`);
});
