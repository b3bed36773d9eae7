/**
 * The setup stage of a run, before its first attempt, as a separate pure reducer. The attempt loop starts once
 * the setup is ready.
 */
import { commandKey } from '../../base/ids.ts';
import type { CommandKey } from '../../base/ids.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import { outcomeAfterSetup } from './setup-outcome.ts';
import type { StageMove, StageRules } from './stage-move.ts';
import { endAfterInterruptions, moveWhileOpen } from './stage-move.ts';
import type { CommandEnd } from '../../protocol/commands.ts';
import type { SetupInput, SetupOutcome } from '../../protocol/contracts/setup-contract.ts';

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

export type SetupCommand = StageRules & {
  /** Null: the project has no setup. */
  readonly input: SetupInput | null;
};

/** Ready: the attempts may begin, with the prepared tree of this key. */
export type AfterSetup = StageMove | { readonly kind: 'ready'; readonly key: string | null };

export function nextSetupMove(stage: SetupStage, command: SetupCommand): AfterSetup {
  const { begun, open, interruptions, outcome } = stage;
  const { input, stop, limits } = command;
  if (open) return moveWhileOpen(setupKey(begun), stop);
  if (outcome !== null) {
    const key = outcome.kind === 'ready' ? outcome.key : null;
    // A setup that is ready stays ready. The attempt loop decides whether a stop ends the run.
    const end =
      stop !== null ? stoppedOutcome(outcomeAfterSetup(outcome), stop) : outcomeAfterSetup(outcome);
    return end === undefined ? { kind: 'ready', key } : { kind: 'end', outcome: end };
  }
  if (input === null || stop !== null) return { kind: 'ready', key: null };
  const end = endAfterInterruptions('setup', interruptions, command);
  if (end !== undefined) return end;
  const key = setupKey(begun + 1);
  return { kind: 'moves', moves: [{ kind: 'perform', key, command: 'setup', input, limits }] };
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
