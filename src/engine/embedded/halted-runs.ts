/**
 * Runs that a defect halted. They have no program to ask, so the engine itself ends them: a run without a parent when
 * a person asks for that, a child at once, because its parent waits for the result. Their own children end first.
 */
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import type { RequestMark } from '../../protocol/run-submission.ts';
import type { Signal } from '../../protocol/signal.ts';
import { runStream } from '../../protocol/streams.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import { readSubmission } from './first-fact.ts';
import { givenUpFacts, haltedEndFacts, stoppedFacts } from './halted-end.ts';
import type { RunEnds } from './run-ends.ts';

export type HaltedRunsPorts = {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly ends: RunEnds;
  readonly signal: (run: RunId, signal: Signal) => Promise<void>;
  readonly onDefect: (run: RunId, error: unknown) => void;
};

export class HaltedRuns {
  readonly #ports: HaltedRunsPorts;

  constructor(ports: HaltedRunsPorts) {
    this.#ports = ports;
  }

  /** Resolves when the signal is durable. */
  async stop(view: RunView, kind: 'stop' | 'kill', request?: RequestMark): Promise<void> {
    const stopped = stoppedFacts(kind, request);
    const end = haltedEndFacts(view.open, kind);
    if (childrenOf(view).length === 0) return this.#end(view, [...stopped, ...end]);
    const { journal, clock, onDefect } = this.#ports;
    const run = view.id as RunId;
    await journal.append(runStream(run), view.seq, stopped, clock.now());
    const stoppedView = { ...view, seq: view.seq + stopped.length };
    void this.#stopChildren(view, kind)
      .then(() => this.#end(stoppedView, end))
      .catch((error: unknown) => onDefect(run, error));
  }

  /** Ends a child that can't continue. A run without a parent stays as it is. */
  async giveUp(run: RunId, why: string): Promise<void> {
    const { journal } = this.#ports;
    const submission = await readSubmission(journal, run);
    if (submission?.parent === undefined) return;
    const view = await journal.run(run);
    if (view === undefined || view.endedAt !== null) return;
    await this.#stopChildren(view, 'kill');
    await this.#end(view, givenUpFacts(view.open, why));
  }

  async #end({ id, seq }: RunView, facts: readonly NewRunEvent[]): Promise<void> {
    const { journal, clock, ends } = this.#ports;
    await journal.append(runStream(id), seq, facts, clock.now());
    ends.hasEnded(id as RunId);
  }

  async #stopChildren(view: RunView, kind: 'stop' | 'kill'): Promise<void> {
    const stops = childrenOf(view).map(async (child) => {
      const isThere = await this.#ports.signal(child, { kind }).then(
        () => true,
        () => false, // it has ended, or it was never started
      );
      if (isThere) await this.#ports.ends.wait(child);
    });
    await Promise.all(stops);
  }
}

function childrenOf({ open }: RunView): readonly RunId[] {
  return open.flatMap(({ run }) => (run === undefined ? [] : [run as RunId]));
}
