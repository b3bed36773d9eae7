/** The merge queue: one component after the other is merged, judged by the gates, and committed. */
import type { CommandEnd, CommandEnded } from '../protocol/commands.ts';
import { allComponents } from '../protocol/feature.ts';
import { change, askOrFail, giveBack, leaveQueue } from './component-changes.ts';
import { conflictFeedback, gateFeedback, NO_CHANGE_FEEDBACK } from './component-task.ts';
import type { FeatureState, Landed } from './feature-state.ts';
import { featureOf } from './feature-state.ts';
import { patternsOverlap } from './patterns-overlap.ts';

type DoneEnd<Name extends 'merge-work' | 'gate' | 'commit-work'> = Extract<
  CommandEnd<Name>,
  { kind: 'done' }
>['result'];

export function mergeEnded(
  state: FeatureState,
  id: string,
  { command, end }: CommandEnded,
  at: number,
): FeatureState {
  if (end.kind !== 'done') return state;
  if (command === 'merge-work') return afterMerge(state, id, end.result);
  if (command === 'gate') return afterGate(state, id, end.result);
  return command === 'commit-work' ? afterCommit(state, id, end.result, at) : state;
}

function afterMerge(state: FeatureState, id: string, result: DoneEnd<'merge-work'>): FeatureState {
  switch (result.kind) {
    case 'refused':
      return askOrFail(state, id, result.why, 'merge');
    case 'conflict':
      return giveBack(
        state,
        id,
        `conflict in ${result.files.join(', ')}`,
        conflictFeedback(result),
      );
    case 'merged': {
      const { work, names } = result;
      if (names.length === 0) return giveBack(state, id, 'it changed no file', NO_CHANGE_FEEDBACK);
      const phase = featureOf(state).gates.length === 0 ? 'commit' : 'gate';
      return { ...state, merge: { ...state.merge, phase, work, names } };
    }
  }
}

function afterGate(state: FeatureState, id: string, result: DoneEnd<'gate'>): FeatureState {
  if (result.kind !== 'passed')
    return giveBack(state, id, `gate ${result.name} is red after the merge`, gateFeedback(result));
  const gates = state.merge.gates + 1;
  const isLast = gates >= featureOf(state).gates.length;
  return { ...state, merge: { ...state.merge, gates, phase: isLast ? 'commit' : 'gate' } };
}

function afterCommit(
  state: FeatureState,
  id: string,
  result: DoneEnd<'commit-work'>,
  at: number,
): FeatureState {
  if (result.kind === 'refused') return askOrFail(state, id, result.why, 'merge');
  const { work, names } = state.merge;
  const landed: Landed = {
    ...{ id, commit: result.commit, names, at },
    undeclared: undeclaredOf(state, id, names),
  };
  const moved = { ...state, tip: work ?? state.tip, landed: [...state.landed, landed] };
  return leaveQueue(change(moved, id, { state: 'complete', why: '', feedback: '' }), id);
}

function undeclaredOf(
  state: FeatureState,
  id: string,
  names: readonly string[],
): readonly string[] {
  const component = allComponents(featureOf(state).plan).find((one) => one.id === id);
  const touches = component?.touches ?? [];
  return names.filter((name) => !touches.some((pattern) => patternsOverlap(pattern, name)));
}
