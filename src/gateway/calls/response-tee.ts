import { parseJson } from '../../base/json.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { createBrotliDecompress, createUnzip, createZstdDecompress } from 'node:zlib';
import type { JsonCaps } from './json-caps.ts';
import { JSON_CAPS, measureJson } from './json-caps.ts';
import { SseEvents } from './sse-parser.ts';
import type { AnswerReader, ModelAnswer, PartialAnswer, WireReader } from '../wires/wire.ts';

const WHOLE_BYTES_MAX = 32_000_000;
/** A compressed answer is not read beyond this size, so a decompression bomb costs no memory. */
const UNPACKED_BYTES_MAX = 256_000_000;
/** The bounds for one event, and for all events of an answer. Anything beyond them is forwarded and not read. */
const EVENT_CAPS: JsonCaps = { ...JSON_CAPS, valuesMax: 100_000 };
const VALUES_MAX = 2_000_000;

const UNPACKERS: Readonly<Record<string, () => ReturnType<typeof createUnzip>>> = {
  gzip: createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * Reads an answer while it is forwarded to the agent. It receives each chunk after that chunk was forwarded, so
 * malformed or endless content cannot disturb the stream.
 */
export class ResponseTee {
  readonly #reader: AnswerReader;
  readonly #events: SseEvents | undefined;
  readonly #unpacker: ReturnType<typeof createUnzip> | undefined;
  readonly #unpacked: Promise<void>;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #values = 0;

  constructor(wire: WireReader, headers: IncomingHttpHeaders) {
    this.#reader = wire.answerReader();
    const isStream = (headers['content-type'] ?? '').includes('text/event-stream');
    this.#events = isStream ? new SseEvents() : undefined;
    const unpacker = UNPACKERS[headers['content-encoding'] ?? '']?.();
    this.#unpacker = unpacker;
    this.#unpacked =
      unpacker === undefined
        ? Promise.resolve()
        : new Promise((resolve) => {
            unpacker.on('data', (chunk: Buffer) => this.#read(chunk));
            // A broken encoding only ends what can be read here. The agent receives the bytes and notices the error
            // itself.
            unpacker.on('error', () => resolve());
            unpacker.on('close', () => resolve());
          });
  }

  push(chunk: Uint8Array): void {
    if (this.#unpacker === undefined) this.#read(chunk);
    else if (!this.#unpacker.destroyed) this.#unpacker.write(chunk);
  }

  /** What is known about an answer that is still arriving. */
  get soFar(): PartialAnswer {
    return this.#reader.soFar();
  }

  /** The parsed answer, as far as it arrived. */
  async end(): Promise<ModelAnswer> {
    this.#unpacker?.end();
    await this.#unpacked;
    if (this.#events !== undefined) this.#take(this.#events.end());
    else if (this.#bytes <= WHOLE_BYTES_MAX)
      this.#take([Buffer.concat(this.#chunks).toString('utf8')]);
    return this.#reader.answer();
  }

  #read(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#bytes > UNPACKED_BYTES_MAX) return void this.#unpacker?.destroy();
    if (this.#events !== undefined) return this.#take(this.#events.push(chunk));
    if (this.#bytes <= WHOLE_BYTES_MAX) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  #take(events: readonly string[]): void {
    for (const data of events) {
      const { values, excess } = measureJson(data, EVENT_CAPS);
      this.#values += values;
      if (excess === null && this.#values <= VALUES_MAX) this.#reader.take(parseJson(data));
    }
  }
}
