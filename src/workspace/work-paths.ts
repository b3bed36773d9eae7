/** Paths in the folder of an attempt, as a person knows them from the project. */

/** The folder of an attempt in the state of Supervisor, at the beginning of a path. */
const WORK_FOLDER = /(?<=^|[\s"'=(,])\/[^\s"']*\/trees\/\w+\/\d+\/work(?:\/|(?=$|[\s"';:,)]))/g;

/** Each path in the folder of an attempt becomes relative: `/…/trees/1a2b/1/work/src/a.ts` is `src/a.ts`. */
export function relativeWorkPaths(text: string): string {
  return text.replaceAll(WORK_FOLDER, (found) => (found.endsWith('/') ? '' : '.'));
}

/** Each path in `folder` becomes relative, in the text that a command printed. */
export function relativePathsIn(text: string, folder: string): string {
  return text
    .replaceAll(`file://${folder}/`, '')
    .replaceAll(`${folder}/`, '')
    .replaceAll(folder, '.');
}
