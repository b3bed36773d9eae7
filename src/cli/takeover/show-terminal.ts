/** Connects the terminal of this process with the agent of a run, until the takeover is over. */
import type { Clock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import type { TakeoverEnd, TakeoverItem, TerminalSize } from '../../protocol/takeover.ts';

/** The terminal of the person, as `RawTerminal` is. */
export interface PersonScreen {
  size(): TerminalSize;
  write(text: string): void;
  /** Takes the terminal over; `leave` is written on every way out of this process. */
  open(enter: string, leave: string): void;
  close(): void;
  onInput(listener: (text: string) => void): void;
  onResize(listener: () => void): void;
}

export type ShowTerminalPorts = {
  readonly client: Client;
  readonly screen: PersonScreen;
  readonly term: string;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Called before the terminal belongs to the agent. */
  readonly onBegun: (begun: Extract<TakeoverItem, { kind: 'begun' }>) => void;
};

/** Ctrl-], twice in a row. Every other key is for the agent. */
const LEAVE_KEY = '\u001D';
const LEAVE_TIMES = 2;
/** The owner refuses more at once. */
const PIECE_CHARS_MAX = 30_000;

/**
 * Undoes what an ended program may have left. The output: held output, a scroll region, inserted or relative writing, the
 * other screen, a hidden cursor. The input: mouse reports, marked pastes, keys in an extended form, another character set, colours.
 * A new scroll region moves the cursor, so it is saved before.
 */
const RESET = [
  ...['\u001B[?2026l', '\u001B[!p', '\u001B[4l', '\u001B7', '\u001B[?6l', '\u001B[r', '\u001B8'],
  ...['\u001B[?1049l', '\u001B[?25h', '\u001B[?1000l', '\u001B[?1002l', '\u001B[?1003l'],
  ...['\u001B[?1005l', '\u001B[?1006l', '\u001B[?1015l', '\u001B[?1016l'],
  ...['\u001B[?2004l', '\u001B[?1004l', '\u001B[<u', '\u001B[>4m'],
  ...['\u001B(B', '\u001B[?7h', '\u001B[?1l', '\u001B>', '\u001B[0m', '\r\n'],
].join('');

/** The terminal may still answer a question of the program. The next prompt would take the answer for keys. */
const SETTLE_MS = 200;

/** Undefined: the person ended the command before there was a terminal. */
export async function showTerminal(
  run: string,
  { shell, joins }: { readonly shell: boolean; readonly joins: boolean },
  { client, screen, term, clock, onBegun }: ShowTerminalPorts,
  signal: AbortSignal,
): Promise<TakeoverEnd | undefined> {
  const decoder = new TextDecoder();
  const keys = new Keys((input) => client.takeover.type(run, input));
  let isOpen = false;
  try {
    const request = { ...screen.size(), term, shell, joins };
    for await (const item of client.takeover.take(run, request, signal)) {
      if (item.kind === 'ended') return item;
      if (item.kind === 'output') {
        screen.write(decoder.decode(Buffer.from(item.data, 'base64'), { stream: true }));
        continue;
      }
      onBegun(item);
      isOpen = true;
      screen.onInput((text) => keys.typed(text));
      screen.onResize(() => keys.resized(screen.size()));
      screen.open('', RESET);
    }
    return undefined;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    keys.close();
    if (isOpen) {
      await clock.sleep(SETTLE_MS, signal);
      screen.close();
    }
  }
}

type Input = Parameters<Client['takeover']['type']>[1];

/** What the person types, in order. The next piece goes out when the owner has the last one. */
class Keys {
  readonly #send: (input: Input) => Promise<void>;
  #text = '';
  #size: TerminalSize | undefined;
  #leaves = 0;
  #isSending = false;
  #isClosed = false;

  constructor(send: (input: Input) => Promise<void>) {
    this.#send = send;
  }

  typed(text: string): void {
    if (this.#isClosed) return;
    for (const key of text)
      if (this.#leaves < LEAVE_TIMES) this.#leaves = key === LEAVE_KEY ? this.#leaves + 1 : 0;
    if (this.#leaves >= LEAVE_TIMES) return this.#leave();
    this.#text += text;
    void this.#flush();
  }

  /** Waits for no key before it: a program that hangs may never take them. */
  #leave(): void {
    this.#isClosed = true;
    this.#send({ leave: true }).catch(() => {}); // the stream says how the takeover ended
  }

  resized(size: TerminalSize): void {
    this.#size = size;
    void this.#flush();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #flush(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let next = this.#next(); next !== undefined && !this.#isClosed; next = this.#next())
        await this.#send(next);
    } catch {
      // The takeover is over. The stream says how.
    } finally {
      this.#isSending = false;
    }
  }

  #next(): Input | undefined {
    if (this.#size !== undefined) {
      const size = this.#size;
      this.#size = undefined;
      return size;
    }
    if (this.#text === '') return undefined;
    const piece = this.#text.slice(0, PIECE_CHARS_MAX);
    this.#text = this.#text.slice(piece.length);
    return { data: Buffer.from(piece).toString('base64') };
  }
}
