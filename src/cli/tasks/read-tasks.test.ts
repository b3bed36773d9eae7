import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { AblateTask } from '../../protocol/views/ablation-view.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { readTasks } from './read-tasks.ts';

async function read(text: string): Promise<readonly AblateTask[] | string> {
  await using dir = await tempDir();
  await writeFile(join(dir.path, 'tasks.yaml'), text);
  return await readTasks(dir.path, 'tasks.yaml').catch((error: unknown) => {
    if (isRefusal(error)) return error.message;
    throw error;
  });
}

describe('a file with tasks', () => {
  const cases: [why: string, text: string, expected: readonly AblateTask[] | string][] = [
    ['is a list', 'tasks:\n  - Add a sum\n  - " Fix it "\n', ['Add a sum', 'Fix it']],
    [
      'may name the commit that a task starts from',
      'tasks:\n  - Add a sum\n  - {task: Fix it, base: HEAD~3}\n',
      ['Add a sum', { task: 'Fix it', base: 'HEAD~3' }],
    ],
    [
      'names an unknown key of a task, and what it lacks',
      'tasks:\n  - {task: a, bse: v1}\n  - {base: v1}\n  - ""\n',
      [
        'tasks.yaml:2:15: unknown key "bse" in tasks[0] (did you mean "base"?)',
        'tasks.yaml:3:5: tasks[1] has no task: expected a task in plain words',
        'tasks.yaml:4:5: tasks[2] has no task: expected a task in plain words',
      ].join('\n'),
    ],
    ['has at least one task', '', 'tasks.yaml has no task.'],
    [
      'has a list that is not empty',
      'tasks: []\n',
      'tasks.yaml:1:8: tasks: expected at least one task, found a list of 0',
    ],
    [
      'has no other key',
      'tasks: [a]\ntask: b\n',
      'tasks.yaml:2:1: unknown key "task" (did you mean "tasks"?)',
    ],
    [
      'has tasks in words',
      'tasks: [7]\n',
      'tasks.yaml:1:9: tasks[0]: expected a task in plain words, or the keys task and base, found 7',
    ],
  ];
  for (const [why, text, expected] of cases)
    test(why, async () => assert.deepEqual(await read(text), expected));

  test('must exist', async () => {
    await using dir = await tempDir();
    await assert.rejects(readTasks(dir.path, 'none.yaml'), /The file none\.yaml does not exist/);
  });
});
