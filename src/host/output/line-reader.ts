/**
 * Splits bytes into lines, whatever chunks they come in: split characters, CRLF, NUL bytes, a last line without a line
 * break. A line is cut at a bound, so that one giant line costs no more than that. NUL and other control characters
 * stay: code that shows a line on a terminal escapes them.
 */
export type Line = {
  /** Without its line break. Bytes that are not UTF-8 are replaced by U+FFFD. */
  readonly text: string;
  /** Whether the rest of the line, beyond the bound, was left out. */
  readonly truncated: boolean;
};

const LINE_BYTES_MAX = 1024 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

export class LineReader {
  readonly #lineBytesMax: number;
  /** The line so far, up to the bound. */
  #pieces: Uint8Array[] = [];
  #keptBytes = 0;
  #bytes = 0;
  #lastByte = 0;

  constructor(lineBytesMax = LINE_BYTES_MAX) {
    this.#lineBytesMax = lineBytesMax;
  }

  /** The lines that this chunk completes. */
  push(chunk: Uint8Array): readonly Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) break;
      this.#add(chunk.subarray(start, end));
      lines.push(this.#take({ dropReturn: this.#lastByte === RETURN }));
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
    return lines;
  }

  /** The last line, if it has no line break. */
  end(): readonly Line[] {
    return this.#bytes === 0 ? [] : [this.#take({ dropReturn: false })];
  }

  #add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    const room = this.#lineBytesMax - this.#keptBytes;
    if (room > 0) {
      const copy = piece.slice(0, room); // a copy, so that a short piece does not keep a large chunk in memory
      this.#pieces.push(copy);
      this.#keptBytes += copy.length;
    }
    this.#bytes += piece.length;
    this.#lastByte = piece[piece.length - 1] ?? 0;
  }

  #take({ dropReturn }: { readonly dropReturn: boolean }): Line {
    const bytes = this.#bytes - (dropReturn ? 1 : 0);
    const truncated = bytes > this.#lineBytesMax;
    const line = Buffer.concat(this.#pieces).subarray(0, Math.min(bytes, this.#lineBytesMax));
    const text = (truncated ? line.subarray(0, wholeCharacters(line)) : line).toString('utf8');
    this.#pieces = [];
    this.#keptBytes = 0;
    this.#bytes = 0;
    this.#lastByte = 0;
    return { text, truncated };
  }
}

/** The length of `bytes` without a character that the cut has left incomplete at the end. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
