import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readsAsFailure } from './reads-as-failure.ts';

const codex = (code: number, output: string): string =>
  `Chunk ID: b99a5f\nWall time: 0.0000 seconds\nProcess exited with code ${code}\nOriginal token count: 2\nOutput:\n${output}`;
const gemini = (code: number, output: string): string =>
  `<untrusted_context>\nOutput: ${output}\n${code === 0 ? '' : `Exit Code: ${code}\n`}Process Group PGID: 19\n</untrusted_context>`;
const copilot = (code: number, output: string): string =>
  `${output}\n<shellId: 7 completed with exit code ${code}>`;

describe('a result', () => {
  const cases: [text: string, fails: boolean][] = [
    ['Exit code: 3\nWall time: 1 s', true],
    ['Process exited with code 127\nOutput:', true],
    ['no\n<exited with exit code 2>', true],
    ['Error: File not found', true],
    ['unable to locate image at `/a.png`: No such file or directory (os error 2)', true],
    ['write_stdin failed: Unknown process id 4711', true],
    ['Path /nowhere/a does not exist. Please provide a valid path.', true],
    ['File not found: /nowhere/a', true],
    ['File /nowhere/b not found', true],
    ["EACCES: permission denied, mkdir '/nowhere'", true],
    [`File not found: ${'a long page about errors '.repeat(30)}`, false],
    ['The File /nowhere/b not found, so we made it', false],
    ['Exit code: 0\nOutput:', false],
    ['<exited with exit code 0>', false],
    ['an errorless text', false],
    ['', false],
    // The place of the code decides, and not the words of the output.
    [codex(1, ''), true],
    [codex(0, 'the other one exited with code 1'), false],
    [gemini(2, '(empty)'), true],
    [gemini(0, 'its exit code: 1 was expected'), false],
    [copilot(7, 'hello'), true],
    [copilot(0, 'error: exit code 1 seen'), false],
    // The shell of opencode names no code.
    ['/usr/bin/bash: line 1: nosuchprogram: command not found\n', true],
    ['cat: nofile: No such file or directory\n', true],
    ['  12 passing (40ms)\n  3 failing\n', true],
    ['  12 passing (40ms)\n', false],
    ['The word was not found', false],
  ];
  for (const [text, fails] of cases)
    test(`${JSON.stringify(text)} ${fails ? 'failed' : 'went well'}`, () =>
      assert.equal(readsAsFailure(text), fails));
});
