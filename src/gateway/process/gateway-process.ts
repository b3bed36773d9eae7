/**
 * The process of one attempt's gateway, as its owner sees it. Requests are unpacked, parsed and passed
 * on over there, below limits on memory and processor of its own, so that nothing an agent sends costs
 * others time or memory. It ends with its owner: its channel ends, and it carries the owner's tag.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import { removeCgroup } from '../../host/process/cgroup.ts';
import { checkTag, TAG_VARIABLE } from '../../host/process/process-table.ts';
import { encodeMessage } from '../channel/frames.ts';
import type { GatewayTerms, ToGateway } from '../channel/messages.ts';
import { FRAME_BYTES_MAX } from '../channel/messages.ts';
import type { ChannelClosed, ChannelPorts } from '../channel/owner-side.ts';
import { OwnerSide } from '../channel/owner-side.ts';
import { readChannelFrames } from '../channel/read-frames.ts';
import type { ProcessLimits } from './process-limits.ts';
import { commandWithin } from './process-limits.ts';

export type ProcessOptions = {
  readonly clock: Clock;
  /** The Node that runs it, and the file that it runs. */
  readonly node: string;
  readonly main: string;
  /** Names it for the reaper and for the next owner's sweep. */
  readonly tag: string;
  /** All of its environment. Keys never go this way. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ProcessLimits;
  readonly bounds?: Partial<ProcessBounds>;
};

export type ProcessBounds = {
  readonly startMs: number;
  readonly closeMs: number;
  readonly pingMs: number;
  /** A process that has not answered for so long hangs. */
  readonly silenceMs: number;
};

const BOUNDS: ProcessBounds = {
  startMs: 60_000,
  closeMs: 15_000,
  pingMs: 5000,
  silenceMs: 60_000,
};
/** Some calls a second, each with a handful of messages, are a busy agent. */
const FRAMES_PER_SECOND = 2000;
const STDERR_CHARS_MAX = 2000;
const DRAIN_MS = 2000;

export class GatewayProcess {
  readonly #options: ProcessOptions;
  readonly #bounds: ProcessBounds;
  readonly #child: ChildProcess;
  readonly #channel: Duplex;
  readonly #side: OwnerSide;
  readonly #over = new AbortController();
  readonly #failed = Promise.withResolvers<string>();
  readonly #exited: Promise<void>;
  #ports: ChannelPorts | undefined;
  #socket: string | undefined;
  #isClosing = false;
  #why: string | undefined;
  #stderr = '';

