/** What attempts can be grouped by. `task`: what their role had to answer. */
export const METRIC_GROUPS = ['role', 'cli', 'agent', 'model', 'task', 'step', 'workflow'] as const;
export type MetricGroup = (typeof METRIC_GROUPS)[number];
