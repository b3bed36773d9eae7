/** What each component of a run is doing, as people and the scheduler see it. */
import type { ComponentState } from './component-states.ts';
import type { ComponentProgress, FeatureState } from './feature-state.ts';
import { nodeOf, progressOf } from './feature-state.ts';
import { laneOf } from './lanes.ts';

export function componentStates(state: FeatureState): ReadonlyMap<string, ComponentState> {
  return new Map(
    Object.entries(state.components).map(([id, { state: own }]) => [id, toState(state, id, own)]),
  );
}

/**
 * The same for the scheduler. Finished work that waits for a person keeps its files: if the person says so, it goes back to
 * the merge queue as it is.
 */
export function schedulerStates(state: FeatureState): ReadonlyMap<string, ComponentState> {
  return new Map(
    [...componentStates(state)].map(([id, shown]) => {
      const { state: own, again } = progressOf(state, id);
      return [id, own === 'asking' && again === 'merge' ? 'merging' : shown];
    }),
  );
}

function toState(state: FeatureState, id: string, own: ComponentProgress['state']): ComponentState {
  switch (own) {
    case 'working':
      return nodeOf(state, id) === undefined ? 'implementing' : 'testing';
    case 'collecting':
      return 'implementing';
    case 'queued': {
      const { queue, merge } = laneOf(state, id);
      return queue[0] === id && merge.phase === 'gate' ? 'testing' : 'merging';
    }
    case 'asking':
      return 'review';
    case 'pending':
    case 'complete':
    case 'failed':
      return own;
  }
}
