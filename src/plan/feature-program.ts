/**
 * Builds a feature, as a pure reducer. Each component is a child run that starts with what has landed so far. Components
 * that do not touch the same files run side by side. Their work goes through a queue, one after the other: it is
 * merged, judged by the gates, and committed on the integration branch. No agent takes part in that.
 */
import type { Json } from '../base/json.ts';
import { cutAtWord, oneLine, plural, shortList } from '../base/text.ts';
import { finishMove, repeatedKey, stopMoves } from '../engine/parent-run.ts';
import type { Move, Program } from '../engine/program.ts';
import type { Component } from '../protocol/feature.ts';
import { FEATURE_PROGRAM } from '../protocol/feature.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import type { FeatureSubmission, WorkflowSubmission } from '../protocol/run-submission.ts';
import { WORKFLOW_PROGRAM } from '../protocol/run-submission.ts';
import { findReady } from './component-states.ts';
import { componentTask } from './component-task.ts';
import type { ComponentProgress, FeatureState } from './feature-state.ts';
import {
  NEW_COMPONENT,
  branchOf,
  componentStates,
  featureOf,
  firstState,
  graphOf,
  progressOf,
} from './feature-state.ts';
import { foldFeature } from './fold-feature.ts';

export const featureProgram: Program<FeatureState & { readonly [key: string]: Json }> = {
  name: FEATURE_PROGRAM,
  version: 1,
  start: (submission) => firstState(submission as FeatureSubmission),
  /** What failed before is tried again. What has landed stays. */
  fork: (state) => ({ ...state, continued: state.continued + 1, components: tryAgain(state) }),
  fold: foldFeature,
  next: nextMoves,
};

function tryAgain({ components }: FeatureState): FeatureState['components'] {
  return Object.fromEntries(
    Object.entries(components).map(([id, one]) => [id, one.state === 'failed' ? fresh(one) : one]),
  );
}

function fresh({ tries, feedback, questions: asked }: ComponentProgress): ComponentProgress {
  return { ...NEW_COMPONENT, tries, feedback, questions: asked };
}

function nextMoves(state: FeatureState): readonly Move[] {
  const { open, base, refused } = state;
  const ending = stopMoves(state, stopped(state));
  if (ending !== undefined) return ending;
  if (refused !== null) return [finishMove({ kind: 'refused', reason: refused })];
  if (base === null) return [baseMove(state)];
  const moves = [...questions(state), ...collections(state), ...queueMove(state), ...starts(state)];
  return moves.length > 0 || open.length > 0 ? moves : [finishMove(outcomeOf(state))];
}

function stopped({ landed, components }: FeatureState): string {
  return `stopped by the user after ${landed.length} of ${plural(Object.keys(components).length, 'component')}`;
}

function baseMove({ project, baseTries }: FeatureState): Move {
  return {
    ...{ kind: 'perform', key: repeatedKey('base', baseTries), command: 'open-base' },
    input: { project },
  };
}

function idsIn(
  { components }: FeatureState,
  wanted: ComponentProgress['state'],
): readonly string[] {
  return Object.keys(components).filter((id) => components[id]?.state === wanted);
}

const CHOICES = ['retry', 'skip', 'stop'];

function questions(state: FeatureState): readonly Move[] {
  return idsIn(state, 'asking').map((id): Move => {
    const { questions: number, why } = progressOf(state, id);
    const name = graphOf(state).components.find((one) => one.id === id)?.name ?? id;
    return {
      ...{ kind: 'ask', key: repeatedKey(`ask-${id}-${number}`, 0), choices: CHOICES },
      question: `The component ${name} (${id}) needs you: ${why}. retry: try it again. skip: build the feature without it and without what depends on it. stop: end the feature here.`,
    };
  });
}

function collections(state: FeatureState): readonly Move[] {
  return idsIn(state, 'collecting').map((id): Move => {
    const { run, tries, interruptions } = progressOf(state, id);
    return {
      ...{ kind: 'perform', key: repeatedKey(`collect-${id}-${tries}`, interruptions) },
      ...{ command: 'collect-step', input: { project: state.project, run: run ?? '' } },
    };
  });
}