  constructor(options: ProcessOptions) {
    checkTag(options.tag);
    this.#options = options;
    this.#bounds = { ...BOUNDS, ...options.bounds };
    const [file, ...args] = commandWithin(options.limits, options.node, [options.main]);
    const child = spawn(file, args, {
      cwd: '/',
      env: { ...options.env, [TAG_VARIABLE]: options.tag },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      detached: true, // what a terminal sends to its owner is not meant for it
    });
    this.#child = child;
    // Node gives no streams to a child that could not be started for want of file handles.
    const { stdio } = child as { readonly stdio?: ChildProcess['stdio'] };
    this.#channel = (stdio?.[3] ?? new PassThrough().end()) as Duplex;
    this.#side = new OwnerSide(
      () => this.#ports,
      (message) => this.#send(message),
    );
    this.#channel.on('error', () => {}); // the exit of the process says more
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-STDERR_CHARS_MAX);
    });
    const reading = this.#read();
    this.#exited = new Promise((resolve) => {
      child.once('error', (error) => {
        if (child.pid !== undefined) return;
        this.#end(`it could not be started: ${error.message}`);
        resolve();
      });
      child.once('exit', (code, signal) => {
        // What it said before its end may still be on its way: a call that it settled, say.
        void this.#within(reading, DRAIN_MS).finally(() => {
          this.#end(this.#causeOf(code, signal));
          this.#channel.destroy();
          child.stderr?.destroy();
          // What cannot be removed now is removed by the next owner's sweep.
          void removeCgroup(options.limits.group)
            .catch(() => undefined)
            .finally(resolve);
        });
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get limits(): ProcessLimits {
    return this.#options.limits;
  }

  /** Resolves with the cause when it ends although it was not closed. */
  get failed(): Promise<string> {
    return this.#failed.promise;
  }

  /** Resolves when it has loaded its code; with the cause when it did not get that far. */
  async ready(): Promise<string | null> {
    return this.#first(
      this.#side.ready.promise.then(() => null),
      this.#bounds.startMs,
    );
  }

  /** Resolves when it listens; with the cause when it does not. */
  async start(terms: GatewayTerms, ports: ChannelPorts): Promise<string | null> {
    this.#ports = ports;
    this.#socket = terms.socket;
    this.#send({ kind: 'start', terms });
    const failure = await this.#first(this.#side.listening.promise, this.#bounds.startMs);
    if (failure === null) void this.#watch();
    return failure;
  }

  /** Ends every call. Resolves when the process is gone, with what it said at its end. */
  async close(): Promise<ChannelClosed> {
    const { closeMs } = this.#bounds;
    this.#isClosing = true;
    this.#send({ kind: 'close' });
    const closed: { value: ChannelClosed | undefined } = { value: undefined };
    const said = this.#side.closed.promise.then((value) => {
      closed.value = value;
      return null;
    });
    const late = await this.#first(said, closeMs);
    this.#channel.end();
    if (late !== null || (await this.#within(this.#exited, closeMs)) === 'late') await this.kill();
    if (this.#socket !== undefined) rmSync(this.#socket, { force: true });
    return closed.value ?? { recorded: null, defect: late ?? 'it ended without a word' };
  }

  /** Ends it at once. Resolves when it is gone. */
  async kill(): Promise<void> {
    const { pid } = this.#child;
    if (pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null)
      this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #send(message: ToGateway): void {
    if (this.#channel.writable) this.#channel.write(encodeMessage(message));
  }

  async #read(): Promise<void> {
    const { clock } = this.#options;
    const pace = { clock, framesMax: FRAMES_PER_SECOND };
    try {
      await readChannelFrames(this.#channel, { bytesMax: FRAME_BYTES_MAX.toOwner, pace }, (frame) =>
        this.#side.take(frame),
      );
    } catch (error) {
      // An error of the channel itself is followed by the exit of the process, which says more.
      if (this.#over.signal.aborted || error === this.#channel.errored) return;
      this.#why ??= describeError(error);
      this.#child.kill('SIGKILL');
    }
  }

  /** A process that hangs would hold up its attempt for as long as its agent has patience. */
  async #watch(): Promise<void> {
    const { clock } = this.#options;
    const { pingMs, silenceMs } = this.#bounds;
    let heardMs = clock.elapsedMs();
    for (let nonce = 1; await clock.sleep(pingMs, this.#over.signal); nonce += 1) {
      if (this.#side.lastNonce === nonce - 1) heardMs = clock.elapsedMs();
      if (clock.elapsedMs() - heardMs >= silenceMs) {
        this.#why ??= `it has not answered for ${Math.round(silenceMs / 1000)} s`;
        return this.kill();
      }
      this.#send({ kind: 'ping', nonce });
    }
  }

  #end(cause: string): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#side.end();
    if (!this.#isClosing) this.#failed.resolve(this.#why ?? cause);
  }

  #causeOf(code: number | null, signal: string | null): string {
    const words = this.#stderr.split('\n').find((line) => /FATAL ERROR|Error:/.test(line));
    const how = signal === null ? `ended with code ${code ?? 0}` : `was ended by ${signal}`;
    return words === undefined ? `it ${how}` : `it ${how}: ${words.trim()}`;
  }

  /** The first value, or the cause when the process ends before, or the time is up. */
  async #first(value: Promise<string | null>, ms: number): Promise<string | null> {
    const gone = this.#exited.then(
      () => this.#why ?? this.#causeOf(this.#child.exitCode, this.#child.signalCode),
    );
    const answer = await this.#within(Promise.race([value, gone]), ms);
    return answer === 'late' ? `it has not answered for ${Math.round(ms / 1000)} s` : answer;
  }

  async #within<Value>(value: Promise<Value>, ms: number): Promise<Value | 'late'> {
    const over = new AbortController();
    const late = this.#options.clock.sleep(ms, over.signal).then(() => 'late' as const);
    try {
      return await Promise.race([value, late]);
    } finally {
      over.abort();
    }
  }
}
