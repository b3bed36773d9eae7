/** The name of the branch that the work of a task is committed on. */

const SLUG_MAX = 40;

/** Fills `{task_id}`, and `{slug}` or `{description}` with the first words of the task. */
export function branchName(pattern: string, taskId: string, task: string): string {
  const slug = slugOf(task);
  const name = pattern
    .replaceAll('{task_id}', taskId)
    .replaceAll(/\{(?:slug|description)\}/g, slug);
  // What git does not allow in the name of a branch is left out.
  return name
    .replaceAll(/[^\w./-]+/g, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(/(?:^|\/)[.-]+/g, (start) => (start.startsWith('/') ? '/' : ''))
    .replaceAll(/(?:\.lock|[./-])+$/g, '');
}

/** The first words, as part of a name. */
export function slugOf(task: string): string {
  const words = task
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  if (words.length <= SLUG_MAX) return words === '' ? 'task' : words;
  const start = words.slice(0, SLUG_MAX + 1);
  const end = start.lastIndexOf('-');
  return start.slice(0, end > 0 ? end : SLUG_MAX);
}
