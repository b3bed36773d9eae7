/** Holds a sandbox still for a look at what it has written. A container is paused, others are stopped by signals. */
import { pauseProcesses } from '../host/process/pause-processes.ts';
import type { ProcessReader } from '../host/process/read-process.ts';
import { readProcessTree } from '../host/process/read-process.ts';
import type { ContainerEngine } from './container-engine.ts';

export type PausedContainer = { readonly engine: ContainerEngine; readonly name: string };

export type PausedCount<T> = { readonly held: 'some' | 'all'; readonly found: T };

type HeldSandbox = {
  readonly isComplete: boolean;
  readonly release: () => Promise<void> | void;
};

export class SandboxPause {
  readonly #look: ProcessReader;
  readonly #container: PausedContainer | undefined;
  readonly #over = new AbortController();
  #looking: Promise<unknown> = Promise.resolve();

  /** `look` shows what to stop where there is no container to pause. */
  constructor(look: ProcessReader, container: PausedContainer | undefined) {
    this.#look = look;
    this.#container = container;
  }

  /** Undefined when holding has ended, or ends before the look does. */
  during<T>(look: (signal: AbortSignal) => Promise<T>): Promise<PausedCount<T> | undefined> {
    const looked = this.#during(look);
    this.#looking = looked.catch(() => undefined); // the caller of `during` gets the error
    return looked;
  }

  /** Nothing is held from now on. Resolves when everything runs again. */
  async end(): Promise<void> {
    this.#over.abort();
    await this.#looking;
  }

  async #during<T>(look: (signal: AbortSignal) => Promise<T>): Promise<PausedCount<T> | undefined> {
    if (this.#isOver()) return undefined;
    const held = await this.#hold();
    try {
      const found = await look(this.#over.signal);
      return this.#isOver() ? undefined : { held: held.isComplete ? 'all' : 'some', found };
    } finally {
      await held.release();
    }
  }

  #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  async #hold(): Promise<HeldSandbox> {
    const { signal } = this.#over;
    if (this.#container === undefined) return pauseProcesses(this.#look, signal);
    const { engine, name } = this.#container;
    if (await engine.pause(name)) return { isComplete: true, release: () => engine.unpause(name) };
    // Some engines can't pause, such as one without a group of processes for each container.
    const root = await engine.pidOf(name);
    if (root === undefined) return { isComplete: true, release: () => undefined }; // it does not run
    return pauseProcesses(readProcessTree(root), signal);
  }
}
