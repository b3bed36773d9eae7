/**
 * Lets several agents do the same task side by side, each as a run with a tree of its own, all from the same files. Their
 * gates judge, and the work of the best one becomes the work of this run. The work of the others stays on their refs.
 */
import { commandKey } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import { plural } from '../../base/text.ts';
import type { OpenPart, ParentFold, ParentState } from '../../engine/parent-run.ts';
import { finishMove, foldParent, repeatedKey, stopMoves } from '../../engine/parent-run.ts';
import type { Move, Program } from '../../engine/program.ts';
import { BEST_OF_PROGRAM } from '../../protocol/best-of.ts';
import type { CommandEnded } from '../../protocol/commands.ts';
import type { WorkPoint, WorkSize } from '../../protocol/contracts/workflow-contract.ts';
import type { AgentSpec, BestOfRunSettings } from '../../protocol/pinned-settings.ts';
import type { AttemptsSubmission, BestOfSubmission } from '../../protocol/run-submission.ts';
import { ATTEMPTS_PROGRAM } from '../../protocol/run-submission.ts';
import { endedBadly } from '../../protocol/outcome.ts';
import { plainStepName } from '../../protocol/step-key.ts';
import type { JudgedAgent } from './choose-best.ts';
import { chooseBest } from './choose-best.ts';

export type BestOfState = ParentState & {
  readonly task: string;
  readonly project: string;
  readonly path: string | null;
  readonly settings: BestOfRunSettings;
  /** What all candidates begin with. Null: it is not stored yet. */
  readonly base: WorkPoint | null;
  /** In the order of the agents. */
  readonly candidates: readonly TriedAgent[];
  /** How often its own next command was interrupted. */
  readonly interruptions: number;
  /** The work of the best one. */
  readonly work: (WorkPoint & WorkSize) | null;
  readonly isCollected: boolean;
  /** Why it could not begin, or could not take the work. */
  readonly refused: string | null;
};

/** `tries`: how many runs were started for it. */
type TriedAgent = JudgedAgent & { readonly tries: number };

export const bestOfProgram: Program<BestOfState & { readonly [key: string]: Json }> = {
  name: BEST_OF_PROGRAM,
  version: 1,
  start: (submission) => firstState(submission as BestOfSubmission),
  /** Those that failed are tried again. */
  fork: (state) => ({
    ...state,
    ...{ stop: null, open: [], interruptions: 0, work: null, isCollected: false, refused: null },
    candidates: state.candidates.map((one) =>
      one.outcome === null || endedBadly(one.outcome) ? { ...one, outcome: null, run: null } : one,
    ),
  }),
  fold: (state, event) => foldParent(state, event, FOLD),
  next: nextMoves,
};

function firstState({ task, project, path, settings }: BestOfSubmission): BestOfState {
  return {
    ...{ task, project, path: path ?? null, settings, base: null, interruptions: 0 },
    candidates: settings.bestOf.agents.map(({ id }) => ({
      ...{ agent: id, run: null, outcome: null, costUsd: null, tries: 0 },
    })),
    ...{ work: null, isCollected: false, refused: null, open: [], stop: null },
  };
}

function nextMoves(state: BestOfState): readonly Move[] {
  const { candidates, base, open, refused, interruptions, project, isCollected } = state;
  const ended = candidates.filter(({ outcome }) => outcome !== null);
  const stopped = `stopped by the user after ${ended.length} of ${plural(candidates.length, 'agent')}`;
  const ending = stopMoves(state, stopped);
  if (ending !== undefined) return ending;
  if (refused !== null && open.length === 0)
    return [finishMove({ kind: 'failed', reason: refused })];
  if (base === null) {
    const key = repeatedKey('base', interruptions);
    return [{ kind: 'perform', key, command: 'open-base', input: { project } }];
  }
  if (ended.length < candidates.length)
    return candidates.flatMap((one, nth) => startMove(state, base, one, nth));
  const { best, why } = chooseBest(candidates);
  const chosen = best === null ? undefined : candidates[best];
  if (chosen === undefined || chosen.outcome === null || chosen.run === null)
    return [finishMove({ kind: 'failed', reason: why })];
  if (isCollected) return [finishMove({ ...chosen.outcome, reason: why })];
  const key = repeatedKey('collect-best', interruptions);
  const input = { project, run: chosen.run, chosen: true } as const;
  return [{ kind: 'perform', key, command: 'collect-step', input }];
}

function startMove(
  { task, project, path, settings }: BestOfState,
  base: WorkPoint,
  { outcome, run, tries }: TriedAgent,
  nth: number,
): readonly Move[] {
  const agent = settings.bestOf.agents[nth];
  if (outcome !== null || run !== null || agent === undefined) return [];
  const { bestOf: _, ...own } = settings;
  const submission: AttemptsSubmission = {
    program: ATTEMPTS_PROGRAM,
    task,
    project,
    settings: { ...own, ...onlyAgent(agent), startsFrom: base },
    ...(path === null ? {} : { path }),
  };
  return [
    {
      kind: 'run',
      key: commandKey(`try-${nth + 1}-${tries + 1}-${plainStepName(agent.id)}`),
      submission,
    },
  ];
}

/** No other agent takes over: that one is a candidate itself. */
function onlyAgent(
  agent: AgentSpec,
): Pick<AttemptsSubmission['settings'], 'agent' | 'chain' | 'order' | 'fallbacks'> {
  return { agent, chain: [agent], order: 'as-listed', fallbacks: {} };
}

const FOLD: ParentFold<BestOfState, OpenPart> = {
  opens: (key, command) => ({ key, command }),
  begun: (state, { key, command, input }) =>
    command === 'run'
      ? change(state, key, ({ tries }) => ({ run: input.run, tries: tries + 1 }))
      : state,
  runsAs: (state, key, run) => change(state, key, () => ({ run })),
  ended: (state, { key }, payload) => commandEnded(state, key, payload),
};

function change(
  state: BestOfState,
  key: string,
  more: (before: TriedAgent) => Partial<TriedAgent>,
): BestOfState {
  const place = Number(/^try-(\d+)-/.exec(key)?.[1]) - 1;
  const candidates = state.candidates.map((one, nth) =>
    nth === place ? { ...one, ...more(one) } : one,
  );
  return { ...state, candidates };
}

function commandEnded(
  state: BestOfState,
  key: string,
  { command, end }: CommandEnded,
): BestOfState {
  if (command === 'run') {
    if (end.kind !== 'done') {
      const reason = end.kind === 'defect' ? end.message : 'its run was interrupted';
      return change(state, key, () => ({ outcome: { kind: 'failed', reason } }));
    }
    const { run, outcome, spent } = end.result;
    const costUsd = spent === undefined || spent.unpricedCalls > 0 ? null : spent.usd;
    return change(state, key, () => ({ run, outcome, costUsd }));
  }
  if (end.kind !== 'done') return afterInterruption(state, command);
  const settled = { ...state, interruptions: 0 };
  if (command === 'open-base')
    return end.result.kind === 'refused'
      ? { ...settled, refused: end.result.why }
      : { ...settled, base: end.result.work };
  return command === 'collect-step'
    ? { ...settled, isCollected: true, work: end.result.work }
    : settled;
}

function afterInterruption(state: BestOfState, command: string): BestOfState {
  const interruptions = state.interruptions + 1;
  if (interruptions <= state.settings.interruptionsMax) return { ...state, interruptions };
  return { ...state, refused: `${command} was interrupted ${plural(interruptions, 'time')}` };
}
