/**
 * The loop of `supervisor top`: keys and news of the owner change one state, and the state is drawn. What the state wants
 * to know is fetched, and what a key asks for is sent. A lost owner greys the screen, and the stream continues where it
 * broke off, so no event is lost.
 */
import type { Clock } from '../base/clock.ts';
import { describeError, Refusal } from '../base/errors.ts';
import { parseDiff } from '../base/parse-diff.ts';
import { foldBoard, withOpenRun, withoutTail } from '../protocol/views/board-state.ts';
import { describeLeftOut } from '../protocol/words/left-out-files.ts';
import { draw, titleOf } from './draw.ts';
import type { Effect, Request } from './effect.ts';
import { ENTER, frameUpdate, LEAVE, spokenUpdate } from './frame.ts';
import { KeyReader } from './key-reader.ts';
import type { Look } from './look.ts';
import { press } from './press.ts';
import type { ScreenPort } from './screen-port.ts';
import { send } from './send.ts';
import type { TopClient } from './send.ts';
import type { Change, KeyStep, TopState } from './top-state.ts';
import { initialState, questionOf, shown } from './top-state.ts';
import { wantsOf } from './wants.ts';

export type TopPorts = {
  readonly screen: ScreenPort;
  readonly clock: Clock;
  readonly look: Look;
  readonly factText: TopState['factText'];
  /** Resolves with the client of the owner, which stays the same over several owners. */
  readonly connect: () => Promise<TopClient>;
  /** After the owner is gone: resolves when it may be asked again. */
  readonly rejoin: () => Promise<boolean>;
};

/** What happens within this time is drawn once. */
const FRAME_MS = 30;
const TICK_MS = 1000;
/** A key of its own, unless the rest of a sequence follows within this time. */
const ESCAPE_MS = 40;
const RETRY_MS = [250, 500, 1000, 2000, 4000] as const;

/** Resolves with the exit code, after the terminal has been given back. */
export async function runTop(ports: TopPorts, ended: AbortSignal): Promise<number> {
  const top = new Top(ports);
  return top.run(ended);
}

class Top {
  readonly #ports: TopPorts;
  readonly #over = new AbortController();
  readonly #keys = new KeyReader();
  #state: TopState;
  #client: TopClient | undefined;
  #drawn: readonly string[] | null = null;
  #title = '';
  #isDrawing = false;
  #code = 0;
  #wanted = { follow: null, why: null, change: null, tree: false } as ReturnType<typeof wantsOf>;
  #follow = new AbortController();
  #treeFollow: AbortController | undefined;

  constructor(ports: TopPorts) {
    this.#ports = ports;
    const { columns, rows } = ports.screen.size();
    this.#state = initialState(columns, rows, ports.factText);
  }

