/**
 * The source of a regular expression that matches the same paths as a glob. `*` matches a part of a name, `?` one
 * character of it, `**` any text, and `**` before a slash any
 * number of folders. Every other character stands for itself, brackets and braces too: file names contain them.
 */
export function simpleGlobSource(glob: string): string {
  return glob
    .split(/(\*\*\/?|\*|\?)/)
    .map((part) => {
      if (part === '**/') return '(?:[^/]+/)*';
      if (part === '**') return '.*';
      if (part === '*') return '[^/]*';
      if (part === '?') return '[^/]';
      return part.replace(/[\\^$.+()[\]{}|]/g, String.raw`\$&`);
    })
    .join('');
}
