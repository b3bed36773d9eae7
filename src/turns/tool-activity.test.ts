import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Activity } from '../protocol/activity.ts';
import { toolActivity } from './tool-activity.ts';

function toText(activity: Activity): string {
  switch (activity.kind) {
    case 'write':
      return `write ${activity.path}`;
    case 'connect':
      return `connect ${activity.host}`;
    case 'command':
      return `run ${activity.argv.join(' ')}`;
    case 'spend':
    case 'spawn':
      return activity.kind;
  }
}

describe('the activity of a tool call', () => {
  const cases: [why: string, tool: string, input: unknown, expected: string[]][] = [
    ['Claude writes a file', 'Write', { file_path: '/a/b', content: 'x' }, ['write /a/b']],
    ['an editor changes a file', 'text_editor', { command: 'insert', path: 'a' }, ['write a']],
    ['an editor shows a file', 'text_editor', { command: 'view', path: 'a' }, []],
    ['a notebook is read', 'NotebookRead', { notebook_path: 'a.ipynb' }, []],
    ['another key for a file', 'search_replace', { target_file: 'a' }, ['write a']],
    ['a read is no activity', 'Read', { file_path: '/a/b' }, []],
    ['opencode edits a file', 'edit', { filePath: 'b.ts' }, ['write b.ts']],
    ['Gemini replaces text in a file', 'replace', { file_path: 'b.ts' }, ['write b.ts']],
    [
      'Codex reports its changes as a list',
      'apply_patch',
      [
        { path: 'a.ts', kind: 'add' },
        { path: 'b.ts', kind: 'delete' },
      ],
      ['write a.ts', 'write b.ts'],
    ],
    [
      'Codex reports its changes as a patch',
      'apply_patch',
      { patch: '*** Begin Patch\n*** Update File: a.ts\n*** Move to: c.ts\n+x' },
      ['write a.ts', 'write c.ts'],
    ],
    ['a command is parsed', 'Bash', { command: 'git push -f' }, ['run git push -f']],
    [
      'each of several commands counts',
      'bash',
      { command: 'cd app && X=1 git push; echo "a && b" | cat' },
      ['run cd app', 'run git push', 'run echo a && b', 'run cat'],
    ],
    [
      'the line that a shell executes counts too',
      'shell',
      'bash -lc "sudo git push"',
      ['run bash -lc sudo git push', 'run sudo git push', 'run git push'],
    ],
    [
      'a list of words is a command',
      'shell',
      { command: ['sh', '-c', 'rm -r x'] },
      ['run sh -c rm -r x', 'run rm -r x'],
    ],
    [
      'a redirect of a shell is a write',
      'Bash',
      { command: 'echo x > /etc/hosts 2>&1; make >>log 2>/dev/null' },
      ['run echo x', 'write /etc/hosts', 'run make', 'write log'],
    ],
    ['a page is fetched', 'WebFetch', { url: 'https://a.example/x' }, ['connect a.example']],
    [
      'a page is fetched by a command',
      'Bash',
      { command: 'curl -s https://me:x@b.example:8443/y' },
      ['run curl -s https://me:x@b.example:8443/y', 'connect b.example'],
    ],
    ['a tool without arguments has no known activity', 'Bash', undefined, []],
    [
      'a tool with odd arguments has no known activity',
      'Write',
      { file_path: 7, command: [1] },
      [],
    ],
  ];
  for (const [why, tool, input, expected] of cases)
    test(why, () => assert.deepEqual(toolActivity(tool, input).map(toText), expected));

  test('the activity is bounded, however long a line is', () => {
    const deeds = toolActivity('Bash', { command: `echo ${'x'.repeat(500)} > y;`.repeat(1000) });
    assert.equal(deeds.length, 20);
    const [one] = toolActivity('Bash', { command: `echo ${'x'.repeat(5000)}` });
    assert.ok(JSON.stringify(one).length < 1100);
  });
});
