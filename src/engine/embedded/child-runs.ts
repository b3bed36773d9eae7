/**
 * Child runs: starts the run that a command stands for, follows it to its end, and passes on what happens to its
 * parent. The command is recorded first, with the id of the child. So after a crash the child is found, and not
 * started again.
 */
import type { Clock } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import type { CommandKey, RunId } from '../../base/ids.ts';
import { childRunId } from '../../base/ids.ts';
import type { ParentLink, ChildInput, ChildResult } from '../../protocol/child-run.ts';
import type { NewRunEvent, RunEvent } from '../../protocol/event.ts';
import type { Signal } from '../../protocol/signal.ts';
import { spentByRun } from '../../protocol/views/budget-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { runStream } from '../../protocol/streams.ts';
import type { Journal, StreamAppend } from '../../store/journal.ts';
import type { OpenLedgerCommand } from '../ledger.ts';
import type { CommandContext } from '../performer.ts';
import { resumePoint } from '../resume-point.ts';
import { endedFact } from './begin-facts.ts';
import { readSubmission } from './first-fact.ts';
import { readRun } from './load-run.ts';
import type { Others, Results } from './run-record.ts';

export type ChildRunsPorts = {
  readonly journal: Journal;
  readonly clock: Clock;
  /** Creates the run under this id and drives it. */
  readonly create: (run: RunId, input: ChildInput, link: ParentLink) => Promise<void>;
  /** The same for a run whose first fact another append writes. Throws if the program rejects the submission. */
  readonly prepare: (run: RunId, input: ChildInput, link: ParentLink) => NewRun;
  readonly signal: (run: RunId, signal: Signal) => Promise<void>;
  /** Resolves when the run has ended. A run that can't continue is ended. */
  readonly ended: (run: RunId) => Promise<void>;
};

/** A run that begins with an append of its parent. */
export type NewRun = {
  readonly append: StreamAppend;
  /** Its first facts are durable: drives the run. */
  readonly written: (stored: readonly RunEvent[]) => void;
  /** Must be called when it is clear whether its first facts were written, after `written`. */
  readonly settled: () => void;
};

type ParentFacts = {
  readonly parent: RunId;
  /** Of the parent. */
  readonly depth: number;
  readonly facts: readonly NewRunEvent[];
};

/** A child as its parent's driver knows it. */
export type ChildCommand = {
  readonly parent: RunId;
  readonly key: CommandKey;
  readonly depth: number;
  readonly input: ChildInput;
  /** Its first fact was written a moment ago, with the command. */
  readonly isNew: boolean;
  /** Whether the parent is paused now. */
  readonly isPaused: () => boolean;
};

const FULL_DISK_RETRY_MS = 1000;

export class ChildRuns {
  readonly #ports: ChildRunsPorts;

  constructor(ports: ChildRunsPorts) {
    this.#ports = ports;
  }

