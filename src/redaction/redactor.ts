import { secretForms } from './encodings.ts';
import { ByteMatcher } from './byte-matcher.ts';
import { redactShapes } from './secret-shapes.ts';

/** Replaces a secret. */
const MARK = Buffer.from('[redacted]');
/** The limit for all forms of all secrets together. It bounds the memory of the search. */
const FORMS_BYTES_MAX = 250_000;
const SLICE_BYTES = 65_536;

/**
 * Removes known secrets from text, in every likely encoding and however the text is cut into chunks. Text without
 * secrets comes out byte for byte.
 */
export class Redactor {
  readonly #matcher: ByteMatcher;

  /** Values of fewer than six bytes are not secrets. Empty ones are common in environments. */
  constructor(values: Iterable<string>) {
    const forms = [...new Set(values)].flatMap(secretForms);
    const bytes = forms.reduce((sum, { length }) => sum + length, 0);
    if (bytes > FORMS_BYTES_MAX) throw new RangeError(`too many secrets: ${bytes} bytes of forms`);
    this.#matcher = new ByteMatcher(forms);
  }

  /** For a complete text. */
  text(text: string): string {
    const stream = this.stream();
    const parts = [stream.push(Buffer.from(text)), stream.end()];
    return stream.count === 0 ? text : Buffer.concat(parts).toString('utf8');
  }

  stream(): RedactingStream {
    return new RedactingStream(this.#matcher);
  }

  /**
   * For text that is stored or shown elsewhere: removes known values, then text that has the pattern of a secret.
   * Yields to the event loop in between, so that a large text blocks nothing.
   */
  async redact(text: string): Promise<string> {
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

/** Redacts one stream of bytes. Each push returns the bytes that are certain by then; `end` returns the rest. */
export class RedactingStream {
  readonly #matcher: ByteMatcher;
  #state = 0;
  /** Bytes that were not returned yet, and for each whether it belongs to a secret. */
  #held: Buffer = Buffer.alloc(0);
  #isSecret: Uint8Array = new Uint8Array(0);
  #lastWasSecret = false;
  #count = 0;

  constructor(matcher: ByteMatcher) {
    this.#matcher = matcher;
  }

  /** How many secrets were removed so far. */
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
