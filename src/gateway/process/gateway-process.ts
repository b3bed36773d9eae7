/**
 * The process of one attempt's gateway, as its owner sees it. The process unpacks, parses and forwards requests under
 * its own memory and processor limits. So nothing that an agent sends costs other runs time or memory. It ends with
 * its owner: its channel ends, and it carries the owner's tag.
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
import type { ToldMessage } from '../observe/told-messages.ts';
import { readChannelFrames } from '../channel/read-frames.ts';
import type { ProcessLimits } from './process-limits.ts';
import { commandWithin } from './process-limits.ts';

export type ProcessOptions = {
  readonly clock: Clock;
  /** The Node binary, and the file that it runs. */
  readonly node: string;
  readonly main: string;
  /** Identifies the process for the reaper and for the cleanup of the next owner. */
  readonly tag: string;
  /** Its whole environment. Keys are never passed this way. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: ProcessLimits;
  readonly bounds?: Partial<ProcessBounds>;
};

export type ProcessBounds = {
  readonly startMs: number;
  readonly closeMs: number;
  readonly pingMs: number;
  /** After this long without an answer, the process counts as hung. */
  readonly silenceMs: number;
};

const BOUNDS: ProcessBounds = {
  startMs: 60_000,
  closeMs: 15_000,
  pingMs: 5000,
  silenceMs: 60_000,
};
/** A busy agent makes a few calls a second, each with a handful of messages. */
const FRAMES_PER_SECOND = 2000;
const STDERR_CHARS_MAX = 2000;
const DRAIN_MS = 2000;

export class GatewayProcess {
  readonly #options: ProcessOptions;
  readonly #bounds: ProcessBounds;
  readonly #child: ChildProcess;
  readonly #channel: Duplex;
  readonly #side: OwnerSide;
  readonly #ended = new AbortController();
  readonly #failed = Promise.withResolvers<string>();
  readonly #exited: Promise<void>;
  #ports: ChannelPorts | undefined;
  #socket: string | undefined;
  #isClosing = false;
  #cause: string | undefined;
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
      detached: true, // so that signals from the owner's terminal do not reach it
    });
    this.#child = child;
    // If no file descriptor is left, Node starts no child and gives it no streams.
    const { stdio } = child as { readonly stdio?: ChildProcess['stdio'] };
    this.#channel = (stdio?.[3] ?? new PassThrough().end()) as Duplex;
    this.#side = new OwnerSide(
      () => this.#ports,
      (message) => this.#send(message),
    );
    this.#channel.on('error', () => {}); // the exit of the process is reported with more detail
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
        // Messages from before the exit may still be in the pipe, for example the settlement of a call.
        void this.#within(reading, DRAIN_MS).finally(() => {
          this.#end(this.#describeExit(code, signal));
          this.#channel.destroy();
          child.stderr?.destroy();
          // If the group cannot be removed now, the next owner's cleanup removes it.
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

  /** Resolves with the cause if the process ends without being closed. */
  get failed(): Promise<string> {
    return this.#failed.promise;
  }

  /** Resolves with null when the process has loaded its code, or with the cause if it failed before. */
  async ready(): Promise<string | null> {
    return this.#valueOrFailure(
      this.#side.ready.promise.then(() => null),
      this.#bounds.startMs,
    );
  }

  /** Resolves with null when the process listens, or with the cause if it does not. */
  async start(terms: GatewayTerms, ports: ChannelPorts): Promise<string | null> {
    this.#ports = ports;
    this.#socket = terms.socket;
    this.#send({ kind: 'start', terms });
    const failure = await this.#valueOrFailure(this.#side.listening.promise, this.#bounds.startMs);
    if (failure === null) void this.#watch();
    return failure;
  }

  /** The gateway looks for the message in requests, and inserts it if it has a text. */
  tell(message: ToldMessage): void {
    this.#send({ kind: 'tell', message });
  }

  /** The gateway no longer looks for the message, and does not insert it any more. */
  withdraw(id: string): void {
    this.#send({ kind: 'withdraw', id });
  }

  /** Ends every call. Resolves when the process has exited, with its last report. */
  async close(): Promise<ChannelClosed> {
    const { closeMs } = this.#bounds;
    this.#isClosing = true;
    this.#send({ kind: 'close' });
    const closed: { value: ChannelClosed | undefined } = { value: undefined };
    const reported = this.#side.closed.promise.then((value) => {
      closed.value = value;
      return null;
    });
    const failure = await this.#valueOrFailure(reported, closeMs);
    this.#channel.end();
    if (failure !== null || (await this.#within(this.#exited, closeMs)) === 'late')
      await this.kill();
    if (this.#socket !== undefined) rmSync(this.#socket, { force: true });
    return closed.value ?? { recorded: null, defect: failure ?? 'it ended without a report' };
  }

  /** Kills the process. Resolves when it has exited. */
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
      // An error of the channel itself is followed by the exit of the process, which is reported with more detail.
      if (this.#ended.signal.aborted || error === this.#channel.errored) return;
      this.#cause ??= describeError(error);
      this.#child.kill('SIGKILL');
    }
  }

  /** Kills a process that hangs. Otherwise its attempt would wait for as long as the agent's CLI waits. */
  async #watch(): Promise<void> {
    const { clock } = this.#options;
    const { pingMs, silenceMs } = this.#bounds;
    let answeredMs = clock.elapsedMs();
    for (let nonce = 1; await clock.sleep(pingMs, this.#ended.signal); nonce += 1) {
      if (this.#side.lastNonce === nonce - 1) answeredMs = clock.elapsedMs();
      if (clock.elapsedMs() - answeredMs >= silenceMs) {
        this.#cause ??= `it has not answered for ${Math.round(silenceMs / 1000)} s`;
        return this.kill();
      }
      this.#send({ kind: 'ping', nonce });
    }
  }

  #end(cause: string): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    this.#side.end();
    if (!this.#isClosing) this.#failed.resolve(this.#cause ?? cause);
  }

  #describeExit(code: number | null, signal: string | null): string {
    const errorLine = this.#stderr.split('\n').find((line) => /FATAL ERROR|Error:/.test(line));
    const how = signal === null ? `ended with code ${code ?? 0}` : `was ended by ${signal}`;
    return errorLine === undefined ? `it ${how}` : `it ${how}: ${errorLine.trim()}`;
  }

  /** The value, or the cause if the process exits first or the time is up. */
  async #valueOrFailure(value: Promise<string | null>, ms: number): Promise<string | null> {
    const exited = this.#exited.then(
      () => this.#cause ?? this.#describeExit(this.#child.exitCode, this.#child.signalCode),
    );
    const answer = await this.#within(Promise.race([value, exited]), ms);
    return answer === 'late' ? `it has not answered for ${Math.round(ms / 1000)} s` : answer;
  }

  async #within<Value>(value: Promise<Value>, ms: number): Promise<Value | 'late'> {
    const done = new AbortController();
    const late = this.#options.clock.sleep(ms, done.signal).then(() => 'late' as const);
    try {
      return await Promise.race([value, late]);
    } finally {
      done.abort();
    }
  }
}
