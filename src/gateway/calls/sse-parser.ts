/**
 * Parses server-sent events from a byte stream that is cut anywhere. The parser is lenient, because it only observes:
 * an event that is too long is skipped, and lines that are not part of an event are ignored.
 */
export class SseEvents {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #eventCharsMax: number;
  #line = '';
  #lineTooLong = false;
  #data: string[] = [];
  #dataChars = 0;

  constructor(eventCharsMax = 8_000_000) {
    this.#eventCharsMax = eventCharsMax;
  }

  /** The data of every event that these bytes complete. */
  push(bytes: Uint8Array): readonly string[] {
    const done: string[] = [];
    const lines = this.#decoder.decode(bytes, { stream: true }).split('\n');
    for (const [index, part] of lines.entries()) {
      this.#grow(part);
      if (index < lines.length - 1) this.#endLine(done);
    }
    return done;
  }

  /** The last event of a stream that ended without its final empty line. */
  end(): readonly string[] {
    const done: string[] = [];
    this.#endLine(done);
    this.#endEvent(done);
    return done;
  }

  #grow(part: string): void {
    if (this.#line.length + part.length > this.#eventCharsMax) this.#lineTooLong = true;
    this.#line = this.#lineTooLong ? '' : this.#line + part;
  }

  #endLine(done: string[]): void {
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line;
    const skipped = this.#lineTooLong;
    this.#line = '';
    this.#lineTooLong = false;
    if (skipped) return;
    if (line === '') return this.#endEvent(done);
    if (!line.startsWith('data:')) return;
    const data = line.slice(line.startsWith('data: ') ? 6 : 5);
    this.#dataChars += data.length + 1; // an empty data line counts as a line too
    if (this.#dataChars <= this.#eventCharsMax) this.#data.push(data);
  }

  #endEvent(done: string[]): void {
    if (this.#data.length > 0 && this.#dataChars <= this.#eventCharsMax)
      done.push(this.#data.join('\n'));
    this.#data = [];
    this.#dataChars = 0;
  }
}
