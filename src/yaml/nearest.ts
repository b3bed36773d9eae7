/** The known word that is closest to `word`, or undefined if none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > 64) return undefined;
  const close = known
    .map((candidate) => ({ candidate, edits: edits(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.edits - b.edits);
  return close[0]?.candidate;
}

/** The edit distance: letters to add, drop, change or swap with a neighbour. */
function edits(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1] ? 0 : 1;
      let best = Math.min(cell(last, column) + 1, cell(next, column - 1) + 1);
      best = Math.min(best, cell(last, column - 1) + same);
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped && row > 1) best = Math.min(best, cell(before, column - 2) + 1);
      next.push(best);
    }
    [before, last] = [last, next];
  }
  return cell(last, to.length);
}

function cell(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
