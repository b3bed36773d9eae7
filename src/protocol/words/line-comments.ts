/** The comments of a person on lines of a change. */
export type LineComment = { readonly file: string; readonly line: number; readonly text: string };

/** What the agent reads: the same form as `supervisor comment --file --line`. */
export function feedbackText(comments: readonly LineComment[], general: string): string {
  const lines = comments.map(({ file, line, text }) => `${file}:${line}: ${text.trim()}`);
  return [...lines, general.trim()].filter((one) => one !== '').join('\n');
}

/** The comment on a line, replaced or, if its text is empty, removed. In the order of the files. */
export function withComment(
  comments: readonly LineComment[],
  { file, line, text }: LineComment,
): readonly LineComment[] {
  const others = comments.filter((one) => one.file !== file || one.line !== line);
  const all = text.trim() === '' ? others : [...others, { file, line, text }];
  return all.toSorted((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}