/** Only the first component of the queue moves. */
function queueMove(state: FeatureState): readonly Move[] {
  const [id] = state.queue;
  if (id === undefined) return [];
  const { project, settings, merge, base, tip } = state;
  const { work, from, interruptions } = progressOf(state, id);
  if (work === null || base === null || tip === null) return [];
  const name = `${id}-${merge.number}`;
  const { kind } = { kind: 'perform' } as const;
  if (merge.phase === 'merge' || merge.work === null)
    return [
      {
        ...{ kind, key: repeatedKey(`merge-${name}`, interruptions), command: 'merge-work' },
        input: { project, base: from ?? base, work, tip },
      },
    ];
  const gate = featureOf(state).gates[merge.gates];
  if (merge.phase === 'gate' && gate !== undefined) {
    const { sandbox, unsafe = false } = settings;
    const about = { project, attempt: 0, work: merge.work, setupOf: work.run, sandbox, unsafe };
    const key = repeatedKey(`gate-${name}-${merge.gates + 1}`, interruptions);
    return [{ kind, key, command: 'gate', input: { ...gate, ...about } }];
  }
  return [
    {
      ...{ kind, key: repeatedKey(`commit-${name}`, interruptions), command: 'commit-work' },
      input: {
        ...{ project, work: merge.work, branch: branchOf(state), pullRequest: null },
        message: messageOf(state, id),
        isVerified: featureOf(state).gates.length > 0,
      },
    },
  ];
}

const SUBJECT_MAX = 72;

function messageOf(state: FeatureState, id: string): string {
  const component = graphOf(state).components.find((one) => one.id === id);
  const { title, id: feature } = featureOf(state).plan;
  const subject = cutAtWord(oneLine(component?.title ?? id), SUBJECT_MAX);
  return `${subject}\n\nThe component ${component?.name ?? id} (${id}) of the feature ${feature}: ${oneLine(title)}`;
}

function starts(state: FeatureState): readonly Move[] {
  const graph = graphOf(state);
  const { start } = findReady(graph, componentStates(state), featureOf(state).capacity);
  return start.flatMap((id): readonly Move[] => {
    const component = graph.components.find((one) => one.id === id);
    if (component === undefined) return [];
    const key = repeatedKey(`run-${id}-${progressOf(state, id).tries + 1}`, 0);
    return [{ kind: 'run', key, submission: submissionOf(state, component) }];
  });
}

/** It starts with everything that has landed, which includes all that it waits for. */
function submissionOf(state: FeatureState, component: Component): WorkflowSubmission {
  const { project, path, settings, tip } = state;
  const { feature, ...own } = settings;
  const pinned = feature.workflows[component.role ?? ''] ?? feature.workflows[''];
  const { feedback, tries } = progressOf(state, component.id);
  const workflow = {
    ...(pinned ?? missing(component)),
    taskId: `${component.id.toLowerCase()}-${tries + 1}`,
    ...(tip === null ? {} : { startsFrom: tip }),
  };
  return {
    program: WORKFLOW_PROGRAM,
    task: componentTask(feature.plan, component, feedback),
    project,
    settings: { ...own, gates: [], workflow },
    ...(path === null ? {} : { path }),
  };
}

function missing({ id }: Component): never {
  throw new TypeError(`no workflow is pinned for ${id}`);
}

function outcomeOf(state: FeatureState): RunOutcome {
  const { components, landed } = state;
  const ids = Object.keys(components);
  const branch = branchOf(state);
  const failed = idsIn(state, 'failed');
  if (landed.length === ids.length) {
    const kind = featureOf(state).gates.length > 0 ? 'succeeded' : 'unverified';
    return { kind, reason: `${plural(landed.length, 'component')} on the branch ${branch}` };
  }
  const blocked = idsIn(state, 'pending');
  const [first = ''] = failed;
  const because = failed.length === 0 ? '' : `: ${first}: ${progressOf(state, first).why}`;
  const waiting = blocked.length === 0 ? '' : `; blocked by that: ${shortList(blocked, 5)}`;
  return {
    kind: 'failed',
    reason: `${landed.length} of ${plural(ids.length, 'component')} landed${because}${waiting}`,
  };
}
