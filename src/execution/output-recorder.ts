/** What an agent prints, kept in bounded files, without secrets. */
import type { CommandKey } from '../base/ids.ts';
import { OutputFile } from '../host/output/output-file.ts';
import { RedactedStream } from '../redaction/redact-stream.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { AttemptStream } from '../attempts/output-name.ts';
import { outputName } from '../attempts/output-name.ts';

/** Listens to what is printed: what it makes of it is kept too, so it does not hear known secrets. */
type Ear = (stream: AttemptStream, bytes: Uint8Array) => void;

type Way = {
  readonly file: OutputFile;
  readonly push: (chunk: Uint8Array) => Promise<void> | undefined;
  readonly end: () => Promise<void>;
};

export class OutputRecorder implements AsyncDisposable {
  readonly #ways: Readonly<Record<AttemptStream, Way>>;

  /** `redactor` null: the program is part of Supervisor and has no secrets. */
  static async open(
    dir: string,
    key: CommandKey,
    bytesMax: number,
    redactor: Redactor | null,
    ear: Ear,
  ): Promise<OutputRecorder> {
    const way = async (stream: AttemptStream): Promise<Way> => {
      const file = await OutputFile.open(dir, outputName(key, stream), Math.ceil(bytesMax / 2));
      return redactor === null ? plain(file, stream, ear) : clean(file, stream, ear, redactor);
    };
    // Side by side, here and at the end: an attempt that says nothing should cost next to nothing.
    const [stdout, stderr] = await Promise.all([way('stdout'), way('stderr')]);
    return new OutputRecorder({ stdout, stderr });
  }

  private constructor(ways: Readonly<Record<AttemptStream, Way>>) {
    this.#ways = ways;
  }

  /** Returns a promise when the caller had better wait. */
  write(stream: AttemptStream, chunk: Uint8Array): Promise<void> | undefined {
    return this.#ways[stream].push(chunk);
  }

  /** No more will come. Resolves when everything has been heard. */
  async end(): Promise<void> {
    for (const { end } of Object.values(this.#ways)) await end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    await Promise.all(Object.values(this.#ways).map(({ file }) => file.close()));
  }
}

function plain(file: OutputFile, stream: AttemptStream, ear: Ear): Way {
  const push = (chunk: Uint8Array): Promise<void> | undefined => {
    ear(stream, chunk);
    return file.write(chunk);
  };
  return { file, push, end: async () => {} };
}

function clean(file: OutputFile, stream: AttemptStream, ear: Ear, redactor: Redactor): Way {
  const kept = new RedactedStream(
    redactor,
    (bytes) => file.write(bytes),
    (bytes) => ear(stream, bytes),
  );
  return { file, push: (chunk) => kept.push(chunk), end: () => kept.end() };
}
