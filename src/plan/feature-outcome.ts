/** How the run of a feature ends, once nothing is left to do. */
import { plural, shortList } from '../base/text.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import type { FeatureState } from './feature-state.ts';
import { branchOf, featureOf, idsIn, nodeOf, progressOf } from './feature-state.ts';
import { laneNames, laneSettings } from './lanes.ts';

export function outcomeOf(state: FeatureState): RunOutcome {
  const { components, landed } = state;
  const ids = Object.keys(components);
  const branch = branchOf(state);
  const failed = idsIn(state, 'failed');
  if (idsIn(state, 'complete').length === ids.length) {
    if (landed.length === 0)
      return { kind: 'unverified', reason: 'every task of the graph was skipped' };
    const names = laneNames(featureOf(state).plan);
    const isJudged = names.every((name) => laneSettings(state, name).gates.length > 0);
    const where = names.length === 1 ? '' : ` of ${names.join(', ')}`;
    return {
      kind: isJudged ? 'succeeded' : 'unverified',
      reason: `${plural(landed.length, 'component')} on the branch ${branch}${where}`,
    };
  }
  const built = ids.filter((id) => nodeOf(state, id) === undefined);
  const blocked = idsIn(state, 'pending').filter((id) => built.includes(id));
  const [first = ''] = failed;
  const because = failed.length === 0 ? '' : `: ${first}: ${progressOf(state, first).why}`;
  const waiting = blocked.length === 0 ? '' : `; blocked by that: ${shortList(blocked, 5)}`;
  return {
    kind: 'failed',
    reason: `${landed.length} of ${plural(built.length, 'component')} landed${because}${waiting}`,
  };
}
