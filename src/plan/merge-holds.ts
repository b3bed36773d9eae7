/** What a person holds back from the merge queue, or takes out of it. */
import type { PersonSignal } from '../protocol/signal.ts';
import { change, leaveQueue } from './component-changes.ts';
import type { FeatureState, MergeHolds } from './feature-state.ts';
import { progressOf } from './feature-state.ts';
import { allQueued, changeLaneOf, laneOf } from './lanes.ts';

export type QueueSignal = Extract<PersonSignal, { kind: 'merge-queue' }>;

const SKIPPED = 'a person took it out of the merge queue';

export function queueSignalled(
  state: FeatureState,
  { action, component }: QueueSignal,
): FeatureState {
  if (component === null)
    return action === 'skip' ? state : withHolds(state, { all: action === 'hold' });
  const own = state.components[component]?.state;
  if (own === undefined || own === 'complete' || own === 'failed') return state;
  if (action === 'release') return release(state, component);
  if (action === 'skip' && own !== 'queued') return state;
  const asked = { ...state.holds.asked, [component]: action };
  return settleHold(withHolds(state, { asked }), component);
}

/** Does what a person asked for, once no command of its merge is open. A commit that has begun is not taken back. */
export function settleHold(state: FeatureState, id: string): FeatureState {
  const { [id]: asked, ...others } = state.holds.asked;
  if (asked === undefined) return state;
  const { state: own } = progressOf(state, id);
  const settled = withHolds(state, { asked: others });
  if (own === 'complete' || own === 'failed') return settled;
  if (isMoving(state, id)) return state;
  if (asked === 'skip') return takeOut(settled, id);
  if (own !== 'queued') return state;
  const { back } = settled.holds;
  return back.includes(id) ? settled : leaveQueue(withHolds(settled, { back: [...back, id] }), id);
}

/** Whether the run can only wait until a person releases something. */
export function waitsForRelease(state: FeatureState): boolean {
  const { back, all } = state.holds;
  return back.length > 0 || (all && allQueued(state).length > 0);
}

function takeOut(state: FeatureState, id: string): FeatureState {
  const back = state.holds.back.filter((one) => one !== id);
  return leaveQueue(change(withHolds(state, { back }), id, { state: 'failed', why: SKIPPED }), id);
}

/** What was held back goes to the end of the queue. */
function release(state: FeatureState, id: string): FeatureState {
  const { [id]: _, ...asked } = state.holds.asked;
  const { back } = state.holds;
  if (!back.includes(id)) return withHolds(state, { asked });
  const released = withHolds(state, { asked, back: back.filter((one) => one !== id) });
  return changeLaneOf(released, id, { queue: [...laneOf(released, id).queue, id] });
}

function isMoving(state: FeatureState, id: string): boolean {
  if (laneOf(state, id).queue[0] !== id) return false;
  return isUncertain(state, id) || state.open.some(({ component }) => component === id);
}

/** An interrupted commit may be on the branch already. */
export function isUncertain(state: FeatureState, id: string): boolean {
  const { queue, merge } = laneOf(state, id);
  if (queue[0] !== id || merge.phase !== 'commit') return false;
  return progressOf(state, id).interruptions > 0;
}

function withHolds(state: FeatureState, more: Partial<MergeHolds>): FeatureState {
  return { ...state, holds: { ...state.holds, ...more } };
}
