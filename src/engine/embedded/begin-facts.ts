/** The events that are recorded for a move before it is carried out. */
import type { NewRunEvent } from '../../protocol/event.ts';
import type { RequestMark } from '../../protocol/run-submission.ts';
import type { CommandKey } from '../../base/ids.ts';
import type { Ledger } from '../ledger.ts';
import { limitKey } from '../limits.ts';
import type { Move } from '../program.ts';
import type { Command, CommandBegun, CommandEnd, CommandEnded } from '../../protocol/commands.ts';

export function beginFacts(move: Move, ledger: Ledger): readonly NewRunEvent[] {
  switch (move.kind) {
    case 'perform': {
      if (!isPerformed(move))
        throw new TypeError(`${move.command} is a command of the engine and has no performer`);
      const { kind: _, limits = [], ...command } = move;
      return [begunFact({ ...command, limits: limits.map(limitKey) })];
    }
    case 'wait': {
      const { key, until, reason, why, agent } = move;
      if (!Number.isFinite(until)) throw new TypeError(`the wait ${key} has no end`);
      const input = { until, reason, why, ...(agent === undefined ? {} : { agent }) };
      return [begunFact({ key, command: 'wait', input, limits: [] })];
    }
    case 'ask': {
      const { key, question, issue, choices, about } = move;
      const input = {
        question,
        ...(issue === undefined ? {} : { issue }),
        ...(choices === undefined ? {} : { choices: [...choices] }),
        ...(about === undefined ? {} : { about }),
      };
      return [begunFact({ key, command: 'ask', input, limits: [] })];
    }
    case 'cancel': {
      const { key, how } = move;
      const cancelled: NewRunEvent = { type: 'command.cancelled', payload: { key, how } };
      const open = ledger.open.find((one) => one.key === key);
      if (open === undefined || isPerformed(open)) return [cancelled];
      // A wait or a question has no performer that would record its end.
      return [cancelled, endedFact(open, { kind: 'done', result: { cancelled: true } })];
    }
    case 'finish':
      return [{ type: 'run.ended', payload: { outcome: move.outcome } }];
    case 'park':
      return [];
  }
}

/** Waits and questions are the engine's own. Every other command has a performer, and can be interrupted. */
export function isPerformed({ command }: { readonly command: Command }): boolean {
  return command !== 'wait' && command !== 'ask';
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

/** A run that a defect halted has no program to ask, so the engine itself ends the run when a person asks for that. */
export function haltedEndFacts(
  open: readonly { readonly key: string; readonly command: Command }[],
  kind: 'stop' | 'kill',
  request: RequestMark | undefined,
): readonly NewRunEvent[] {
  const outcome = {
    kind: kind === 'kill' ? 'killed' : 'cancelled',
    reason: 'ended by the user while a defect of Supervisor halted it',
  } as const;
  return [
    {
      type: 'signal.received',
      payload: { signal: { kind }, ...(request === undefined ? {} : { request }) },
    },
    ...open.map((one) => endedFact(one, { kind: 'interrupted' })),
    { type: 'run.ended', payload: { outcome } },
  ];
}
