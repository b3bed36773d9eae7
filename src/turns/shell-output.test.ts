import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shellOutput } from './shell-output.ts';

const REMINDER =
  '\n\n<system-reminder>\n<total_tokens>14982131 tokens left</total_tokens>\n</system-reminder>';
const codex = (state: string, output: string): string =>
  `Chunk ID: b99a5f\nWall time: 0.0000 seconds\n${state}\nOriginal token count: 2\nOutput:\n${output}`;
const gemini = (output: string, code = ''): string =>
  `<untrusted_context>\nOutput: ${output}\n${code}Process Group PGID: 19\n</untrusted_context>`;

describe('the output of a command, as a CLI writes it', () => {
  const cases: [why: string, written: string, text: string, code: number | null][] = [
    ['Claude Code, a success', `fine${REMINDER}`, 'fine', null],
    ['Claude Code, a failure', `Exit code 3\nhello${REMINDER}`, 'hello', 3],
    ['colours', '\u001b[31mno\u001b[0m', 'no', null],
    ['the line ends of Windows', 'a\r\nb\r\n', 'a\nb\n', null],
    ['Claude Code, nothing', `(Bash completed with no output)${REMINDER}`, '', null],
    ['two reminders', `fine${REMINDER}${REMINDER}`, 'fine', null],
    ['a text about reminders', 'a <system-reminder> b', 'a <system-reminder> b', null],
    ['Codex CLI, a success', codex('Process exited with code 0', 'fine\n'), 'fine\n', 0],
    ['Codex CLI, a failure', codex('Process exited with code 2', 'hello\n'), 'hello\n', 2],
    [
      'Codex CLI, a command that goes on',
      codex('Process running with session ID 7', 'x'),
      'x',
      null,
    ],
    ['Codex CLI, an older one', 'Exit code: 1\nWall time: 1 seconds\nOutput:\nno', 'no', 1],
    ['Gemini CLI, a success', gemini('fine'), 'fine', 0],
    ['Gemini CLI, a failure', gemini('hello', 'Exit Code: 3\n'), 'hello', 3],
    ['Gemini CLI, nothing', gemini('(empty)', 'Exit Code: 1\n'), '', 1],
    ['Copilot CLI', 'hello\n<shellId: 1 completed with exit code 3>', 'hello', 3],
    ['opencode', 'hello\n', 'hello\n', null],
    ['words of the output', 'the exit code 1 was seen', 'the exit code 1 was seen', null],
    ['nothing', '', '', null],
  ];
  for (const [why, written, text, code] of cases)
    test(why, () => assert.deepEqual(shellOutput(written), { text, code }));

  test('is found in no time in a long text', () => {
    const long = 'output: a\n'.repeat(300_000);
    assert.equal(shellOutput(long).code, null);
  });
});
