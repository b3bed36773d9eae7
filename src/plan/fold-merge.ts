/** The merge queue: one component after the other is merged, judged by the gates, and committed. */
import { shortList } from '../base/text.ts';
import type { CommandEnd, CommandEnded } from '../protocol/commands.ts';
import { allComponents } from '../protocol/feature.ts';
import { change, askOrFail, giveBack, leaveQueue } from './component-changes.ts';
import { conflictFeedback, gateFeedback, NO_CHANGE_FEEDBACK } from './component-task.ts';
import type { CurrentMerge, FeatureState, Landed } from './feature-state.ts';
import { featureOf, isInterfaces, progressOf } from './feature-state.ts';
import { changeLaneOf, laneOf, gatesOf } from './lanes.ts';
import {
  interfacesFailed,
  interfacesLanded,
  lockedFeedback,
  lockedPaths,
} from './interface-changes.ts';
import { undeclaredOf } from './preview-conflicts.ts';

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
      const locked = isInterfaces(state, id) ? [] : lockedPaths(state, id);
      const changed = names.filter((name) => locked.includes(name));
      if (changed.length > 0) {
        const why = `it changed the locked interface ${shortList(changed, 3)}`;
        return giveBack(state, id, why, lockedFeedback(changed));
      }
      const { before } = progressOf(state, id);
      if (names.length === 0 && (before !== null || isInterfaces(state, id)))
        return stays(state, id);
      if (names.length === 0) return giveBack(state, id, 'it changed no file', NO_CHANGE_FEEDBACK);
      const phase = gatesOf(state, id).length === 0 ? 'commit' : 'gate';
      const touched = change(state, id, { touched: names });
      return changeMerge(touched, id, { phase, work, names });
    }
  }
}

function afterGate(state: FeatureState, id: string, result: DoneEnd<'gate'>): FeatureState {
  if (result.kind !== 'passed' && isInterfaces(state, id))
    return interfacesFailed(state, id, `gate ${result.name} is red: ${redWords(result)}`);
  if (result.kind !== 'passed')
    return giveBack(state, id, `gate ${result.name} is red after the merge`, gateFeedback(result));
  const gates = laneOf(state, id).merge.gates + 1;
  const isLast = gates >= gatesOf(state, id).length;
  return changeMerge(state, id, { gates, phase: isLast ? 'commit' : 'gate' });
}

function changeMerge(state: FeatureState, id: string, more: Partial<CurrentMerge>): FeatureState {
  return changeLaneOf(state, id, { merge: { ...laneOf(state, id).merge, ...more } });
}

function afterCommit(
  state: FeatureState,
  id: string,
  result: DoneEnd<'commit-work'>,
  at: number,
): FeatureState {
  if (result.kind === 'refused') return askOrFail(state, id, result.why, 'merge');
  return complete(withLanded(state, id, result.commit, at), id);
}

/** A commit that ends while its component starts again is on the branch all the same. */
export function landedMeanwhile(
  state: FeatureState,
  id: string,
  { command, end }: CommandEnded,
  at: number,
): FeatureState {
  if (command !== 'commit-work' || end.kind !== 'done' || end.result.kind === 'refused')
    return state;
  const landed = withLanded(state, id, end.result.commit, at);
  return isInterfaces(landed, id) ? interfacesLanded(landed, id) : landed;
}

function withLanded(state: FeatureState, id: string, commit: string, at: number): FeatureState {
  const { merge, tip } = laneOf(state, id);
  const { work, names } = merge;
  const { begunAt } = progressOf(state, id);
  const landed: Landed = {
    ...{ id, commit, names, at, tookMs: begunAt === null ? null : at - begunAt },
    undeclared: undeclaredOf(touchesOf(state, id), names),
  };
  const others = state.landed.filter((one) => one.id !== id);
  return changeLaneOf({ ...state, landed: [...others, landed] }, id, { tip: work ?? tip });
}

/** Nothing of it has to change: it is on the branch as it should be. */
export function stays(state: FeatureState, id: string): FeatureState {
  const { before } = progressOf(state, id);
  return complete(before === null ? state : { ...state, landed: [...state.landed, before] }, id);
}

function complete(state: FeatureState, id: string): FeatureState {
  const done = { state: 'complete', why: '', feedback: '', before: null, begunAt: null } as const;
  const left = leaveQueue(change(state, id, done), id);
  return isInterfaces(left, id) ? interfacesLanded(left, id) : left;
}

function redWords(gate: DoneEnd<'gate'>): string {
  return gate.kind === 'failed' ? gate.tail : gate.kind === 'unable' ? gate.why : '';
}

function touchesOf(state: FeatureState, id: string): readonly string[] {
  return allComponents(featureOf(state).plan).find((one) => one.id === id)?.touches ?? [];
}
