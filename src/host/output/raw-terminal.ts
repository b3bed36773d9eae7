/**
 * The terminal of this process as a screen: raw keys in, characters out. Whatever ends the process gives the terminal
 * back: its end, an error that nothing handles, and every signal that can be handled.
 */
import { writeSync } from 'node:fs';

type ScreenStream = NodeJS.WriteStream & { readonly fd: number };

const COLUMNS = 80;
const ROWS = 24;

export class RawTerminal {
  readonly #in: NodeJS.ReadStream;
  readonly #out: ScreenStream;
  readonly #inputs: ((text: string) => void)[] = [];
  readonly #continues: (() => void)[] = [];
  #screen: { readonly enter: string; readonly leave: string } | undefined;
  #isStopped = false;

  constructor(input: NodeJS.ReadStream, output: ScreenStream) {
    this.#in = input;
    this.#out = output;
  }

  size(): { readonly columns: number; readonly rows: number } {
    return { columns: this.#out.columns || COLUMNS, rows: this.#out.rows || ROWS };
  }

  write(text: string): void {
    this.#out.write(text);
  }

  open(enter: string, leave: string): void {
    this.#screen = { enter, leave };
    process.on('exit', this.#restore);
    process.on('SIGCONT', this.#continued);
    this.#in.setEncoding('utf8').on('data', this.#read);
    this.#takeOver();
  }

  close(): void {
    this.#restore();
    this.#screen = undefined;
    process.off('exit', this.#restore);
    process.off('SIGCONT', this.#continued);
    this.#in.off('data', this.#read);
    this.#in.pause();
  }

  async suspend(): Promise<void> {
    this.#restore();
    this.#isStopped = true;
    // The whole group: a shell waits for the process that it has started, which may be above this one.
    process.kill(0, 'SIGTSTP');
    // The signal stops this process before the next turn. Without a shell to continue it, it does not stop.
    await new Promise((resolve) => setImmediate(resolve));
    this.#continued();
  }

  onInput(listener: (text: string) => void): void {
    this.#inputs.push(listener);
  }

  onResize(listener: () => void): void {
    this.#out.on('resize', listener);
  }

  onContinue(listener: () => void): void {
    this.#continues.push(listener);
  }

  readonly #read = (text: string): void => {
    for (const listener of this.#inputs) listener(text);
  };

  readonly #continued = (): void => {
    if (this.#screen === undefined) return;
    this.#isStopped = false;
    this.#takeOver();
    for (const listener of this.#continues) listener();
  };

  #takeOver(): void {
    if (this.#in.isTTY) this.#in.setRawMode(true);
    this.#in.resume();
    if (this.#screen !== undefined) this.#out.write(this.#screen.enter);
  }

  /** Writes at once: after the end of the process, nothing in a queue would be written any more. */
  readonly #restore = (): void => {
    if (this.#screen === undefined || this.#isStopped) return;
    if (this.#in.isTTY) this.#in.setRawMode(false);
    try {
      writeSync(this.#out.fd, this.#screen.leave);
    } catch {
      // The terminal is gone, so there is nothing to give back.
    }
  };
}
