/**
 * The baseline of a run as a separate pure reducer: after the setup and before the first attempt, every gate runs once
 * on the base. So a gate that can't run costs no attempt, and failures of the base are told apart from new ones.
 */
import { commandKey } from '../../base/ids.ts';
import type { CommandKey } from '../../base/ids.ts';
import type { BaselineInput, BaselineOutcome } from '../../protocol/contracts/baseline-contract.ts';
import type { CommandEnd } from '../../protocol/commands.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { describeCannotRun } from './cannot-run.ts';
import type { StageMove, StageRules } from './stage-move.ts';
import { endAfterInterruptions, moveWhileOpen } from './stage-move.ts';

export type BaselineStage = {
  /** How many commands have begun, which is the number of the last one. */
  readonly begun: number;
  readonly open: boolean;
  readonly interruptions: number;
  /** The results of the first gates, in the order of the gates. */
  readonly results: readonly BaselineOutcome[];
};

export const BEFORE_BASELINE: BaselineStage = {
  begun: 0,
  open: false,
  interruptions: 0,
  results: [],
};

/** The stage after an event. Undefined: the event is not about the baseline. */
export function foldBaseline(stage: BaselineStage, event: RunEvent): BaselineStage | undefined {
  if (event.type === 'command.begun' && event.payload.command === 'baseline')
    return { ...stage, begun: stage.begun + 1, open: true };
  if (event.type !== 'command.ended' || event.payload.command !== 'baseline') return undefined;
  return { ...stage, open: false, ...afterEnd(stage, event.payload.end) };
}

function afterEnd(
  { interruptions, results }: BaselineStage,
  end: CommandEnd<'baseline'>,
): Partial<BaselineStage> {
  switch (end.kind) {
    case 'done':
      return { results: [...results, end.result] };
    case 'interrupted':
      return { interruptions: interruptions + 1 };
    case 'defect': {
      const why = `internal error in Supervisor: ${end.message}`;
      const outcome = { kind: 'unable', name: 'gate', why } as const;
      return { results: [...results, { kind: 'judged', outcome, how: 'ran', content: null }] };
    }
  }
}

export type BaselineCommand = StageRules & {
  /** One for each gate, in their order. Empty: the run has no baseline. */
  readonly inputs: readonly BaselineInput[];
};

/** Ready: the attempts may begin. */
export type AfterBaseline = StageMove | { readonly kind: 'ready' };

export function nextBaselineMove(stage: BaselineStage, command: BaselineCommand): AfterBaseline {
  const { begun, open, interruptions, results } = stage;
  const { inputs, stop, limits } = command;
  if (open) return moveWhileOpen(baselineKey(begun), stop);
  // The attempt loop decides how a stopped run ends.
  if (stop !== null) return { kind: 'ready' };
  const reason = cannotRun(results, inputs);
  if (reason !== undefined) return { kind: 'end', outcome: { kind: 'refused', reason } };
  const input = inputs[results.length];
  if (input === undefined) return { kind: 'ready' };
  const end = endAfterInterruptions('baseline', interruptions, command);
  if (end !== undefined) return end;
  const key = baselineKey(begun + 1);
  return { kind: 'moves', moves: [{ kind: 'perform', key, command: 'baseline', input, limits }] };
}

/**
 * Why the run ends before its first attempt. An advisory gate ends a run only if a gate that counts depends on it: that
 * one would be skipped, and so red, whatever an agent does.
 */
function cannotRun(
  results: readonly BaselineOutcome[],
  inputs: readonly BaselineInput[],
): string | undefined {
  for (const [place, { outcome }] of results.entries()) {
    const gate = inputs[place];
    if (gate === undefined) continue;
    const needing = gate.warns === true ? findNeeding(gate.name, inputs) : undefined;
    if (gate.warns === true && needing === undefined) continue;
    const why = describeCannotRun(gate, outcome, needing);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** A gate that counts and is skipped for this one, directly or through others. The settings refuse a circle. */
function findNeeding(name: string, inputs: readonly BaselineInput[]): string | undefined {
  for (const gate of inputs) {
    if (gate.dependsOn?.includes(name) !== true || gate.runsAfterRed === true) continue;
    const needing = gate.warns === true ? findNeeding(gate.name, inputs) : gate.name;
    if (needing !== undefined) return needing;
  }
  return undefined;
}

function baselineKey(number: number): CommandKey {
  return commandKey(`baseline-${number}`);
}
