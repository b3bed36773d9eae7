/** The events that are recorded for a move before it is carried out. */
import type { NewRunEvent } from '../../protocol/event.ts';
import type { CommandKey, RunId } from '../../base/ids.ts';
import { childRunId } from '../../base/ids.ts';
import { CHILD_DEPTH_MAX, CHILDREN_MAX } from '../../protocol/child-run.ts';
import type { Ledger } from '../ledger.ts';
import { limitKey } from '../limits.ts';
import type { Move } from '../program.ts';
import type { Command, CommandBegun, CommandEnd, CommandEnded } from '../../protocol/commands.ts';

export function beginFacts(run: RunId, move: Move, ledger: Ledger): readonly NewRunEvent[] {
  switch (move.kind) {
    case 'perform': {
      if (!isPerformed(move))
        throw new TypeError(`${move.command} is a command of the engine and has no performer`);
      const { kind: _, limits = [], recheck: _recheck, ...command } = move;
      return [begunFact({ ...command, limits: limits.map(limitKey) })];
    }
    case 'wait': {
      const { key, until, reason, why, agent } = move;
      if (!Number.isFinite(until)) throw new TypeError(`the wait ${key} has no end`);
      const input = { until, reason, why, ...(agent === undefined ? {} : { agent }) };
      return [begunFact({ key, command: 'wait', input, limits: [] })];
    }
    case 'ask': {
      const { key, question, issue, choices, about, approval, redGate, editable, until } = move;
      if (until !== undefined && !Number.isFinite(until))
        throw new TypeError(`the question ${key} has no valid end`);
      const input = {
        question,
        ...(issue === undefined ? {} : { issue }),
        ...(choices === undefined ? {} : { choices: [...choices] }),
        ...(about === undefined ? {} : { about }),
        ...(approval === undefined ? {} : { approval }),
        ...(redGate === undefined ? {} : { redGate }),
        ...(editable === undefined ? {} : { editable }),
        ...(until === undefined ? {} : { until }),
      };
      return [begunFact({ key, command: 'ask', input, limits: [] })];
    }
    case 'run': {
      const { key, submission } = move;
      const input = { run: childRunId(run, key), submission };
      const begun = begunFact({ key, command: 'run', input, limits: [] });
      const refusal = refuseChild(ledger);
      if (refusal === undefined) return [begun];
      const result = { run: null, outcome: { kind: 'refused', reason: refusal } } as const;
      return [begun, endedFact({ key, command: 'run' }, { kind: 'done', result })];
    }
    case 'cancel': {
      const { key, how } = move;
      const cancelled: NewRunEvent = { type: 'command.cancelled', payload: { key, how } };
      const open = ledger.open.find((one) => one.key === key);
      if (open === undefined || isPerformed(open) || open.command === 'run') return [cancelled];
      // A wait or a question has no performer that would record its end.
      return [cancelled, endedFact(open, { kind: 'done', result: { cancelled: true } })];
    }
    case 'finish':
      return [{ type: 'run.ended', payload: { outcome: move.outcome } }];
    case 'park':
      return [];
  }
}

/** The events of several moves that begin together. Each child counts for those after it. */
export function beginAllFacts(
  run: RunId,
  moves: readonly Move[],
  ledger: Ledger,
): readonly NewRunEvent[] {
  let { children } = ledger;
  return moves.flatMap((move) => {
    const facts = beginFacts(run, move, { ...ledger, children });
    if (move.kind === 'run') children += 1;
    return facts;
  });
}

function refuseChild({ children, childrenMax = CHILDREN_MAX, depth }: Ledger): string | undefined {
  if (depth >= CHILD_DEPTH_MAX)
    return `Runs can be nested ${CHILD_DEPTH_MAX} deep, and this run is at depth ${depth}.`;
  if (children >= childrenMax)
    return `A run can start ${childrenMax} runs, and this run has started ${children}.`;
  return undefined;
}

/** Waits, questions and child runs are the engine's own. Every other command has a performer, and can be interrupted. */
export function isPerformed({ command }: { readonly command: Command }): boolean {
  return command !== 'wait' && command !== 'ask' && command !== 'run';
}

/** The engine passes an end on as it got it: which result belongs to which command is typed in performers. */
export function endedFact(
  { key, command }: { readonly key: string; readonly command: Command },
  end: CommandEnd,
): NewRunEvent {
  return { type: 'command.ended', payload: { key, command, end } as CommandEnded };
}

function begunFact(payload: CommandBegun): NewRunEvent {
  return { type: 'command.begun', payload };
}

export function performKeys(moves: readonly Move[]): readonly CommandKey[] {
  return moves.flatMap((move) => (move.kind === 'perform' ? [move.key] : []));
}
