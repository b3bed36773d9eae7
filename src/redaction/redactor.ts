import { formsOf } from './encodings.ts';
import { ByteMatcher } from './byte-matcher.ts';
import { redactShapes } from './secret-shapes.ts';

/** What stands where a secret stood. */
const MARK = Buffer.from('[redacted]');
/** Of all forms of all secrets together: what the search may take of our memory. */
const FORMS_BYTES_MAX = 250_000;
const SLICE_BYTES = 65_536;

/**
 * Takes known secrets out of text, in each form in which they are likely to be written and however
 * the text is cut into chunks. Text without secrets comes out byte for byte as it went in.
 */
export class Redactor {
  readonly #matcher: ByteMatcher;

  /** Values of fewer than six bytes are no secrets; empty ones are common in environments. */
  constructor(values: Iterable<string>) {
    const forms = [...new Set(values)].flatMap(formsOf);
    const bytes = forms.reduce((sum, { length }) => sum + length, 0);
    if (bytes > FORMS_BYTES_MAX) throw new RangeError(`too many secrets: ${bytes} bytes of forms`);
    this.#matcher = new ByteMatcher(forms);
  }

  /** For a text that is here as a whole. */
  text(text: string): string {
    const stream = this.stream();
    const parts = [stream.push(Buffer.from(text)), stream.end()];
    return stream.count === 0 ? text : Buffer.concat(parts).toString('utf8');
  }

  stream(): RedactingStream {
    return new RedactingStream(this.#matcher);
  }

  /**
   * For what is about to be kept or shown elsewhere: known values, then whatever has the shape of a
   * secret. Gives way to others in between, so a large text holds nobody up.
   */
  async kept(text: string): Promise<string> {
    const bytes = Buffer.from(text);
    const stream = this.stream();
    const parts: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      parts.push(stream.push(bytes.subarray(at, at + SLICE_BYTES)));
      await nextTurn();
    }
    parts.push(stream.end());
    return redactShapes(stream.count === 0 ? text : Buffer.concat(parts).toString('utf8'));
  }
}

/** One stream of bytes. Each push gives back what is certain by then; `end` gives the rest. */
export class RedactingStream {
  readonly #matcher: ByteMatcher;
  #state = 0;
  /** Bytes not yet given back, and for each whether it belongs to a secret. */
  #held: Buffer = Buffer.alloc(0);
  #isSecret: Uint8Array = new Uint8Array(0);
  #lastWasSecret = false;
  #count = 0;

  constructor(matcher: ByteMatcher) {
    this.#matcher = matcher;
  }

  /** How many secrets have been taken out so far. */
  get count(): number {
    return this.#count;
  }

  push(chunk: Uint8Array): Uint8Array {
    const held = this.#held.length;
    const bytes = Buffer.concat([this.#held, chunk]);
    const isSecret = new Uint8Array(bytes.length);
    isSecret.set(this.#isSecret);
    let finds = this.#isSecret.includes(1);
    this.#state = this.#matcher.run(this.#state, bytes, held, (end, length) => {
      finds = true;
      isSecret.fill(1, end - length, end);
    });
    const certain = bytes.length - this.#matcher.depth(this.#state);
    this.#held = bytes.subarray(certain);
    this.#isSecret = isSecret.subarray(certain);
    const sure = bytes.subarray(0, certain);
    if (finds) return this.#release(sure, isSecret);
    if (certain > 0) this.#lastWasSecret = false;
    return sure;
  }

  end(): Uint8Array {
    const rest = this.#release(this.#held, this.#isSecret);
    this.#held = Buffer.alloc(0);
    this.#isSecret = new Uint8Array(0);
    this.#state = 0;
    return rest;
  }

  #release(bytes: Buffer, isSecret: Uint8Array): Uint8Array {
    const parts: Uint8Array[] = [];
    for (let at = 0; at < bytes.length;) {
      const secret = isSecret[at] === 1;
      let to = at + 1;
      while (to < bytes.length && (isSecret[to] === 1) === secret) to += 1;
      if (!secret) parts.push(bytes.subarray(at, to));
      else if (!this.#lastWasSecret) {
        parts.push(MARK);
        this.#count += 1;
      }
      this.#lastWasSecret = secret;
      at = to;
    }
    return parts.length === 1 ? (parts[0] ?? bytes) : Buffer.concat(parts);
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
