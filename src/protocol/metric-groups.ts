/** What attempts can be grouped by. `task`: what their role had to answer. `cli-per-task`: each CLI with each of these. */
export const METRIC_GROUPS = [
  'role',
  'cli',
  'agent',
  'model',
  'task',
  'cli-per-task',
  'step',
  'workflow',
] as const;
export type MetricGroup = (typeof METRIC_GROUPS)[number];