  async run(ended: AbortSignal): Promise<number> {
    const { screen, look } = this.#ports;
    ended.addEventListener('abort', () => this.#over.abort(), { once: true });
    screen.onInput((text) => this.#read(text));
    screen.onResize(() => this.#resized());
    screen.onContinue(() => this.#resized());
    screen.open(look.isPlain ? '' : ENTER, look.isPlain ? '' : LEAVE);
    try {
      this.#drawNow();
      const following = this.#followBoard();
      if (!look.isPlain) void this.#tick();
      await new Promise<void>((resolve) => {
        if (this.#over.signal.aborted) resolve();
        else this.#over.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      this.#follow.abort();
      this.#treeFollow?.abort();
      // A connection that is not there yet may take as long as the start of an owner.
      if (this.#client !== undefined) await following;
      return this.#code;
    } finally {
      if (this.#title !== '') screen.write('\u001B[23;0t');
      screen.close();
    }
  }

  #change(next: TopState): void {
    this.#state = next;
    this.#fetch();
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    void this.#drawSoon();
  }

  async #drawSoon(): Promise<void> {
    await this.#ports.clock.sleep(FRAME_MS, this.#over.signal);
    this.#isDrawing = false;
    if (!this.#over.signal.aborted) this.#drawNow();
  }

  #drawNow(): void {
    const { screen, look, clock } = this.#ports;
    this.#state = { ...this.#state, now: clock.now() + this.#state.board.aheadMs };
    const lines = draw(this.#state, look);
    const update = look.isPlain
      ? spokenUpdate(this.#drawn, lines)
      : frameUpdate(this.#drawn, lines);
    this.#drawn = lines;
    if (update !== '') screen.write(update);
    const title = titleOf(this.#state);
    if (look.isPlain || title === this.#title) return;
    screen.write(`${this.#title === '' ? '\u001B[22;0t' : ''}\u001B]0;${title}\u0007`);
    this.#title = title;
  }

  async #tick(): Promise<void> {
    while (await this.#ports.clock.sleep(TICK_MS, this.#over.signal)) this.#change(this.#state);
  }

  #resized(): void {
    this.#drawn = null;
    this.#change({ ...this.#state, ...this.#ports.screen.size() });
  }

  #read(text: string): void {
    for (const key of this.#keys.read(text)) this.#take(press(this.#state, key));
    if (this.#keys.isOpen) void this.#flushKeys();
  }

  async #flushKeys(): Promise<void> {
    await this.#ports.clock.sleep(ESCAPE_MS, this.#over.signal);
    for (const key of this.#keys.flush()) this.#take(press(this.#state, key));
  }

  #take({ state, effects }: KeyStep): void {
    this.#change(state);
    for (const effect of effects) void this.#perform(effect);
  }

  async #perform(effect: Effect): Promise<void> {
    if (effect.kind === 'quit') {
      this.#code = effect.code;
      this.#over.abort();
    } else if (effect.kind === 'suspend') await this.#ports.screen.suspend();
    else if (effect.kind === 'redraw') this.#resized();
    else await this.#send(effect);
  }

  async #send(request: Request): Promise<void> {
    const { command } = request;
    if (this.#client === undefined || this.#state.link.kind !== 'live')
      return this.#tell(`Not sent, because no owner is connected: ${command}`, true);
    this.#tell(`$ ${command}`, false);
    try {
      const said = await send(this.#client, request);
      this.#tell(said ?? `Done: ${command}`, false);
    } catch (error) {
      this.#tell(describe(error), true);
      // The work may have moved, and then the person has to see the new change.
      if (request.kind === 'decide') this.#change({ ...this.#state, change: null });
    }
  }

  #tell(text: string, isProblem: boolean): void {
    this.#change({ ...this.#state, notice: { text, isProblem } });
  }

  async #followBoard(): Promise<void> {
    const { clock, connect } = this.#ports;
    const { signal } = this.#over;
    for (let tries = 0; !isOver(signal);) {
      try {
        this.#client ??= await connect();
        if (isOver(signal)) return;
        await this.#followOnce(this.#client, () => (tries = 0));
      } catch (error) {
        if (isOver(signal)) return;
        if (isOver(this.#follow.signal)) continue; // another run is followed now
        this.#change({ ...this.#state, link: { kind: 'lost', why: reasonOf(error) } });
        await this.#waitForOwner(signal);
        await clock.sleep(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] ?? 0, signal);
        tries += 1;
      }
    }
  }

  /** An owner that a person stopped stays so until a person starts the next one. */
  async #waitForOwner(signal: AbortSignal): Promise<void> {
    const { clock, rejoin } = this.#ports;
    while (!(await rejoin().catch(() => true)) && !isOver(signal)) {
      this.#change({ ...this.#state, link: { kind: 'lost', why: 'it was stopped' } });
      await clock.sleep(TICK_MS, signal);
    }
  }

  /** Resolves when another run is to be followed. */
  async #followOnce(client: TopClient, onLive: () => void): Promise<void> {
    this.#follow = new AbortController();
    const { signal } = this.#follow;
    const { board } = this.#state;
    const seq = board.open?.events.at(-1)?.seq ?? 0;
    const run = board.open === null ? {} : { run: board.open.id };
    this.#state = { ...this.#state, board: withoutTail(board) };
    this.#restartTree(client);
    for await (const item of client.machine.followBoard(
      { after: board.upTo, seq, ...run },
      signal,
    )) {
      if (isOver(signal)) return;
      onLive();
      const next = foldBoard(this.#state.board, item, this.#ports.clock.now());
      this.#change({ ...this.#state, board: next, link: { kind: 'live' } });
    }
  }

  /** Fetches what the screen shows and the state does not have. */
  #fetch(): void {
    const before = this.#wanted;
    const wanted = wantsOf(this.#state);
    this.#wanted = wanted;
    if (wanted.follow !== before.follow) {
      this.#state = { ...this.#state, board: withOpenRun(this.#state.board, wanted.follow) };
      this.#follow.abort();
    }
    const client = this.#client;
    if (client === undefined) return;
    if (wanted.tree !== before.tree) this.#restartTree(client);
    if (wanted.why !== null && wanted.why !== before.why) void this.#fetchWhy(client, wanted.why);
    if (wanted.change !== null && wanted.change !== before.change) void this.#fetchChange(client);
  }

  async #fetchWhy(client: TopClient, wanted: string): Promise<void> {
    const [run = ''] = wanted.split(' ');
    const why = await client.why(run).catch(() => undefined); // the next fact asks again
    if (why !== undefined) this.#change({ ...this.#state, why });
  }

  async #fetchChange(client: TopClient): Promise<void> {
    const screen = shown(this.#state);
    if (screen.kind !== 'review') return;
    const { run } = screen;
    const approval = questionOf(this.#state, run)?.approval;
    const change: Change = await client.diff(run).then(
      (diff) => {
        const files = parseDiff(diff.text);
        return {
          run,
          approval,
          files,
          leftOut: describeLeftOut(run, diff, files.length),
          problem: null,
        };
      },
      (error: unknown) => ({ run, approval, files: [], leftOut: null, problem: describe(error) }),
    );
    this.#change({ ...this.#state, change });
  }

  #restartTree(client: TopClient): void {
    this.#treeFollow?.abort();
    this.#treeFollow = undefined;
    if (!this.#wanted.tree) return;
    const following = new AbortController();
    this.#treeFollow = following;
    void this.#followTree(client, following.signal);
  }

  async #followTree(client: TopClient, signal: AbortSignal): Promise<void> {
    try {
      for await (const tree of client.machine.followTree(signal)) {
        if (isOver(signal)) return;
        this.#change({ ...this.#state, tree });
      }
    } catch (error) {
      // The board notices a lost owner too, and starts this again with the next one.
      if (!isOver(signal) && !(error instanceof Refusal)) throw error;
    }
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Refusal)) return describeError(error);
  const { message, hint } = error.data;
  return hint === undefined ? message : `${message} ${hint}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Refusal && error.data.code === 'owner.closing'
    ? 'it was stopped'
    : 'reconnecting …';
}

/** A function, because the value changes while the loop waits, and the compiler would assume that it does not. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
