/**
 * Starts commands that only have to answer, such as git. An owner that runs many of them at once starts them in a
 * process apart.
 */
import type { CommandOptions, StartedCommand } from './command-process.ts';
import { CommandProcess } from './command-process.ts';
import type { HostCommand } from './process-group.ts';
import { ProcessGroup } from './process-group.ts';
import { processStarts } from './process-starts.ts';

/** One run has a few commands at a time. A process apart pays off only beyond that. */
const RUNNING_MAX = 4;
/** A process that ends again and again would only delay commands. */
const STARTS_MAX = 3;

/** Who starts it, so that it ends with that owner. */
export type CommandProcessOptions = { readonly node: string; readonly tag: string };

class CommandsApart {
  readonly #options: CommandProcessOptions;
  #process: CommandProcess | undefined;
  #starts = 0;

  constructor(options: CommandProcessOptions) {
    this.#options = options;
  }

  /** Undefined: there is none yet. `running` commands are under way here. */
  ready(running: number): CommandProcess | undefined {
    if (this.#process?.state === 'ready') return this.#process;
    const canStart = this.#process === undefined || this.#process.state === 'gone';
    if (canStart && running >= RUNNING_MAX && this.#starts < STARTS_MAX) {
      this.#starts += 1;
      this.#process = new CommandProcess(this.#options);
    }
    return undefined;
  }

  async close(): Promise<void> {
    await this.#process?.close();
  }
}

let apart: CommandsApart | undefined;
let running = 0;

/** From now on, many commands at once are started in a process apart, until the returned function is called. */
export function startCommandsApart(options: CommandProcessOptions): () => Promise<void> {
  const mine = new CommandsApart(options);
  apart = mine;
  return async () => {
    if (apart === mine) apart = undefined;
    await mine.close();
  };
}

export async function startCommand(
  command: HostCommand,
  options: CommandOptions,
): Promise<StartedCommand> {
  running += 1;
  const ended = (): void => void (running -= 1);
  try {
    const started =
      apart?.ready(running)?.start(command, options) ??
      (await processStarts.run(() => new ProcessGroup(command, options)));
    started.ended.then(ended, ended);
    return started;
  } catch (error) {
    ended();
    throw error; // only the count is corrected here
  }
}
