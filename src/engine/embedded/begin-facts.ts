/** What is written down for a move before anything is done about it. */
import type { CommandEnd, NewRunEvent } from '../../protocol/event.ts';
import type { Ledger, OpenLedgerCommand } from '../ledger.ts';
import { limitKey } from '../limits.ts';
import type { Move } from '../program.ts';

export function beginFacts(move: Move, ledger: Ledger): readonly NewRunEvent[] {
  switch (move.kind) {
    case 'perform':
      if (!isPerformed(move))
        throw new TypeError(`${move.command} is the engine's own word: no performer has it`);
      return [begun(move.key, move.command, move.input, (move.limits ?? []).map(limitKey))];
    case 'wait':
      if (!Number.isFinite(move.until)) throw new TypeError(`the wait ${move.key} has no end`);
      return [begun(move.key, 'wait', { until: move.until, why: move.why }, [])];
    case 'ask':
      return [begun(move.key, 'ask', asked(move), [])];
    case 'cancel': {
      const { key, how } = move;
      const cancelled: NewRunEvent = { type: 'command.cancelled', payload: { key, how } };
      if (ledger.open.some((one) => one.key === key && isPerformed(one))) return [cancelled];
      // Nobody performs a wait or a question, so nobody else would write its end.
      return [cancelled, endedFact(key, { kind: 'done', result: { cancelled: true } })];
    }
    case 'finish':
      return [{ type: 'run.ended', payload: { outcome: move.outcome } }];
    case 'stand':
      return [];
  }
}

/** Waits and questions are the engine's own; everything else has a performer, and can be lost with it. */
export function isPerformed({ command }: Pick<OpenLedgerCommand, 'command'>): boolean {
  return command !== 'wait' && command !== 'ask';
}

export function endedFact(key: string, end: CommandEnd): NewRunEvent {
  return { type: 'command.ended', payload: { key, end } };
}

function asked({ question, choices }: Extract<Move, { kind: 'ask' }>): Record<string, unknown> {
  return { question, ...(choices === undefined ? {} : { choices: [...choices] }) };
}

function begun(
  key: string,
  command: string,
  input: Record<string, unknown>,
  limits: readonly string[],
): NewRunEvent {
  return { type: 'command.begun', payload: { key, command, input, limits: [...limits] } };
}
