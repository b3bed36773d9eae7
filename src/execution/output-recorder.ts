/** Records the output of an agent in bounded files, without secrets. */
import type { CommandKey } from '../base/ids.ts';
import { OutputFile } from '../host/output/output-file.ts';
import { RedactedStream } from '../redaction/redact-stream.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { AttemptStream } from '../attempts/output-name.ts';
import { outputName } from '../attempts/output-name.ts';

/** Receives the output after known secrets are removed, because what it reads is stored too. */
type OutputListener = (stream: AttemptStream, bytes: Uint8Array) => void;

type RecordedStream = {
  readonly file: OutputFile;
  readonly push: (chunk: Uint8Array) => Promise<void> | undefined;
  readonly end: () => Promise<void>;
};

type RecordedOutput = {
  readonly dir: string;
  readonly key: CommandKey;
  readonly bytesMax: number;
  /** Null: the program is part of Supervisor and has no secrets. */
  readonly redactor: Redactor | null;
};

export class OutputRecorder implements AsyncDisposable {
  readonly #streams: Readonly<Record<AttemptStream, RecordedStream>>;

  static async open(
    { dir, key, bytesMax, redactor }: RecordedOutput,
    listener: OutputListener,
  ): Promise<OutputRecorder> {
    const openStream = async (stream: AttemptStream): Promise<RecordedStream> => {
      const file = await OutputFile.open(dir, outputName(key, stream), Math.ceil(bytesMax / 2));
      return redactor === null
        ? plainStream(file, stream, listener)
        : redactedStream(file, stream, listener, redactor);
    };
    // Both files are opened and closed concurrently: an attempt without output should cost almost no time.
    const [stdout, stderr] = await Promise.all([openStream('stdout'), openStream('stderr')]);
    return new OutputRecorder({ stdout, stderr });
  }

  private constructor(streams: Readonly<Record<AttemptStream, RecordedStream>>) {
    this.#streams = streams;
  }

  /** If it returns a promise, the caller should wait for it before the next write. */
  write(stream: AttemptStream, chunk: Uint8Array): Promise<void> | undefined {
    return this.#streams[stream].push(chunk);
  }

  /** Call it after the last write. Resolves when the listener has received everything. */
  async end(): Promise<void> {
    for (const { end } of Object.values(this.#streams)) await end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    await Promise.all(Object.values(this.#streams).map(({ file }) => file.close()));
  }
}

function plainStream(
  file: OutputFile,
  stream: AttemptStream,
  listener: OutputListener,
): RecordedStream {
  const push = (chunk: Uint8Array): Promise<void> | undefined => {
    listener(stream, chunk);
    return file.write(chunk);
  };
  return { file, push, end: async () => {} };
}

function redactedStream(
  file: OutputFile,
  stream: AttemptStream,
  listener: OutputListener,
  redactor: Redactor,
): RecordedStream {
  const redacted = new RedactedStream(
    redactor,
    (bytes) => file.write(bytes),
    (bytes) => listener(stream, bytes),
  );
  return { file, push: (chunk) => redacted.push(chunk), end: () => redacted.end() };
}
