/** Schema of a file with tasks for a comparison of workflows. */
import { z } from 'zod';
import { KEYS } from './schema-fields.ts';

const TASKS_MAX = 100;

const task = z
  .string({ error: 'a task in plain words' })
  .trim()
  .min(1, { error: 'a task in plain words' });

export const TasksFile = z.strictObject(
  {
    tasks: z
      .array(task, { error: 'a list of tasks' })
      .min(1, { error: 'at least one task' })
      .max(TASKS_MAX, { error: `at most ${TASKS_MAX} tasks` })
      .describe('The tasks, each in plain words.'),
  },
  KEYS,
);
