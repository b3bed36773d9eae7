/** How the commands of a node change it: gates that judge what has landed, and answers of a person. */
import { plural } from '../../base/text.ts';
import type { CommandEnded } from '../../protocol/commands.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';
import type { GraphNode } from '../../protocol/feature.ts';
import { change } from '../component-changes.ts';
import type { FeatureState } from '../feature-state.ts';
import { progressOf } from '../feature-state.ts';
import { nodeGates } from './node-moves.ts';
import { completeNode, failNode } from './settle-nodes.ts';

/** The first gate of a node begins a try, and so does none after it. */
export function nodeBegun(state: FeatureState, id: string): FeatureState {
  const { state: own, tries } = progressOf(state, id);
  if (own === 'working') return state;
  return change(state, id, { state: 'working', tries: tries + 1, gatesGreen: 0 });
}

export function nodeEnded(
  state: FeatureState,
  id: string,
  node: GraphNode,
  { command, end }: CommandEnded,
): FeatureState {
  const { questions, interruptions } = progressOf(state, id);
  if (command === 'ask' && node.kind === 'human') {
    if (end.kind !== 'done') return change(state, id, { questions: questions + 1 });
    return 'answer' in end.result ? answered(state, id, node, end.result.answer) : state;
  }
  if (command !== 'gate' || node.kind !== 'gate') return state;
  if (end.kind === 'done')
    return judged(change(state, id, { interruptions: 0 }), id, node, end.result);
  const times = interruptions + 1;
  return times <= state.settings.interruptionsMax
    ? change(state, id, { interruptions: times })
    : failNode(state, id, `its gate was interrupted ${plural(times, 'time')} in a row`);
}

function answered(
  state: FeatureState,
  id: string,
  { question, isTested }: Extract<GraphNode, { kind: 'human' }>,
  answer: string,
): FeatureState {
  if (answer === 'yes') return completeNode(state, id, 'yes', 'a person says yes');
  if (answer !== 'no') return { ...state, stop: state.stop ?? 'stop' };
  if (!isTested) return failNode(state, id, 'a person says no');
  const told = change(state, id, { notes: [`A person answered no to this question: ${question}`] });
  return completeNode(told, id, 'no', 'a person says no');
}

const OUTPUT_CHARS_MAX = 2000;

function judged(
  state: FeatureState,
  id: string,
  node: Extract<GraphNode, { kind: 'gate' }>,
  outcome: GateOutcome,
): FeatureState {
  const figures = {
    exit: outcome.kind === 'passed' ? 0 : outcome.kind === 'failed' ? outcome.exit : null,
    coverage: outcome.kind === 'unable' ? null : (outcome.coverage?.percent ?? null),
  };
  const known = change(state, id, { figures, gatesGreen: greenOf(state, id) + 1 });
  if (outcome.kind === 'passed' || outcome.warns === true)
    return greenOf(known, id) < nodeGates(state, node).length
      ? known
      : completeNode(known, id, 'green', 'green');
  const why = `gate ${outcome.name} is red`;
  if (!node.isTested) return failNode(known, id, why);
  const output = outcome.kind === 'failed' ? outcome.tail : outcome.why;
  const note = `The gate ${outcome.name} was red on what has landed:\n${output.slice(-OUTPUT_CHARS_MAX)}`;
  return completeNode(change(known, id, { notes: [note] }), id, 'red', why);
}

function greenOf(state: FeatureState, id: string): number {
  return progressOf(state, id).gatesGreen ?? 0;
}
