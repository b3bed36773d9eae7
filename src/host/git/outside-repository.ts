/**
 * A git hook and `git rebase --exec` set these for the programs that they start. They would lead git to another
 * repository or index than those of the folder in which we start it. The last four change what a path means.
 */
const REPOSITORY_VARIABLES: ReadonlySet<string> = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_PREFIX',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_LITERAL_PATHSPECS',
  'GIT_GLOB_PATHSPECS',
  'GIT_NOGLOB_PATHSPECS',
  'GIT_ICASE_PATHSPECS',
]);

/** The environment of a person for a git that belongs to a folder. */
export function outsideRepository(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const own = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || REPOSITORY_VARIABLES.has(name) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(own);
}
