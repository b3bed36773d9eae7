const LINES_MAX = 600;

/** The files of a project by name, folders first opened to `depth`; what is deeper is counted. */
export function treeText(paths: readonly string[], depth: number): string {
  const lines: string[] = [];
  const hidden = new Map<string, number>();
  for (const path of paths) {
    const steps = path.split('/');
    if (steps.length <= depth) lines.push(path);
    else {
      const folder = `${steps.slice(0, depth).join('/')}/`;
      hidden.set(folder, (hidden.get(folder) ?? 0) + 1);
    }
  }
  for (const [folder, count] of hidden) lines.push(`${folder} (${count} files)`);
  const shown = lines.toSorted((a, b) => (a < b ? -1 : 1)).slice(0, LINES_MAX);
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`(${more} more)`] : [])].join('\n');
}
