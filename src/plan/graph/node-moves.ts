/** The moves of the nodes of a graph: gates on what has landed, and questions to a person. */
import { asSentence } from '../../base/text.ts';
import { repeatedKey } from '../../engine/parent-run.ts';
import type { Move } from '../../engine/program.ts';
import type { GraphNode } from '../../protocol/feature.ts';
import type { PinnedGate } from '../../protocol/pinned-settings.ts';
import type { FeatureState } from '../feature-state.ts';
import { featureOf, graphOf, nodeOf, progressOf } from '../feature-state.ts';
import { laneOf } from '../lanes.ts';

/** Each gate of a node judges what has landed when it begins. */
export function nodeGates(
  state: FeatureState,
  { gates }: Extract<GraphNode, { kind: 'gate' }>,
): readonly PinnedGate[] {
  const { nodeGates: pinned = {} } = featureOf(state);
  return gates.flatMap((name) => pinned[name] ?? []);
}

/** The next gate of each of these nodes. Their other kinds have none. */
export function nodeMoves(state: FeatureState, ids: readonly string[]): readonly Move[] {
  const { project, settings, landed } = state;
  const { sandbox, unsafe = false } = settings;
  return ids.flatMap((id): readonly Move[] => {
    const node = nodeOf(state, id);
    const { state: own, tries, interruptions, gatesGreen = 0 } = progressOf(state, id);
    const isNew = own === 'pending';
    const { tip } = laneOf(state, id);
    if (node?.kind !== 'gate' || tip === null) return [];
    const place = isNew ? 0 : gatesGreen;
    const gate = nodeGates(state, node)[place];
    if (gate === undefined) return [];
    const name = `gate-${id}-${isNew ? tries + 1 : tries}-${place + 1}`;
    // What landed last was set up in its own run. Before that, only the run of the graph has a setup.
    const last = landed.at(-1)?.id;
    const setupOf = last === undefined ? undefined : progressOf(state, last).work?.run;
    const about = { project, attempt: 0, work: tip, setupOf: setupOf ?? tip.run, sandbox, unsafe };
    const key = repeatedKey(name, interruptions);
    return [{ kind: 'perform', key, command: 'gate', input: { ...gate, ...about } }];
  });
}

const CHOICES = ['yes', 'no', 'stop'];

/** Undefined: it is no question of a graph. */
export function nodeQuestion(state: FeatureState, id: string): Move | undefined {
  const node = nodeOf(state, id);
  if (node?.kind !== 'human') return undefined;
  const { questions } = progressOf(state, id);
  const { name = id } = graphOf(state).components.find((one) => one.id === id) ?? {};
  return {
    ...{ kind: 'ask', key: repeatedKey(`ask-${id}-${questions}`, 0), choices: CHOICES },
    question: `${name} (${id}) asks you: ${asSentence(node.question)} yes or no decides how the graph continues. stop: end the feature here.`,
  };
}
