/** Changes of one component that several events lead to. */
import { oneLine, truncate } from '../base/text.ts';
import type { ComponentProgress, FeatureState } from './feature-state.ts';
import { progressOf } from './feature-state.ts';
import { changeLaneOf, firstMerge, laneOf } from './lanes.ts';

/** A component that failed this often is a case for a person. */
const FAILURES_MAX = 2;
const WHY_MAX = 300;

export function change(
  state: FeatureState,
  id: string,
  more: Partial<ComponentProgress>,
): FeatureState {
  const changed = { ...progressOf(state, id), ...more };
  return { ...state, components: { ...state.components, [id]: changed } };
}

/** The merge queue continues with the next component. */
export function leaveQueue(state: FeatureState, id: string): FeatureState {
  const { queue, merge } = laneOf(state, id);
  if (!queue.includes(id)) return state;
  return changeLaneOf(state, id, {
    queue: queue.filter((one) => one !== id),
    merge: queue[0] === id ? firstMerge(merge.number + 1) : merge,
  });
}

/** The work does not fit: the component does it again, and after the second time a person decides. */
export function giveBack(
  state: FeatureState,
  id: string,
  why: string,
  feedback: string,
): FeatureState {
  const failures = progressOf(state, id).failures + 1;
  const told = change(state, id, { failures, feedback });
  if (failures >= FAILURES_MAX) return askOrFail(told, id, why, 'run');
  return leaveQueue(change(told, id, { state: 'pending', why: short(why) }), id);
}

/** If no person may be asked, the component has failed. */
export function askOrFail(
  state: FeatureState,
  id: string,
  why: string,
  again: ComponentProgress['again'],
): FeatureState {
  const left = leaveQueue(state, id);
  const { questions } = progressOf(state, id);
  const about = { why: short(why), again };
  return state.settings.recovery.ask === false
    ? change(left, id, { ...about, state: 'failed' })
    : change(left, id, { ...about, state: 'asking', questions: questions + 1 });
}

function short(why: string): string {
  return truncate(oneLine(why), WHY_MAX);
}
