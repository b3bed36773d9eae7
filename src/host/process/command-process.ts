/**
 * A small process that starts commands for this one. To start a process, the operating system copies the memory tables
 * of the process that starts it. If that one is large, this takes tens of milliseconds, and its event loop stands still.
 * The small process ends with this one: its channel closes, and it has the tag of the owner.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FromCommandProcess, ToCommandProcess } from './command-process-messages.ts';
import { killTagged } from './kill-tagged.ts';
import type { GroupOptions, HostCommand, HostExit } from './process-group.ts';
import { checkTag, TAG_VARIABLE } from './process-table.ts';

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const PROGRAM = fileURLToPath(new URL(`command-process-main.${extension}`, import.meta.url));

/** How a command was started does not matter to its caller. */
export type StartedCommand = {
  /** Resolves when the command has ended, its output has been delivered, and no survivors are left. */
  readonly ended: Promise<HostExit>;
  /** Kills it with all its descendants. Resolves when everything has ended. */
  kill(): Promise<void>;
};

export type CommandOptions = Pick<
  GroupOptions,
  'tag' | 'clock' | 'onStdout' | 'onStderr' | 'keepSurvivors'
> & {
  /** More output than this is not delivered. */
  readonly outputBytesMax: number;
};

type OpenCommand = {
  readonly options: CommandOptions;
  readonly end: (exit: HostExit) => void;
};

export class CommandProcess {
  readonly #child: ChildProcess;
  readonly #open = new Map<number, OpenCommand>();
  readonly #gone = Promise.withResolvers<void>();
  #state: 'starting' | 'ready' | 'gone' = 'starting';
  #started = 0;

  /** `node`: the Node executable. */
  constructor({ node, tag }: { readonly node: string; readonly tag: string }) {
    checkTag(tag);
    this.#child = spawn(node, [PROGRAM], {
      cwd: '/',
      env: { [TAG_VARIABLE]: tag },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      detached: true, // so that signals from the owner's terminal do not reach it
    });
    this.#child.on('message', (message) => this.#receive(message as FromCommandProcess));
    this.#child.once('exit', () => this.#end());
    this.#child.on('error', () => this.#end()); // it could not be started, or a message could not be sent
    this.#child.unref();
    this.#child.channel?.unref();
  }

  get state(): 'starting' | 'ready' | 'gone' {
    return this.#state;
  }

  /** Call it only while the state is `ready`. */
  start(command: HostCommand, options: CommandOptions): StartedCommand {
    const id = (this.#started += 1);
    const { tag, outputBytesMax, keepSurvivors = false } = options;
    const { promise, resolve } = Promise.withResolvers<HostExit>();
    this.#open.set(id, { options, end: resolve });
    this.#child.channel?.ref();
    this.#send({ kind: 'start', id, command, tag, outputBytesMax, keepSurvivors });
    return {
      ended: promise,
      kill: async () => {
        this.#send({ kind: 'kill', id });
        await promise;
      },
    };
  }

  /** Its commands are killed. */
  async close(): Promise<void> {
    if (this.#state === 'gone') return;
    this.#child.ref();
    if (this.#child.connected) this.#child.disconnect();
    await this.#gone.promise;
  }

  #send(message: ToCommandProcess): void {
    if (this.#child.connected) this.#child.send(message, () => {}); // `exit` follows if it can't be sent
  }

  #receive(message: FromCommandProcess): void {
    if (message.kind === 'ready') {
      this.#state = 'ready';
      return;
    }
    const open = this.#open.get(message.id);
    if (open === undefined) return;
    if (message.kind === 'output') {
      const { onStdout, onStderr } = open.options;
      void (message.stream === 'stdout' ? onStdout : onStderr)?.(message.chunk);
      return;
    }
    this.#close(message.id, message.exit);
  }

  #close(id: number, exit: HostExit): void {
    this.#open.get(id)?.end(exit);
    this.#open.delete(id);
    if (this.#open.size === 0) this.#child.channel?.unref();
  }

  /** Nothing is known about the ends of its open commands, so they are killed. */
  #end(): void {
    if (this.#state === 'gone') return;
    this.#state = 'gone';
    const killed = [...this.#open].map(async ([id, { options }]) => {
      await killTagged(options.tag);
      this.#close(id, { kind: 'signal', signal: 'SIGKILL' });
    });
    void Promise.allSettled(killed).then(() => this.#gone.resolve());
  }
}
