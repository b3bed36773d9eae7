/** Reads what the steps of workflows have cost and changed, over the recorded runs. */
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import { WORKFLOW_PROGRAM } from '../../protocol/run-submission.ts';
import { runStream } from '../../protocol/streams.ts';
import { continuations } from '../../protocol/views/continuations.ts';
import { ownAttempts, ownCost } from '../../reports/runs/own-history.ts';
import type { RunHistory } from '../../reports/runs/run-history.ts';
import type { StepTimeline } from '../../reports/steps/step-visits.ts';
import { foldStepTimeline } from '../../reports/steps/step-visits.ts';
import type { StepRunFacts, StepsReportView } from '../../reports/steps/steps-report.ts';
import { buildStepsReport } from '../../reports/steps/steps-report.ts';
import type { Journal } from '../../store/journal.ts';
import { readStream } from '../run-reader.ts';
import { undamaged } from '../undamaged.ts';
import { RunHistoryStore } from './run-history-store.ts';

type StepReportsPorts = {
  /** Returns the current journal, because the owner may replace it. */
  readonly journal: () => Journal;
  readonly clock: Clock;
};

/** So many workflows say more than an interval needs, and are read in seconds. */
const WORKFLOWS_MAX = 500;
const EXAMINED_MAX = 5000;
const FORK_DEPTH_MAX = 100;

export class StepReports {
  readonly #ports: StepReportsPorts;
  readonly #histories: RunHistoryStore;

  constructor(ports: StepReportsPorts) {
    this.#ports = ports;
    this.#histories = new RunHistoryStore(ports.journal);
  }

  /** The workflows that ended since then: all, or those of one name. */
  async report(since: number, template?: string): Promise<StepsReportView> {
    const { journal, clock } = this.#ports;
    const all = await journal().runs({ program: WORKFLOW_PROGRAM, limit: EXAMINED_MAX });
    const continued = continuations(all);
    const named = all.filter((view) => template === undefined || view.workflow?.name === template);
    // A run and the runs that continue it count as one.
    const ended = named.filter(
      ({ id, endedAt }) => endedAt !== null && endedAt >= since && !continued.has(id),
    );
    const timelines: StepTimeline[] = [];
    for (const { id } of ended.slice(0, WORKFLOWS_MAX)) {
      const timeline = await undamaged(() => this.#timeline(id, Infinity, 0));
      if (timeline !== undefined) timelines.push(timeline);
    }
    return buildStepsReport(timelines, await this.#stepRuns(timelines), {
      since,
      until: clock.now(),
      known: [...new Set(all.flatMap(({ workflow }) => workflow?.name ?? []))].toSorted(),
      active: named.filter(({ endedAt }) => endedAt === null).length,
      leftOut: Math.max(0, ended.length - WORKFLOWS_MAX),
    });
  }

  async #timeline(id: string, upTo: number, depth: number): Promise<StepTimeline | undefined> {
    if (depth > FORK_DEPTH_MAX) throw new RangeError(`run ${id} is forked too deep`);
    let timeline: StepTimeline | undefined;
    for await (const event of readStream(this.#ports.journal(), runStream(id), 0)) {
      if (event.seq > upTo) break;
      if (event.type === 'run.forked')
        timeline = await this.#timeline(event.payload.from, event.payload.seq, depth + 1);
      timeline = foldStepTimeline(timeline, event);
    }
    return timeline;
  }

  async #stepRuns(timelines: readonly StepTimeline[]): Promise<ReadonlyMap<string, StepRunFacts>> {
    const runs = timelines.flatMap(({ visits }) => visits.flatMap(({ children }) => children));
    const found = new Map<string, StepRunFacts>();
    for (const run of new Set(runs)) {
      if ((await this.#ports.journal().run(run)) === undefined) continue;
      const history = await undamaged(() => this.#histories.read(run as RunId));
      if (history !== undefined) found.set(run, factsOf(history));
    }
    return found;
  }
}

function factsOf(history: RunHistory): StepRunFacts {
  const { usd, isPartial } = ownCost(history);
  const attempts = ownAttempts(history);
  const tokens = attempts.flatMap(({ usage, counted }) => {
    const { inputTokens: input, outputTokens: output } = usage;
    return counted?.tokens ?? (input === null || output === null ? [] : input + output);
  });
  const gates = attempts.flatMap((attempt) => attempt.gates);
  return {
    tokens: tokens.length === 0 ? null : tokens.reduce((all, one) => all + one, 0),
    costUsd: isPartial && usd === 0 ? null : usd,
    costPartial: isPartial,
    gates: gates
      .filter(({ kind, warns }) => kind !== 'interrupted' && !warns)
      .map(({ name, kind }) => ({ name, isGreen: kind === 'passed' })),
  };
}
