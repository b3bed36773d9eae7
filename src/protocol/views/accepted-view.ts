/** Which red gates of a run a person has accepted, folded from its events. */
import type { AcceptedGate } from '../words/accepted-gate.ts';
import { addAccepted, isAccept, personName } from '../words/accepted-gate.ts';
import type { CommandEnded, Input } from '../commands.ts';
import { writtenFiles } from '../written-files.ts';

/** A workflow runs a gate again that was accepted on the same work. */
export function acceptedWhenBegun(
  accepted: AcceptedGate[],
  { name, acceptedBy }: Input<'gate'>,
): AcceptedGate[] {
  return acceptedBy === undefined
    ? accepted
    : addAccepted(accepted, { gate: name, by: acceptedBy });
}

/**
 * A person accepts a red gate, the gate is green after all, or a step leaves other work. `asked`: the questions, with
 * the red gate that each is about.
 */
export function acceptedAfter(
  accepted: AcceptedGate[],
  asked: readonly { readonly key: string; readonly redGate?: string }[],
  { key, command, end }: CommandEnded,
): AcceptedGate[] {
  if (end.kind !== 'done') return accepted;
  if (command === 'collect-step')
    return writtenFiles(end.result) === undefined ? accepted : [...(end.result.accepted ?? [])];
  if (command === 'gate') {
    const { kind, name } = end.result;
    const isOver = kind === 'passed' && accepted.some(({ gate }) => gate === name);
    return isOver ? accepted.filter(({ gate }) => gate !== name) : accepted;
  }
  if (command !== 'ask') return accepted;
  const gate = asked.findLast((one) => one.key === key)?.redGate;
  if (gate === undefined || !('answer' in end.result) || !isAccept(end.result.answer))
    return accepted;
  return addAccepted(accepted, { gate, by: personName(end.result.by) });
}
