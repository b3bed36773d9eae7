/**
 * Builds a feature, as a pure reducer. Each component is a child run that starts with what has landed so far. Components
 * that do not touch the same files run side by side. Their work goes through a queue, one after the other: it is
 * merged, judged by the gates, and committed on the integration branch. No agent takes part in that.
 */
import type { Json } from '../base/json.ts';
import { commandKey } from '../base/ids.ts';
import { cutAtWord, oneLine, plural } from '../base/text.ts';
import { finishMove, repeatedKey, stopMoves } from '../engine/parent-run.ts';
import type { Move, Program } from '../engine/program.ts';
import type { Component } from '../protocol/feature.ts';
import { FEATURE_PROGRAM } from '../protocol/feature.ts';
import type { PinnedGate } from '../protocol/pinned-settings.ts';
import type { FeatureSubmission, WorkflowSubmission } from '../protocol/run-submission.ts';
import { WORKFLOW_PROGRAM } from '../protocol/run-submission.ts';
import { findStarts } from './component-states.ts';
import type { ComponentNotes } from './component-task.ts';
import { componentTask } from './component-task.ts';
import type { ComponentProgress, FeatureState } from './feature-state.ts';
import {
  NEW_COMPONENT,
  branchOf,
  featureOf,
  interfaceKey,
  isInterfaces,
  graphOf,
  nodeOf,
  progressOf,
  touchedFiles,
  idsIn,
} from './feature-state.ts';
import { firstState } from './first-state.ts';
import { schedulerStates } from './progress-states.ts';
import { outcomeOf } from './feature-outcome.ts';
import { foldFeature } from './fold-feature.ts';
import { lockedPaths, nextVersionFor } from './interface-changes.ts';
import { nodeMoves, nodeQuestion } from './graph/node-moves.ts';
import { failedNode, settleNodes } from './graph/settle-nodes.ts';
import { laneKey, laneNamed, laneNameOf, laneNames, laneSettings, gatesOf } from './lanes.ts';
import { isUncertain, waitsForRelease } from './merge-holds.ts';

export const featureProgram: Program<FeatureState & { readonly [key: string]: Json }> = {
  name: FEATURE_PROGRAM,
  version: 6,
  start: (submission) => firstState(submission as FeatureSubmission),
  /** What failed before is tried again. What has landed stays. */
  fork: (state) =>
    settleNodes({ ...state, continued: state.continued + 1, components: tryAgain(state) }),
  fold: foldFeature,
  next: nextMoves,
};

function tryAgain({ components }: FeatureState): FeatureState['components'] {
  return Object.fromEntries(
    Object.entries(components).map(([id, one]) => [id, one.state === 'failed' ? fresh(one) : one]),
  );
}

function fresh({
  tries,
  feedback,
  touched,
  questions: asked,
}: ComponentProgress): ComponentProgress {
  return { ...NEW_COMPONENT, tries, feedback, touched, questions: asked };
}

function nextMoves(state: FeatureState): readonly Move[] {
  const { open, refused } = state;
  const ending = stopMoves(state, stopped(state));
  if (ending !== undefined) return ending;
  // The files of other projects may be on their way, which ends by itself.
  if (refused !== null)
    return open.length > 0 ? [] : [finishMove({ kind: 'refused', reason: refused })];
  const begins = baseMoves(state);
  if (begins.length > 0) return begins;
  if (failedNode(state) !== undefined) return endingMoves(state);
  const moves = [
    ...[...restarts(state), ...questions(state), ...collections(state)],
    ...laneNames(featureOf(state).plan).flatMap((name) => queueMove(state, name)),
    ...starts(state),
    ...nodeMoves(state, idsIn(state, 'working')),
  ];
  if (moves.length > 0 || open.length > 0) return moves;
  return [waitsForRelease(state) ? { kind: 'park' } : finishMove(outcomeOf(state))];
}

/** A graph ends with its first failure. A commit that may be on the branch already is made certain first. */
function endingMoves(state: FeatureState): readonly Move[] {
  const { open } = state;
  const [first] = laneNamed(state, '').queue;
  const commit = first !== undefined && isUncertain(state, first) ? queueMove(state, '') : [];
  const cancels = open
    .filter(({ command }) => command === 'run' || command === 'ask')
    .map(({ key }): Move => ({ kind: 'cancel', key: commandKey(key), how: 'ask' }));
  if (commit.length > 0 || open.length > 0) return [...cancels, ...commit];
  return [finishMove(outcomeOf(state))];
}

