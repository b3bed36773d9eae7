/**
 * When an owner closes, and why: it is idle, a client asked for it, its tree gave up, or its home was
 * lost.
 */
import type { Clock } from '../base/clock.ts';
import type { Refusal } from '../base/errors.ts';
import { describeError } from '../base/errors.ts';
import { defaultSettings } from '../settings/settings.ts';
import type { SupervisorEnd } from '../supervision/index.ts';
import { Idle } from './idle.ts';

/** How often the owner checks that it still holds its home and its database. */
const HOME_CHECK_MS = 1000;
/** If the settings are unreadable. */
const IDLE_EXIT_MS = defaultSettings.owner.idleExitMs;

/** The supervisor of all components. */
type Tree = {
  readonly ended: Promise<Pick<SupervisorEnd, 'why'>>;
  readonly stop: () => Promise<Pick<SupervisorEnd, 'unstopped'>>;
};

type OwnerLifetimePorts = {
  readonly clock: Clock;
  readonly log: (line: string) => void;
  readonly isBusy: () => boolean;
  /** Why this owner holds its state no more: its home was deleted or replaced, or another owner has its database. */
  readonly lostHome: () => Refusal | undefined;
  /** For how long the owner stays when it is idle. */
  readonly idleExitMs: () => Promise<number>;
  /** Called after the tree has stopped. Throws if a component could not be closed. */
  readonly throwIfUnclosed: () => void;
};

export class OwnerLifetime {
  readonly idle: Idle;
  /** Resolves with the reason for which the owner should close. */
  readonly done: Promise<string>;
  readonly requestClose: (reason: string) => void;
  readonly #ports: OwnerLifetimePorts;
  readonly #closing = new AbortController();
  #tree: Tree | undefined;
  #reason = 'could not start';
  #closed: Promise<void> | undefined;
  #gaveUp = false;
  #idleHold: (() => void) | undefined;

  constructor(ports: OwnerLifetimePorts) {
    this.#ports = ports;
    this.idle = new Idle(ports.clock, ports.isBusy);
    const closeRequest = Promise.withResolvers<string>();
    this.requestClose = closeRequest.resolve;
    this.done = closeRequest.promise;
  }

  /** From now on the owner closes when it is idle, when its tree gives up, or when its home is lost. */
  begin(tree: Tree): void {
    this.#tree = tree;
    void this.#closeWhenTreeEnds(tree);
    void this.#closeWhenIdle();
    void this.#closeWhenHomeIsLost();
  }

  /** Why the owner closes. */
  get reason(): string {
    return this.#reason;
  }

  /** Aborts when the owner begins to close. Streams to clients end then. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * True if components failed more often than their supervisors restart them, or if the home was
   * lost.
   */
  get gaveUp(): boolean {
    return this.#gaveUp;
  }

  get staysWhenIdle(): boolean {
    return this.#idleHold !== undefined;
  }

  /** From now on the owner does not close when it is idle. */
  stay(): void {
    this.#idleHold ??= this.idle.hold();
  }

  /** Ends all streams to clients. Other requests are still answered. */
  beginToClose(reason: string): void {
    this.#closing.abort();
    this.requestClose(reason);
  }

  /**
   * Stops the branches, then the engine, then the store. The next owner resumes the runs that have
   * not ended. A second call returns the promise of the first.
   */
  close(reason: string): Promise<void> {
    this.#closed ??= this.#close(reason);
    return this.#closed;
  }

  async #close(reason: string): Promise<void> {
    this.#reason = reason;
    this.beginToClose(reason);
    const { unstopped } = (await this.#tree?.stop()) ?? { unstopped: [] };
    for (const id of unstopped)
      this.#ports.log(`${id} did not stop in time; the owner exits without it`);
    this.#ports.throwIfUnclosed();
  }

  async #closeWhenTreeEnds(tree: Tree): Promise<void> {
    const { why } = await tree.ended;
    this.#gaveUp ||= why !== 'stopped';
    this.requestClose(`the owner gave up: ${why}`);
  }

  /**
   * If the home of an owner is deleted, or another owner has its database, its agents work for nothing: they end, and
   * the owner closes.
   */
  async #closeWhenHomeIsLost(): Promise<void> {
    const { clock, lostHome, log } = this.#ports;
    while (await clock.sleep(HOME_CHECK_MS, this.closing)) {
      const lost = lostHome();
      if (lost === undefined) continue;
      this.#gaveUp = true;
      log(lost.data.message);
      return this.close(lost.data.message).catch((error: unknown) =>
        log(`the owner could not close in order: ${describeError(error)}`),
      );
    }
  }

  async #closeWhenIdle(): Promise<void> {
    // The settings were valid when the owner started, but a person may have saved a mistake since then.
    const idleExitMs = await this.#ports.idleExitMs().catch((error: unknown) => {
      this.#ports.log(
        `the owner exits after the default time without work: ${describeError(error)}`,
      );
      return IDLE_EXIT_MS;
    });
    if (await this.idle.waitForIdle(idleExitMs, this.closing)) this.requestClose('idle');
  }
}
