import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toolSubject } from './tool-subject.ts';

describe('the subject of a tool call', () => {
  const cases: [why: string, input: unknown, expected: string | undefined][] = [
    ['Claude runs a command', { command: 'npm test', description: 'Runs it' }, 'npm test'],
    ['Codex runs a line in a shell', "/bin/sh -lc 'npm test'", 'npm test'],
    ['a list of words', { command: ['bash', '-lc', 'npm test'] }, 'npm test'],
    ['a list without a shell', { command: ['npm', 'test'] }, 'npm test'],
    ['more than the shell stays whole', "sh -c 'a' && b", "sh -c 'a' && b"],
    ['a quote that is not closed', { cmd: "echo 'a" }, "echo 'a"],
    ['a script becomes one line', { command: 'a\n  b' }, 'a; b'],
    ['without lines that are empty', { command: ' a \n\n \n\tb\n' }, 'a; b'],
    ['a text in quotes too', { command: 'echo "a\n  b"' }, 'echo "a b"'],
    [
      'a long script is cut',
      { command: `a${'\n'.repeat(9)}${'b'.repeat(9000)}` },
      `a; ${'b'.repeat(3997)}`,
    ],
    ['a long list of words too', { command: ['b'.repeat(9000), 'c'] }, 'b'.repeat(4000)],
    ['a long path too', { file_path: 'b'.repeat(9000) }, 'b'.repeat(4000)],
    ['an editor shows a file', { command: 'view', path: 'a.ts' }, 'view a.ts'],
    ['a command that is called view', { command: 'view' }, 'view'],
    [
      'Claude changes a file',
      { file_path: '/w/a.ts', old_string: 'x', new_string: 'y' },
      '/w/a.ts',
    ],
    [
      'Codex changes files',
      [
        { path: 'a.ts', kind: 'add' },
        { path: 'b.ts', kind: 'delete' },
      ],
      'a.ts, b.ts',
    ],
    ['a patch names its files', '*** Begin Patch\n*** Update File: a.ts\n+x', 'a.ts'],
    ['a search', 'how to test', 'how to test'],
    ['other arguments', { todos: [] }, undefined],
    ['no arguments', undefined, undefined],
  ];
  for (const [why, input, expected] of cases)
    test(why, () => assert.equal(toolSubject(input), expected));
});
