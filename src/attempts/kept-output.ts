/** What an agent prints, kept in bounded files, without secrets. */
import type { CommandKey } from '../base/ids.ts';
import { OutputFile } from '../host/output-file.ts';
import { KeptStream } from '../redaction/kept-stream.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { OutputStream } from './attempt.ts';
import { outputName } from './attempt.ts';

type Way = { readonly file: OutputFile; readonly stream: KeptStream | null };

export class KeptOutput implements AsyncDisposable {
  readonly #ways: Readonly<Record<OutputStream, Way>>;

  /** `redactor` null: the program is ours, and nobody has told it a secret. */
  static async open(
    dir: string,
    key: CommandKey,
    bytesMax: number,
    redactor: Redactor | null,
  ): Promise<KeptOutput> {
    const halfBytes = Math.ceil(bytesMax / 2);
    const way = async (stream: OutputStream): Promise<Way> => {
      const file = await OutputFile.open(dir, outputName(key, stream), halfBytes);
      const clean = redactor && new KeptStream(redactor, (bytes) => file.write(bytes));
      return { file, stream: clean };
    };
    return new KeptOutput({ stdout: await way('stdout'), stderr: await way('stderr') });
  }

  private constructor(ways: Readonly<Record<OutputStream, Way>>) {
    this.#ways = ways;
  }

  /** Returns a promise when the caller had better wait. */
  write(name: OutputStream, chunk: Uint8Array): Promise<void> | undefined {
    const { file, stream } = this.#ways[name];
    return stream === null ? file.write(chunk) : stream.push(chunk);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { file, stream } of Object.values(this.#ways)) {
      await stream?.end();
      await file.close();
    }
  }
}
