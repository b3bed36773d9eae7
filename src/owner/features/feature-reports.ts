/** How far a feature is, by the program's own fold. */
import { Refusal } from '../../base/errors.ts';
import { loadRun } from '../../engine/embedded/load-run.ts';
import type { Waiting } from '../../plan/component-states.ts';
import {
  ACTIVE,
  featureState,
  findReady,
  phaseState,
  stateOf,
} from '../../plan/component-states.ts';
import { estimateRest } from '../../plan/estimate-rest.ts';
import { findUnused, previewConflicts, undeclaredOf } from '../../plan/preview-conflicts.ts';
import { featureProgram } from '../../plan/feature-program.ts';
import { allQueued, laneNamed, laneSettings } from '../../plan/lanes.ts';
import type { FeatureState } from '../../plan/feature-state.ts';
import {
  branchOf,
  featureOf,
  graphOf,
  progressOf,
  touchedFiles,
} from '../../plan/feature-state.ts';
import { componentStates, schedulerStates } from '../../plan/progress-states.ts';
import type { QuotaCounts } from '../../limits/quota-stock.ts';
import type { Component } from '../../protocol/feature.ts';
import { FEATURE_PROGRAM } from '../../protocol/feature.ts';
import type { FeatureComponentView, FeatureView } from '../../protocol/views/feature-view.ts';
import { withoutAdvice } from '../../protocol/views/answer-advice.ts';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import { quotaOfFeature } from './feature-quota.ts';
import { withStopped } from './stopped-feature.ts';

/** `quota`: what is known of the windows of all agents, for the time that the rest may take. */
export async function viewFeature(
  journal: Journal,
  { id, program, outcome, pausedAt, asksBelow = [] }: RunView,
  now: number,
  quota?: () => Promise<QuotaCounts>,
): Promise<FeatureView> {
  const loaded =
    program === FEATURE_PROGRAM ? await loadRun(journal, featureProgram, id) : undefined;
  if (loaded === undefined) throw noFeature(id);
  const state = loaded.state as FeatureState;
  const rest = outcome === null ? restOf(state, now, await quota?.()) : null;
  const view = { ...toView(id, state, asksBelow), rest, paused: pausedAt !== null, outcome };
  return outcome === null ? view : withStopped(view);
}

function toView(
  run: string,
  state: FeatureState,
  asksBelow: readonly OpenQuestion[],
): Omit<FeatureView, 'rest' | 'paused' | 'outcome'> {
  const { plan, capacity } = featureOf(state);
  const states = componentStates(state);
  const graph = graphOf(state);
  const touched = touchedFiles(state);
  const { waitsFor } = graph;
  const { waiting } = findReady(graph, schedulerStates(state), capacity, touched);
  const active = graph.components.filter(({ id }) => ACTIVE.has(stateOf(states, id)));
  const { all, back, asked } = state.holds;
  const held = Object.keys(asked).filter((id) => asked[id] === 'hold');
  const reasons = new Map(waiting.map((one) => [one.id, waitingWords(one)]));
  return {
    ...{ run, feature: plan.id, title: plan.title, branch: branchOf(state), capacity },
    projects: (plan.projects ?? []).map(({ name }) => ({
      ...{ name, path: laneSettings(state, name).path },
      queue: [...laneNamed(state, name).queue],
    })),
    state: featureState(plan, states),
    phases: plan.phases.map((phase) => ({
      ...{ id: phase.id, title: phase.title, state: phaseState(phase, states) },
      components: phase.components.map((one) => ({
        ...toComponent(state, one, reasons.get(one.id) ?? '', asksBelow),
        state: stateOf(states, one.id),
        waitsFor: [...(waitsFor.get(one.id) ?? [])],
      })),
    })),
    landed: state.landed.map(({ id, commit, at }) => ({ id, commit, at })),
    queue: [...allQueued(state)],
    held: { all, components: [...new Set([...back, ...held])] },
    conflicts: previewConflicts(active, touched).map(({ ids: [one, other], file }) => ({
      components: [one, other],
      file,
    })),
  };
}

function restOf(
  state: FeatureState,
  now: number,
  quota: QuotaCounts | undefined,
): FeatureView['rest'] {
  const elapsed = Object.entries(state.components).flatMap(([id, { begunAt }]) =>
    begunAt === null ? [] : [[id, now - begunAt] as const],
  );
  return estimateRest(graphOf(state), schedulerStates(state), featureOf(state).capacity, {
    tookMs: state.landed.flatMap(({ tookMs }) => (tookMs === null ? [] : [tookMs])),
    elapsedMs: new Map(elapsed),
    now,
    quota: quota && quotaOfFeature(state, quota, now),
  });
}

function toComponent(
  state: FeatureState,
  { id, name, title, touches, project }: Component,
  waits: string,
  asksBelow: readonly OpenQuestion[],
): Omit<FeatureComponentView, 'state' | 'waitsFor'> {
  const { tries, run, why, touched, result = null } = progressOf(state, id);
  const landed = state.landed.find((one) => one.id === id);
  const asked = state.open.find((one) => one.component === id && one.command === 'ask');
  const below = asksBelow.find((one) => run !== null && (one.run === run || one.parent === run));
  const asks = below && `run ${below.run} asks: ${withoutAdvice(below.question)}`;
  const files = [...(landed?.names ?? touched)];
  return {
    ...{ id, name, title, project: project ?? null, tries, run, result },
    why: asks ?? (why === '' ? waits : why),
    question: asked?.key ?? null,
    commit: landed?.commit ?? null,
    declared: [...touches],
    files,
    undeclared: [...(landed?.undeclared ?? undeclaredOf(touches, files))],
    unchanged: files.length === 0 ? [] : [...findUnused(touches, files)],
  };
}

function waitingWords({ why }: Waiting): string {
  switch (why.kind) {
    case 'dependency':
      return `waits for ${why.on.join(', ')}`;
    case 'overlap':
      return `waits for ${why.with}, which touches ${why.patterns[1]} too`;
    case 'changed':
      return `waits for ${why.with}: both change ${why.file}`;
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
