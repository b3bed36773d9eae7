/** The state of a feature before anything has happened. */
import { allComponents } from '../protocol/feature.ts';
import type { FeatureSubmission } from '../protocol/run-submission.ts';
import type { FeatureState, Lane } from './feature-state.ts';
import { NEW_COMPONENT, featureOf, interfaceKey } from './feature-state.ts';
import { firstMerge, laneNames, laneSettings } from './lanes.ts';

export function firstState({ project, path, settings }: FeatureSubmission): FeatureState {
  const { plan } = settings.feature;
  const run = { project, settings };
  const lanes = laneNames(plan).map((name) => [name, newLane(!needsSetup(run, name))] as const);
  return {
    ...{ project, path: path ?? null, settings, continued: 0 },
    lanes: Object.fromEntries(lanes),
    components: Object.fromEntries(allComponents(plan).map(({ id }) => [id, NEW_COMPONENT])),
    holds: { all: false, asked: {}, back: [] },
    ...{ landed: [], open: [], stop: null, refused: null },
    interfaces: Object.fromEntries(
      allComponents(plan).flatMap(({ interfaces = [], project: name }) =>
        interfaces.map(({ path: file, text }) => [
          interfaceKey(name, file),
          { text, version: 1, before: null, written: null },
        ]),
      ),
    ),
  };
}

function newLane(isSetUp: boolean): Lane {
  return {
    ...{ base: null, baseTries: 0, isSetUp, tip: null },
    ...{ queue: [], merge: firstMerge(1) },
  };
}

/** Whether something runs there before any component of it has landed. */
function needsSetup(run: Pick<FeatureState, 'project' | 'settings'>, name: string): boolean {
  const all = allComponents(featureOf(run).plan).filter(({ project = '' }) => project === name);
  const { settings, interfaceGates = [] } = laneSettings(run, name);
  const hasInterfaces = all.some((one) => one.interfaces !== undefined);
  const checksTypes = hasInterfaces && interfaceGates.length > 0;
  // A gate of a graph may run before any component has landed.
  return (checksTypes || all.some(({ node }) => node?.kind === 'gate')) && settings.setup !== null;
}