  /**
   * Writes facts of a parent with `write`, and in the same commit the first facts of the children that begin with them.
   * So neither is ever without the other. Returns the keys of these children. Not among them, and left to `follow`: a
   * child whose id is in use, or whose program rejects it.
   */
  async begin(
    { parent, depth, facts }: ParentFacts,
    write: (others: Others) => Promise<Results>,
  ): Promise<ReadonlySet<CommandKey>> {
    const prepared = new Map<CommandKey, NewRun>();
    for (const [key, input] of childrenOf(facts)) {
      const run = input.run as RunId;
      if ((await this.#ports.journal.lastSeq(runStream(run))) > 0) continue;
      try {
        prepared.set(key, this.#ports.prepare(run, input, { run: parent, key, depth: depth + 1 }));
      } catch {
        continue; // `follow` meets the same error, and makes it the end of the command
      }
    }
    const children = [...prepared.values()];
    try {
      const stored = await write(children.map(({ append }) => append));
      children.forEach((child, nth) => child.written(stored[nth] ?? []));
    } finally {
      for (const child of children) child.settled();
    }
    return new Set(prepared.keys());
  }

  /** Resolves with the outcome of the child, or at once when `detached` aborts: then the next driver follows it. */
  async follow(
    { parent, key, depth, input, isNew, isPaused }: ChildCommand,
    { cancelSignal, killSignal }: Pick<CommandContext, 'cancelSignal' | 'killSignal'>,
    detached: AbortSignal,
  ): Promise<ChildResult> {
    const run = input.run as RunId;
    const isThere = isNew || (await this.#isOwn(run, parent, key));
    if (!isThere && cancelSignal.aborted) return neverStarted('stopped before it started');
    if (isAborted(detached)) return neverStarted('its parent is not driven any more');
    if (!isThere) await this.#ports.create(run, input, { run: parent, key, depth });
    const over = new AbortController();
    // The owner may have died after it paused the parent, and before it paused the child.
    if ((isThere && !isNew) || isPaused()) void this.alignPause(run, isPaused, detached);
    const left = Promise.withResolvers<void>();
    detached.addEventListener('abort', () => left.resolve(), { signal: over.signal });
    if (isAborted(detached)) left.resolve();
    const pass = (kind: 'stop' | 'kill'): void => {
      if (!detached.aborted) void this.#stop(run, kind, AbortSignal.any([over.signal, detached]));
    };
    onAbort(cancelSignal, over.signal, () => {
      if (!killSignal.aborted) pass('stop');
    });
    onAbort(killSignal, over.signal, () => pass('kill'));
    try {
      await Promise.race([this.#ports.ended(run), left.promise]);
    } finally {
      over.abort();
    }
    if (isAborted(detached)) return neverStarted('its parent is not driven any more');
    return resultOf(await this.#view(run));
  }

  /**
   * What a fork records about the children that were open in the original. An outcome that needs no more work is
   * reused. Any other child continues as a child of the fork.
   */
  async carryOver(
    fork: RunId,
    open: readonly OpenLedgerCommand[],
  ): Promise<readonly NewRunEvent[]> {
    const facts = open.map(async (one): Promise<readonly NewRunEvent[]> => {
      const { key, child, cancelled } = one;
      if (child === undefined) return [];
      const view = await this.#ports.journal.run(child.run);
      const end = (result: ChildResult): readonly NewRunEvent[] => [
        endedFact(one, { kind: 'done', result }),
      ];
      if (view?.outcome?.kind === 'succeeded' || view?.outcome?.kind === 'unverified')
        return end({ run: view.id, outcome: view.outcome });
      if (cancelled !== null)
        return end(neverStarted('stopped in the run that this one continues'));
      const point = view === undefined ? undefined : await this.#point(view);
      const input: ChildInput = {
        run: childRunId(fork, key),
        submission: child.submission,
        ...(point === undefined ? {} : { from: { run: child.run, seq: point } }),
      };
      const note = { kind: 'continued', input } as const;
      return [{ type: 'command.noted', payload: { key, command: 'run', note } }];
    });
    return (await Promise.all(facts)).flat();
  }

  /** Where a child that did not end well continues. Undefined: it begins again. */
  async #point({ id, outcome, seq }: RunView): Promise<number | undefined> {
    if (outcome === null) return seq;
    return resumePoint(readRun(this.#ports.journal, id));
  }

  /** Whether the child exists. Another run may have the same id, although that is most unlikely. */
  async #isOwn(run: RunId, parent: RunId, key: CommandKey): Promise<boolean> {
    const submission = await readSubmission(this.#ports.journal, run);
    if (submission === undefined) return false;
    const link = submission.parent;
    if (link?.run === parent && link.key === key) return true;
    throw new Error(`the id ${run} of the child ${key} belongs to another run`);
  }

  async #view(run: RunId): Promise<RunView> {
    const view = await this.#ports.journal.run(run);
    if (view === undefined) throw new Error(`the child ${run} is not in the journal`);
    return view;
  }

  /** Pauses or unpauses a child, whichever its parent is. A child that a person has paused stays paused. */
  alignPause(run: RunId, isPaused: () => boolean, over: AbortSignal): Promise<void> {
    return this.#send(over, () => {
      const kind = isPaused() ? 'pause' : 'unpause';
      return this.#ports.signal(run, { kind, by: 'parent' });
    });
  }

  #stop(run: RunId, kind: 'stop' | 'kill', over: AbortSignal): Promise<void> {
    return this.#send(over, async () => {
      const { endedAt, stopAskedAt } = await this.#view(run);
      if (endedAt !== null || (kind === 'stop' && stopAskedAt !== null)) return;
      await this.#ports.signal(run, { kind });
    });
  }

  /** Only the user can free a full disk, so it sends again until then. */
  async #send(over: AbortSignal, send: () => Promise<void>): Promise<void> {
    while (!over.aborted) {
      try {
        return await send();
      } catch (error) {
        // The child has ended or is halted, or the owner closes and the next one sends it again.
        if (!isRefusal(error, 'store.full')) return;
        await this.#ports.clock.sleep(FULL_DISK_RETRY_MS, over);
      }
    }
  }
}

/** The child runs that begin with these facts and are not refused in the same moment. */
function childrenOf(facts: readonly NewRunEvent[]): ReadonlyMap<CommandKey, ChildInput> {
  const children = new Map<CommandKey, ChildInput>();
  for (const { type, payload } of facts) {
    if (type === 'command.begun' && payload.command === 'run')
      children.set(payload.key as CommandKey, payload.input);
    if (type === 'command.ended') children.delete(payload.key as CommandKey);
  }
  return children;
}

function resultOf({ id, outcome, budget }: RunView): ChildResult {
  if (outcome === null) throw new Error(`the child ${id} has no end`);
  const spent = spentByRun(budget);
  return { run: id, outcome, ...(spent === undefined ? {} : { spent }) };
}

function neverStarted(reason: string): ChildResult {
  return { run: null, outcome: { kind: 'cancelled', reason } };
}

function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}

function onAbort(signal: AbortSignal, over: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true, signal: over });
}