function stopped({ landed, components }: FeatureState): string {
  return `stopped by the user after ${landed.length} of ${plural(Object.keys(components).length, 'component')}`;
}

/** The base of every project is there before any component starts, and so are the setups that interfaces need. */
function baseMoves(state: FeatureState): readonly Move[] {
  const names = laneNames(featureOf(state).plan);
  const bases = names.filter((name) => laneNamed(state, name).base === null);
  if (bases.length > 0) return bases.map((name) => baseMove(state, name));
  const setups = names.filter((name) => !laneNamed(state, name).isSetUp);
  return setups.map((name) => setupMove(state, name));
}

function baseMove(state: FeatureState, name: string): Move {
  const { path: project } = laneSettings(state, name);
  const key = repeatedKey(laneKey('base', name), laneNamed(state, name).baseTries);
  return { kind: 'perform', key, command: 'open-base', input: { project } };
}

function setupMove(state: FeatureState, name: string): Move {
  const { path: project, settings } = laneSettings(state, name);
  const { setup, sandbox } = settings;
  if (setup === null) throw new TypeError('the project has no setup');
  const key = repeatedKey(laneKey('setup', name), laneNamed(state, name).baseTries);
  const input = { ...setup, project, sandbox, worksInProject: false };
  return { kind: 'perform', key, command: 'setup', input };
}

/** Runs and questions of components that start again. Other commands end by themselves. */
function restarts(state: FeatureState): readonly Move[] {
  return state.open
    .filter(({ component, command }) => {
      const isLong = command === 'run' || command === 'ask';
      return isLong && component !== null && progressOf(state, component).restarts;
    })
    .map(({ key }): Move => ({ kind: 'cancel', key: commandKey(key), how: 'ask' }));
}

const CHOICES = ['retry', 'skip', 'stop'];
const CHANGE_CHOICES = ['accept', 'refuse', 'skip', 'stop'];

function questions(state: FeatureState): readonly Move[] {
  return idsIn(state, 'asking').map((id): Move => {
    const { questions: number, why, wants } = progressOf(state, id);
    if (wants.length > 0) return changeQuestion(state, id);
    const asked = nodeQuestion(state, id);
    if (asked !== undefined) return asked;
    const name = graphOf(state).components.find((one) => one.id === id)?.name ?? id;
    return {
      ...{ kind: 'ask', key: repeatedKey(`ask-${id}-${number}`, 0), choices: CHOICES },
      question: `The component ${name} (${id}) needs you: ${why}. retry: try it again. skip: build the feature without it and without what depends on it. stop: end the feature here.`,
    };
  });
}

/** The whole new text is in the question: a person decides on exactly that. */
function changeQuestion(state: FeatureState, id: string): Move {
  const { questions: number, wants, why } = progressOf(state, id);
  const name = graphOf(state).components.find((one) => one.id === id)?.name ?? id;
  const texts = wants.map(({ file, definition }) => {
    return `${file}, version ${nextVersionFor(state, id, file)}:\n${definition.trim()}`;
  });
  return {
    ...{ kind: 'ask', key: repeatedKey(`ask-${id}-${number}`, 0), choices: CHANGE_CHOICES },
    question: `The component ${name} (${id}) needs you: ${why}. accept: lock the new version, and start those again that use it. refuse: it continues with the old one. skip: build the feature without it. stop: end the feature here.\n\n${texts.join('\n\n')}`,
  };
}

function collections(state: FeatureState): readonly Move[] {
  return idsIn(state, 'collecting').map((id): Move => {
    const { run, from, tries, interruptions } = progressOf(state, id);
    const since = from === null ? {} : { since: from.commit };
    const { path: project } = laneSettings(state, laneNameOf(state, id));
    return {
      ...{ kind: 'perform', key: repeatedKey(`collect-${id}-${tries}`, interruptions) },
      ...{ command: 'collect-step', input: { project, run: run ?? '', ...since } },
    };
  });
}

