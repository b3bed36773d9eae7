/** Schema of a file with tasks for a comparison of workflows. */
import { z } from 'zod';
import { KEYS } from './schema-fields.ts';

const TASKS_MAX = 100;

const task = z
  .string({ error: 'a task in plain words' })
  .trim()
  .min(1, { error: 'a task in plain words' });

const entry = z.strictObject(
  {
    task: task.describe('The task in plain words.'),
    base: z
      .string({ error: 'a commit' })
      .trim()
      .min(1, { error: 'a commit' })
      .max(200, { error: 'a commit of up to 200 characters' })
      .optional()
      .describe(
        'The commit that its trials start with, such as HEAD~3 or a tag. Default: the files of today.',
      ),
  },
  { error: 'a task in plain words, or the keys task and base' },
);

export const TasksFile = z.strictObject(
  {
    tasks: z
      .array(
        z.preprocess((given) => (typeof given === 'string' ? { task: given } : given), entry),
        { error: 'a list of tasks' },
      )
      .min(1, { error: 'at least one task' })
      .max(TASKS_MAX, { error: `at most ${TASKS_MAX} tasks` })
      .describe('The tasks, each in plain words, or with a base.'),
  },
  KEYS,
);
