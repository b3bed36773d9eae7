/**
 * The setup stage of a run, before its first attempt, as a separate pure reducer. The attempt loop starts once
 * the setup is ready.
 */
import { plural } from '../base/text.ts';
import { commandKey } from '../base/ids.ts';
import type { CommandKey } from '../base/ids.ts';
import type { LimitRequest } from '../engine/limits.ts';
import type { Move } from '../engine/program.ts';
import type { RunEvent } from '../protocol/event.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { outcomeAfterSetup } from './setup-outcome.ts';
import type { CommandEnd } from '../protocol/commands.ts';
import type { SetupInput, SetupOutcome } from '../protocol/setup-contract.ts';

export type SetupStage = {
  /** How many setups have begun, which is the number of the last one. */
  readonly begun: number;
  readonly open: boolean;
  readonly interruptions: number;
  /** The outcome of the setup. Null: it has not ended, or was interrupted. */
  readonly outcome: SetupOutcome | null;
};

export const BEFORE_SETUP: SetupStage = { begun: 0, open: false, interruptions: 0, outcome: null };

/** The stage after an event. Undefined: the event is not about the setup. */
export function foldSetup(stage: SetupStage, event: RunEvent): SetupStage | undefined {
  if (event.type === 'command.begun' && event.payload.command === 'setup')
    return { ...stage, begun: stage.begun + 1, open: true };
  if (event.type !== 'command.ended' || event.payload.command !== 'setup') return undefined;
  return { ...stage, open: false, ...afterSetupEnd(stage, event.payload.end) };
}

function afterSetupEnd(
  { interruptions }: SetupStage,
  end: CommandEnd<'setup'>,
): Partial<SetupStage> {
  switch (end.kind) {
    case 'done':
      return { outcome: end.result };
    case 'interrupted':
      return { interruptions: interruptions + 1 };
    case 'defect':
      return {
        outcome: { kind: 'refused', message: `internal error in Supervisor: ${end.message}` },
      };
  }
}

export type SetupCommand = {
  /** Null: the project has no setup. */
  readonly input: SetupInput | null;
  readonly interruptionsMax: number;
  /** The strongest stop that a user has asked for. */
  readonly stop: 'stop' | 'kill' | null;
  readonly limits: readonly LimitRequest[];
};

export type AfterSetup =
  | { readonly kind: 'moves'; readonly moves: readonly Move[] }
  | { readonly kind: 'end'; readonly outcome: RunOutcome }
  /** The attempts may begin, with the prepared tree of this key. */
  | { readonly kind: 'ready'; readonly key: string | null };

export function nextSetupMove(stage: SetupStage, command: SetupCommand): AfterSetup {
  const { begun, open, interruptions, outcome } = stage;
  const { input, interruptionsMax, stop } = command;
  if (open) {
    const how = stop === 'kill' ? 'kill' : 'ask';
    return {
      kind: 'moves',
      moves: stop === null ? [] : [{ kind: 'cancel', key: setupKey(begun), how }],
    };
  }
  if (outcome !== null) {
    const key = outcome.kind === 'ready' ? outcome.key : null;
    // A setup that is ready stays ready. The attempt loop decides whether a stop ends the run.
    const end =
      stop !== null ? stoppedOutcome(outcomeAfterSetup(outcome), stop) : outcomeAfterSetup(outcome);
    return end === undefined ? { kind: 'ready', key } : { kind: 'end', outcome: end };
  }
  if (input === null || stop !== null) return { kind: 'ready', key: null };
  if (interruptions > interruptionsMax)
    return {
      kind: 'end',
      outcome: {
        kind: 'exhausted',
        reason: `the setup was interrupted ${plural(interruptions, 'time')} because the owner process died`,
      },
    };
  const perform: Move = {
    kind: 'perform',
    key: setupKey(begun + 1),
    command: 'setup',
    input,
    limits: command.limits,
  };
  return { kind: 'moves', moves: [perform] };
}

function stoppedOutcome(
  end: RunOutcome | undefined,
  stop: 'stop' | 'kill',
): RunOutcome | undefined {
  if (end === undefined) return undefined;
  const kind = stop === 'kill' ? 'killed' : 'cancelled';
  return { kind, reason: 'stopped by the user during the setup' };
}

function setupKey(number: number): CommandKey {
  return commandKey(`setup-${number}`);
}
