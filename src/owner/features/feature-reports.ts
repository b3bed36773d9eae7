/** How far a feature is, by the program's own fold. */
import { Refusal } from '../../base/errors.ts';
import { loadRun } from '../../engine/embedded/load-run.ts';
import type { Waiting } from '../../plan/component-states.ts';
import { featureState, findReady, phaseState, stateOf } from '../../plan/component-states.ts';
import { featureProgram } from '../../plan/feature-program.ts';
import type { FeatureState } from '../../plan/feature-state.ts';
import {
  branchOf,
  componentStates,
  featureOf,
  graphOf,
  progressOf,
} from '../../plan/feature-state.ts';
import type { Component } from '../../protocol/feature.ts';
import { FEATURE_PROGRAM } from '../../protocol/feature.ts';
import type { FeatureComponentView, FeatureView } from '../../protocol/views/feature-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';

export async function viewFeature(
  journal: Journal,
  { id, program, outcome }: RunView,
): Promise<FeatureView> {
  const loaded =
    program === FEATURE_PROGRAM ? await loadRun(journal, featureProgram, id) : undefined;
  if (loaded === undefined) throw noFeature(id);
  return toView(id, loaded.state as FeatureState, outcome);
}

function toView(run: string, state: FeatureState, outcome: FeatureView['outcome']): FeatureView {
  const { plan, capacity } = featureOf(state);
  const states = componentStates(state);
  const { waiting } = findReady(graphOf(state), states, capacity);
  const reasons = new Map(waiting.map((one) => [one.id, waitingWords(one)]));
  return {
    ...{ run, feature: plan.id, title: plan.title, branch: branchOf(state), capacity },
    state: featureState(plan, states),
    phases: plan.phases.map((phase) => ({
      ...{ id: phase.id, title: phase.title, state: phaseState(phase, states) },
      components: phase.components.map((one) => ({
        ...toComponent(state, one, reasons.get(one.id) ?? ''),
        state: stateOf(states, one.id),
      })),
    })),
    landed: state.landed.map(({ id, commit, at }) => ({ id, commit, at })),
    queue: [...state.queue],
    outcome,
  };
}

function toComponent(
  state: FeatureState,
  { id, name, title }: Component,
  waits: string,
): Omit<FeatureComponentView, 'state'> {
  const { tries, run, why } = progressOf(state, id);
  const landed = state.landed.find((one) => one.id === id);
  const asked = state.open.find((one) => one.component === id && one.command === 'ask');
  return {
    ...{ id, name, title, tries, run, why: why === '' ? waits : why },
    question: asked?.key ?? null,
    commit: landed?.commit ?? null,
    files: [...(landed?.names ?? [])],
    undeclared: [...(landed?.undeclared ?? [])],
  };
}

function waitingWords({ why }: Waiting): string {
  switch (why.kind) {
    case 'dependency':
      return `waits for ${why.on.join(', ')}`;
    case 'overlap':
      return `waits for ${why.with}, which touches ${why.patterns[1]} too`;
    case 'capacity':
      return `waits for one of ${why.capacity} places`;
    case 'blocked':
      return `blocked by ${why.by.join(', ')}`;
  }
}

function noFeature(id: string): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: `Run ${id} builds no feature.`,
    hint: 'Start one with: supervisor feature start FILE',
  });
}
