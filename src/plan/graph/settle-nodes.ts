/** What follows for the nodes of a graph as soon as others are complete: some are skipped, and some decide. */
import { truncate } from '../../base/text.ts';
import type { Component, ConditionField } from '../../protocol/feature.ts';
import { change } from '../component-changes.ts';
import type { FeatureState, NodeResult } from '../feature-state.ts';
import { featureOf, graphOf, nodeOf, progressOf } from '../feature-state.ts';
import { laneNamed } from '../lanes.ts';
import type { KnownValue } from './conditions.ts';
import { allHold } from './conditions.ts';

const WHY_MAX = 300;

/** The component that ends the graph. Undefined: none has failed, or it is no graph. */
export function failedNode(state: FeatureState): string | undefined {
  if (featureOf(state).plan.isGraph !== true) return undefined;
  return Object.keys(state.components).find((id) => progressOf(state, id).state === 'failed');
}

/** A run that ends because another component has failed is no failure of its own. */
export function endedTogether(state: FeatureState, id: string): FeatureState {
  const why = `stopped, because ${failedNode(state) ?? 'another component'} has failed`;
  return change(state, id, { state: 'pending', why });
}

/** Every node that can be settled without any command is settled. Nothing happens after a failure. */
export function settleNodes(state: FeatureState): FeatureState {
  if (featureOf(state).plan.isGraph !== true || laneNamed(state, '').base === null) return state;
  let settled = state;
  for (let changes = true; changes;) {
    changes = false;
    for (const component of graphOf(settled).components) {
      if (settled.stop !== null || failedNode(settled) !== undefined) return settled;
      const next = settleOne(settled, component);
      changes ||= next !== settled;
      settled = next;
    }
  }
  return settled;
}

function settleOne(state: FeatureState, component: Component): FeatureState {
  const { id, node } = component;
  const { state: own, questions } = progressOf(state, id);
  const before = graphOf(state).waitsFor.get(id) ?? [];
  if (own !== 'pending') return state;
  if (before.some((one) => progressOf(state, one).state !== 'complete')) return state;
  const skipped = whySkipped(state, component, before);
  if (skipped !== undefined) return completeNode(state, id, 'skipped', skipped);
  switch (node?.kind) {
    case undefined:
    case 'gate':
      return state;
    case 'merge':
      return completeNode(state, id, 'done', 'done');
    case 'branch':
    case 'round': {
      const holds = allHold(node.when, (one, field) => readField(state, one, field));
      const result = holds ? 'yes' : 'no';
      if (node.kind === 'branch' || holds || !node.isLast)
        return completeNode(state, id, result, result);
      const rounds = node.number === 1 ? 'its only round' : `all ${node.number} rounds`;
      return failNode(state, id, `its condition does not hold after ${rounds}`);
    }
    case 'human':
      return state.settings.recovery.ask === false
        ? failNode(state, id, 'it asks a person, and this run may not ask')
        : change(state, id, { state: 'asking', questions: questions + 1, why: node.question });
  }
}

/** Undefined: it runs. */
function whySkipped(
  state: FeatureState,
  { id, onlyIf = [] }: Component,
  before: readonly string[],
): string | undefined {
  const resultOf = (one: string): NodeResult | undefined => progressOf(state, one).result;
  const guard = onlyIf.find(({ node, is }) => resultOf(node) !== is);
  if (guard !== undefined) return `${guard.node} says ${resultOf(guard.node) ?? 'nothing'}`;
  const skipped = before.filter((one) => resultOf(one) === 'skipped');
  const kind = nodeOf(state, id)?.kind;
  // Where branches meet, one way that was taken is enough.
  const meets = kind === 'merge' || kind === 'round';
  if (skipped.length === 0 || (meets && skipped.length < before.length)) return undefined;
  return `${skipped[0] ?? ''} is skipped`;
}

function readField(state: FeatureState, id: string, field: ConditionField): KnownValue {
  const { result, figures, touched, tries } = progressOf(state, id);
  if (field === 'result') return result ?? 'landed';
  if (result === 'skipped') return null;
  switch (field) {
    case 'files':
      return touched.length;
    case 'tries':
      return tries;
    case 'exit':
    case 'coverage':
      return figures?.[field] ?? null;
  }
}

export function completeNode(
  state: FeatureState,
  id: string,
  result: NodeResult,
  why: string,
): FeatureState {
  return change(state, id, { state: 'complete', result, why: truncate(why, WHY_MAX) });
}

export function failNode(state: FeatureState, id: string, why: string): FeatureState {
  return change(state, id, { state: 'failed', why: truncate(why, WHY_MAX) });
}
