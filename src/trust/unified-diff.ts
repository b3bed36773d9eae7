const CONTEXT_LINES = 3;
/** The maximum size of the comparison table. Beyond it, the whole text is shown as replaced. */
const CELLS_MAX = 4_000_000;

type Line = { readonly mark: ' ' | '-' | '+'; readonly text: string };

/** The diff of two texts in the format of `diff -u`, from the first `@@` on. Empty if the texts are equal. */
export function unifiedDiff(before: string, after: string): readonly string[] {
  if (before === after) return [];
  const lines = compare(splitLines(before), splitLines(after));
  const shown = new Set<number>();
  for (const [at, { mark }] of lines.entries())
    if (mark !== ' ')
      for (let near = Math.max(0, at - CONTEXT_LINES); near <= at + CONTEXT_LINES; near += 1)
        shown.add(near);
  const output: string[] = [];
  let [old, now] = [1, 1];
  for (let at = 0; at < lines.length; at += 1) {
    if (shown.has(at) && !shown.has(at - 1)) output.push(`@@ -${old} +${now} @@`);
    const line = lines[at];
    if (line === undefined) continue;
    if (shown.has(at)) output.push(`${line.mark}${line.text}`);
    if (line.mark !== '+') old += 1;
    if (line.mark !== '-') now += 1;
  }
  return output;
}

function splitLines(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === ''
    ? lines.slice(0, -1)
    : [...lines.slice(0, -1), `${lines.at(-1)} (no newline at the end)`];
}

function same(text: string): Line {
  return { mark: ' ', text };
}

function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start])
    start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  const middle = between(
    before.slice(start, before.length - end),
    after.slice(start, after.length - end),
  );
  return [
    ...before.slice(0, start).map(same),
    ...middle,
    ...before.slice(before.length - end).map(same),
  ];
}

/** By the longest common subsequence. */
function between(before: readonly string[], after: readonly string[]): readonly Line[] {
  const removed = before.map((text): Line => ({ mark: '-', text }));
  const added = after.map((text): Line => ({ mark: '+', text }));
  if ((before.length + 1) * (after.length + 1) > CELLS_MAX) return [...removed, ...added];
  const width = after.length + 1;
  const longest = new Uint32Array((before.length + 1) * width);
  const at = (a: number, b: number): number => longest[a * width + b] ?? 0;
  for (let a = before.length - 1; a >= 0; a -= 1)
    for (let b = after.length - 1; b >= 0; b -= 1)
      longest[a * width + b] =
        before[a] === after[b] ? at(a + 1, b + 1) + 1 : Math.max(at(a + 1, b), at(a, b + 1));
  const lines: Line[] = [];
  let [a, b] = [0, 0];
  while (a < before.length && b < after.length) {
    if (before[a] === after[b]) {
      lines.push({ mark: ' ', text: before[a] ?? '' });
      a += 1;
      b += 1;
    } else if (at(a + 1, b) >= at(a, b + 1)) lines.push(removed[a++] as Line);
    else lines.push(added[b++] as Line);
  }
  return [...lines, ...removed.slice(a), ...added.slice(b)];
}
