import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Activity } from '../protocol/activity.ts';
import { toolActivity } from './tool-activity.ts';

function inWords(deed: Activity): string {
  switch (deed.kind) {
    case 'write':
      return `write ${deed.path}`;
    case 'connect':
      return `connect ${deed.host}`;
    case 'command':
      return `run ${deed.argv.join(' ')}`;
    case 'spend':
    case 'spawn':
      return deed.kind;
  }
}

describe('what a call of a tool does', () => {
  const cases: [why: string, tool: string, input: unknown, expected: string[]][] = [
    ['Claude writes a file', 'Write', { file_path: '/a/b', content: 'x' }, ['write /a/b']],
    ['a read is no deed', 'Read', { file_path: '/a/b' }, []],
    ['opencode edits one', 'edit', { filePath: 'b.ts' }, ['write b.ts']],
    ['Gemini replaces in one', 'replace', { file_path: 'b.ts' }, ['write b.ts']],
    [
      'Codex tells its changes as a list',
      'apply_patch',
      [
        { path: 'a.ts', kind: 'add' },
        { path: 'b.ts', kind: 'delete' },
      ],
      ['write a.ts', 'write b.ts'],
    ],
    [
      'or as a patch',
      'apply_patch',
      { patch: '*** Begin Patch\n*** Update File: a.ts\n*** Move to: c.ts\n+x' },
      ['write a.ts', 'write c.ts'],
    ],
    ['a command is taken apart', 'Bash', { command: 'git push -f' }, ['run git push -f']],
    [
      'each of several counts',
      'bash',
      { command: 'cd app && X=1 git push; echo "a && b" | cat' },
      ['run cd app', 'run git push', 'run echo a && b', 'run cat'],
    ],
    [
      'what a shell is given counts as well',
      'shell',
      'bash -lc "sudo git push"',
      ['run bash -lc sudo git push', 'run sudo git push', 'run git push'],
    ],
    [
      'so does a list of words',
      'shell',
      { command: ['sh', '-c', 'rm -r x'] },
      ['run sh -c rm -r x', 'run rm -r x'],
    ],
    [
      'a shell writes where it redirects to',
      'Bash',
      { command: 'echo x > /etc/hosts 2>&1; make >>log 2>/dev/null' },
      ['run echo x', 'write /etc/hosts', 'run make', 'write log'],
    ],
    ['a page is fetched', 'WebFetch', { url: 'https://a.example/x' }, ['connect a.example']],
    [
      'by a command too',
      'Bash',
      { command: 'curl -s https://me:x@b.example:8443/y' },
      ['run curl -s https://me:x@b.example:8443/y', 'connect b.example'],
    ],
    ['a tool without arguments does nothing that we know of', 'Bash', undefined, []],
    ['nor does one with odd ones', 'Write', { file_path: 7, command: [1] }, []],
  ];
  for (const [why, tool, input, expected] of cases)
    test(why, () => assert.deepEqual(toolActivity(tool, input).map(inWords), expected));

  test('however long a line is, what is told of it has a bound', () => {
    const deeds = toolActivity('Bash', { command: `echo ${'x'.repeat(500)} > y;`.repeat(1000) });
    assert.equal(deeds.length, 20);
    const [one] = toolActivity('Bash', { command: `echo ${'x'.repeat(5000)}` });
    assert.ok(JSON.stringify(one).length < 1100);
  });
});