/** Only the first component of each queue moves. */
function queueMove(state: FeatureState, lane: string): readonly Move[] {
  const { queue, merge, base, tip } = laneNamed(state, lane);
  const [id] = queue;
  if (id === undefined || state.holds.all) return [];
  const { path: project, settings } = laneSettings(state, lane);
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
  const gate = gatesOf(state, id)[merge.gates];
  if (merge.phase === 'gate' && gate !== undefined) {
    const { sandbox, unsafe = false } = settings;
    const about = { project, attempt: 0, work: merge.work, setupOf: work.run, sandbox, unsafe };
    const key = repeatedKey(`gate-${name}-${merge.gates + 1}`, interruptions);
    const judged = isInterfaces(state, id) ? withTypes(gate, state, id) : gate;
    return [{ kind, key, command: 'gate', input: { ...judged, ...about } }];
  }
  return [
    {
      ...{ kind, key: repeatedKey(`commit-${name}`, interruptions), command: 'commit-work' },
      input: {
        ...{ project, work: merge.work, branch: branchOf(state), pullRequest: null },
        message: messageOf(state, id),
        isVerified: gatesOf(state, id).length > 0,
      },
    },
  ];
}

/** The gate of interfaces judges the files of their phase. */
function withTypes(gate: PinnedGate, state: FeatureState, id: string): PinnedGate {
  const { files = [] } = graphOf(state).components.find((one) => one.id === id) ?? {};
  const types = files.filter((path) => /\.d\.[cm]?ts$/.test(path));
  return { ...gate, command: [...gate.command, ...types] };
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
  const { capacity } = featureOf(state);
  const start = findStarts(graph, schedulerStates(state), capacity, touchedFiles(state));
  return start.flatMap((id): readonly Move[] => {
    const component = graph.components.find((one) => one.id === id);
    if (component === undefined) return [];
    if (component.interfaces !== undefined) return writeMove(state, component);
    if (component.node !== undefined) return nodeMoves(state, [id]);
    const key = repeatedKey(`run-${id}-${progressOf(state, id).tries + 1}`, 0);
    return [{ kind: 'run', key, submission: submissionOf(state, component) }];
  });
}

/** Each phase has a tree of its own beside that of the merge queue, which is the first. */
const FIRST_INTERFACES_TREE = 2;

function writeMove(
  state: FeatureState,
  { id, interfaces = [], project: own }: Component,
): readonly Move[] {
  const lane = laneNameOf(state, id);
  const { tip } = laneNamed(state, lane);
  const { path: project } = laneSettings(state, lane);
  if (tip === null) return [];
  const phase = featureOf(state).plan.phases.findIndex(({ components }) =>
    components.some((one) => one.id === id),
  );
  const files = interfaces.map(({ path, text }) => ({
    path,
    text: state.interfaces[interfaceKey(own, path)]?.text ?? text,
  }));
  const key = repeatedKey(`write-${id}-${progressOf(state, id).tries + 1}`, 0);
  const input = { project, tip, files, tree: FIRST_INTERFACES_TREE + phase };
  return [{ kind: 'perform', key, command: 'write-interfaces', input }];
}

const TARGETS_MAX = 200;

/** It starts with everything that has landed, which includes all that it waits for. */
function submissionOf(state: FeatureState, component: Component): WorkflowSubmission {
  const { path, settings } = state;
  const { plan } = settings.feature;
  const lane = component.project ?? '';
  const { path: project, settings: own, workflows } = laneSettings(state, lane);
  const { tip } = laneNamed(state, lane);
  const locked = lockedPaths(state, component.id);
  const pinned = workflows[component.role ?? ''] ?? workflows[''];
  const { feedback, tries } = progressOf(state, component.id);
  const workflow = {
    ...(pinned ?? missing(component)),
    taskId: `${component.id.toLowerCase()}-${tries + 1}`,
    ...(tip === null ? {} : { startsFrom: tip }),
    // Its context is its own files and the interfaces that it builds on.
    targets: [...component.touches, ...(component.uses ?? [])].slice(0, TARGETS_MAX),
  };
  return {
    program: WORKFLOW_PROGRAM,
    task: componentTask(plan, component, feedback, notesFor(state, component)),
    project,
    settings: { ...own, gates: [], workflow, ...(locked.length === 0 ? {} : { locked }) },
    ...(path === null ? {} : { path }),
  };
}

/** Only of components that it waits for: all others are none of its business. A node of a graph passes them on. */
function notesFor(state: FeatureState, { id }: Component): readonly ComponentNotes[] {
  const graph = graphOf(state);
  const before = new Set(graph.waitsFor.get(id));
  for (const one of before)
    if (nodeOf(state, one) !== undefined)
      for (const further of graph.waitsFor.get(one) ?? []) before.add(further);
  return graph.components.flatMap(({ id: other, name }) => {
    const { notes = [] } = progressOf(state, other);
    return notes.length > 0 && before.has(other) ? [{ name, notes }] : [];
  });
}

function missing({ id }: Component): never {
  throw new TypeError(`no workflow is pinned for ${id}`);
}
