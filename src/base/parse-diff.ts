/** A unified diff as files, hunks and lines. */
export type DiffLine = {
  readonly kind: 'same' | 'added' | 'removed' | 'note';
  readonly text: string;
  /** The numbers in the file before and after. */
  readonly before: number | null;
  readonly after: number | null;
};

type DiffHunk = { readonly header: string; readonly lines: readonly DiffLine[] };

export type DiffFile = {
  readonly path: string;
  /** How it changed besides its lines: a new file, another mode, a binary file. */
  readonly notes: readonly string[];
  readonly hunks: readonly DiffHunk[];
};

type OpenFile = { path: string; notes: string[]; hunks: { header: string; lines: DiffLine[] }[] };

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

export function parseDiff(text: string): readonly DiffFile[] {
  const files: OpenFile[] = [];
  let file: OpenFile | undefined;
  let hunk: OpenFile['hunks'][number] | undefined;
  let [before, after, beforeLeft, afterLeft] = [0, 0, 0, 0];
  for (const line of text.split('\n')) {
    // Within a hunk, a line counts by its first character, whatever it looks like.
    if (hunk !== undefined && (beforeLeft > 0 || afterLeft > 0)) {
      const sign = line[0];
      if (sign === '+') {
        hunk.lines.push({ kind: 'added', text: line.slice(1), before: null, after });
        [after, afterLeft] = [after + 1, afterLeft - 1];
      } else if (sign === '-') {
        hunk.lines.push({ kind: 'removed', text: line.slice(1), before, after: null });
        [before, beforeLeft] = [before + 1, beforeLeft - 1];
      } else if (sign === '\\') {
        hunk.lines.push({ kind: 'note', text: line.slice(2), before: null, after: null });
      } else {
        hunk.lines.push({ kind: 'same', text: line.slice(1), before, after });
        [before, after, beforeLeft, afterLeft] = [
          before + 1,
          after + 1,
          beforeLeft - 1,
          afterLeft - 1,
        ];
      }
      continue;
    }
    if (line.startsWith('diff --git ')) {
      file = { path: pathOf(line), notes: [], hunks: [] };
      files.push(file);
      hunk = undefined;
      continue;
    }
    if (file === undefined) continue;
    const found = HUNK.exec(line);
    if (found !== null) {
      [before, after] = [Number(found[1]), Number(found[3])];
      [beforeLeft, afterLeft] = [Number(found[2] ?? 1), Number(found[4] ?? 1)];
      hunk = { header: line, lines: [] };
      file.hunks.push(hunk);
    } else if (line.startsWith('\\') && hunk !== undefined)
      hunk.lines.push({ kind: 'note', text: line.slice(2), before: null, after: null });
    else if (line.startsWith('+++ ') && !line.startsWith('+++ /dev/null'))
      file.path = unquote(line.slice(4), 'b/');
    else if (
      /^(?:new|deleted) file|^old mode|^new mode|^rename|^copy|^Binary|^GIT binary/.test(line)
    )
      file.notes.push(line);
  }
  return files;
}

function pathOf(line: string): string {
  const rest = line.slice('diff --git '.length);
  const quoted = rest.endsWith('"') ? rest.indexOf(' "b/') : -1;
  if (quoted !== -1) return unquote(rest.slice(quoted + 1), 'b/');
  // Without a rename, the two names are equal, so the line is symmetric.
  const half = rest.slice((rest.length + 1) / 2);
  return half.startsWith('b/') ? half.slice(2) : (/ b\/(.*)$/.exec(rest)?.[1] ?? rest);
}

/** Git quotes a name with unusual characters and writes their bytes as octal numbers. */
function unquote(name: string, prefix: string): string {
  const plain = name.replace(/\t$/, '');
  if (!plain.startsWith('"')) return plain.startsWith(prefix) ? plain.slice(prefix.length) : plain;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [piece] of plain.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]+/gsu)) {
    if (/^\\[0-7]{3}$/.test(piece)) bytes.push(Number.parseInt(piece.slice(1), 8));
    else if (piece.startsWith('\\'))
      bytes.push(...encoder.encode(ESCAPES[piece[1] ?? ''] ?? piece[1] ?? ''));
    else bytes.push(...encoder.encode(piece));
  }
  const text = new TextDecoder().decode(new Uint8Array(bytes));
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
