/**
 * Pauses a sandbox while its files are counted. A container is paused by its engine; other processes are stopped by
 * signals.
 */
import { pauseProcesses } from '../host/process/pause-processes.ts';
import type { ProcessReader } from '../host/process/read-process.ts';
import { readProcessTree } from '../host/process/read-process.ts';
import type { ContainerEngine } from './container-engine.ts';

export type PausedContainer = { readonly engine: ContainerEngine; readonly name: string };

export type PausedCount<T> = { readonly held: 'some' | 'all'; readonly found: T };

type PausedSandbox = {
  readonly isComplete: boolean;
  readonly release: () => Promise<void> | void;
};

export class SandboxPause {
  readonly #readProcesses: ProcessReader;
  readonly #container: PausedContainer | undefined;
  readonly #ended = new AbortController();
  #counting: Promise<unknown> = Promise.resolve();

  /** `readProcesses` lists the processes to stop if there is no container to pause. */
  constructor(readProcesses: ProcessReader, container: PausedContainer | undefined) {
    this.#readProcesses = readProcesses;
    this.#container = container;
  }

  /** Undefined if pausing has ended, or ends before the count does. */
  during<T>(count: (signal: AbortSignal) => Promise<T>): Promise<PausedCount<T> | undefined> {
    const counted = this.#during(count);
    this.#counting = counted.catch(() => undefined); // the caller of `during` gets the error
    return counted;
  }

  /** Pauses nothing from now on. Resolves when everything runs again. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#counting;
  }

  async #during<T>(
    count: (signal: AbortSignal) => Promise<T>,
  ): Promise<PausedCount<T> | undefined> {
    if (this.#isEnded()) return undefined;
    const paused = await this.#hold();
    try {
      const found = await count(this.#ended.signal);
      return this.#isEnded() ? undefined : { held: paused.isComplete ? 'all' : 'some', found };
    } finally {
      await paused.release();
    }
  }

  #isEnded(): boolean {
    return this.#ended.signal.aborted;
  }

  async #hold(): Promise<PausedSandbox> {
    const { signal } = this.#ended;
    if (this.#container === undefined) return pauseProcesses(this.#readProcesses, signal);
    const { engine, name } = this.#container;
    if (await engine.pause(name)) return { isComplete: true, release: () => engine.unpause(name) };
    // Some engines cannot pause, for example without a cgroup for each container.
    const root = await engine.findPid(name);
    if (root === undefined) return { isComplete: true, release: () => undefined }; // the container is not running
    return pauseProcesses(readProcessTree(root), signal);
  }
}
