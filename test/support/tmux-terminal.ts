/** A shell in tmux: a terminal of a given size, which a test types into and reads. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

const WITHIN_MS = 180_000;
/** Each look starts a process, so looks are not as frequent as in other tests. */
const LOOK_EVERY_MS = 100;
const HISTORY_LINES_MAX = 10_000;

export type TerminalSize = { readonly columns: number; readonly rows: number };

type TerminalOptions = TerminalSize & {
  readonly socket: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

const run = promisify(execFile);

export class TmuxTerminal implements AsyncDisposable {
  readonly #socket: string;

  private constructor(socket: string) {
    this.#socket = socket;
  }

  /** Bash with no settings of this machine. */
  static async open(options: TerminalOptions): Promise<TmuxTerminal> {
    const { socket, cwd, env, columns, rows } = options;
    const terminal = new TmuxTerminal(socket);
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    await terminal.#tmux(
      ...['-f', '/dev/null', 'start-server', ';'],
      ...['set-option', '-g', 'history-limit', String(HISTORY_LINES_MAX), ';'],
      ...['set-option', '-g', 'status', 'off', ';'],
      ...['new-session', '-d', '-x', String(columns), '-y', String(rows), '-c', cwd],
      ...['env', '-i', 'TERM=screen-256color', ...variables],
      ...['bash', '--noprofile', '--norc'],
    );
    return terminal;
  }

  async type(text: string): Promise<void> {
    await this.#tmux('send-keys', '-l', text);
  }

  /** Presses keys by the names that tmux has for them, such as `Enter` and `Down`. */
  async press(...keys: readonly string[]): Promise<void> {
    await this.#tmux('send-keys', ...keys);
  }

  /** What is on the screen now. */
  async screen(): Promise<readonly string[]> {
    return (await this.#tmux('capture-pane', '-p')).trimEnd().split('\n');
  }

  async resize({ columns, rows }: TerminalSize): Promise<void> {
    await this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** All lines since the start, those that scrolled away included, without spaces at their ends. */
  async lines(): Promise<readonly string[]> {
    const text = await this.#tmux('capture-pane', '-p', '-S', '-');
    return text.trimEnd().split('\n');
  }

  /** Waits until the lines are as wanted, and returns them. */
  async until(
    what: string,
    isWanted: (lines: readonly string[]) => boolean,
  ): Promise<readonly string[]> {
    const deadline = performance.now() + WITHIN_MS;
    for (;;) {
      const lines = await this.lines();
      if (isWanted(lines)) return lines;
      if (performance.now() > deadline)
        assert.fail(`the terminal never showed ${what}, but:\n${lines.join('\n')}`);
      await setTimeout(LOOK_EVERY_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux('kill-server');
  }

  async #tmux(...args: readonly string[]): Promise<string> {
    const { stdout } = await run('tmux', ['-S', this.#socket, ...args]);
    return stdout;
  }
}
