import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isAnswer } from './finds-nothing.ts';
import { shellOutput } from './shell-output.ts';

describe('an exit code that is an answer', () => {
  const claude = 'Exit code 1';
  const codex = 'Chunk ID: b9\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n';
  const gemini =
    '<untrusted_context>\nOutput: (empty)\nExit Code: 1\nProcess Group PGID: 19\n</untrusted_context>';
  const copilot = '\n<shellId: 0 completed with exit code 1>';
  const cases: [why: string, command: string | undefined, output: string, is: boolean][] = [
    ['a search in Claude Code', 'grep -rn name src', claude, true],
    ['a search in Codex CLI', 'rg name', codex, true],
    ['a search in Gemini CLI', 'git grep name', gemini, true],
    ['a search in Copilot CLI', 'rg name', copilot, true],
    ['a search in a folder', 'cd src && grep -r name .', claude, true],
    ['a search in a pipe', 'cat a.ts | grep name', claude, true],
    ['a question about a file', '[ -f a.ts ]', claude, true],
    ['a question about a program', 'command -v podman', claude, true],
    ['a difference', 'diff a b', 'Exit code 1\n1c1\n< a\n> b', true],
    ['a search that fails', 'grep -r name nowhere', 'Exit code 2\ngrep: nowhere: No such', false],
    ['a search that says something', 'grep name', 'Exit code 1\ngrep: memory exhausted', false],
    ['another command', 'npm test', claude, false],
    ['a command after a search', 'grep name a.ts && npm test', claude, false],
    ['no command', undefined, claude, false],
  ];
  for (const [why, command, output, is] of cases)
    test(`${why} is ${is ? 'one' : 'none'}`, () =>
      assert.equal(isAnswer(command, shellOutput(output)), is));
});
