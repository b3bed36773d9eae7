/**
 * A component that needs another interface asks for it. If a person agrees, the interface gets a new version, which is
 * written, checked and committed like the first one. Then only the components that use it start again.
 */
import { plural, shortList } from '../base/text.ts';
import type { InterfaceChange } from '../protocol/answer.ts';
import type { Component } from '../protocol/feature.ts';
import { allComponents, interfaceOwners } from '../protocol/feature.ts';
import { askOrFail, change, giveBack, leaveQueue } from './component-changes.ts';
import type { FeatureState, LockedInterface } from './feature-state.ts';
import { featureOf, interfaceKey, progressOf } from './feature-state.ts';
import { laneNameOf } from './lanes.ts';
import { isUncertain } from './merge-holds.ts';

/** Every interface of the plan that the project of this component has. */
export function lockedPaths(state: FeatureState, id: string): readonly string[] {
  const { plan } = featureOf(state);
  return [...interfaceOwners(plan, projectOf(state, id)).keys()];
}

function projectOf(state: FeatureState, id: string): string | undefined {
  const name = laneNameOf(state, id);
  return name === '' ? undefined : name;
}

/** The run of a component has ended with a request. */
export function askForChange(
  state: FeatureState,
  id: string,
  changes: readonly InterfaceChange[],
): FeatureState {
  const unknown = changes
    .map(({ file }) => file)
    .filter((file) => !lockedPaths(state, id).includes(file));
  if (unknown.length > 0) {
    const files = shortList(unknown, 5);
    return giveBack(
      state,
      id,
      `${files}: no such interface`,
      unknownFeedback(files, lockedPaths(state, id)),
    );
  }
  if (state.settings.recovery.ask === false) return refuseChange(state, id, changes);
  const files = shortList([...new Set(changes.map(({ file }) => file))], 5);
  const reasons = shortList([...new Set(changes.map(({ reason }) => reason))], 3);
  const asked = askOrFail(state, id, `it asks to change ${files}: ${reasons}`, 'run');
  return change(asked, id, { wants: changes });
}

/** Null: no such answer. */
export function changeAnswered(
  state: FeatureState,
  id: string,
  answer: string,
): FeatureState | null {
  const { wants } = progressOf(state, id);
  if (wants.length === 0) return null;
  const decided = change(state, id, { wants: [] });
  if (answer === 'refuse') return refuseChange(decided, id, wants);
  return answer === 'accept' ? acceptChange(decided, id, wants) : null;
}

function refuseChange(
  state: FeatureState,
  id: string,
  changes: readonly InterfaceChange[],
): FeatureState {
  const files = shortList(
    changes.map(({ file }) => file),
    5,
  );
  return giveBack(
    state,
    id,
    `its change of ${files} was refused`,
    `You did this before, and asked to change ${files}. That was refused. Do your work with the interfaces as they are.`,
  );
}

function acceptChange(
  state: FeatureState,
  id: string,
  changes: readonly InterfaceChange[],
): FeatureState {
  const waiting = change(state, id, {
    ...{ state: 'pending', failures: 0, interruptions: 0 },
    feedback: `You did this before, and asked to change ${shortList(
      changes.map(({ file }) => file),
      5,
    )}. That was accepted, and the new version is in the project now.`,
  });
  return changes.reduce(
    (changed, { file, definition }) =>
      ownersOf(changed, file).reduce(
        (each, owner) => putText(each, owner, file, definition),
        changed,
      ),
    waiting,
  );
}

/** Every project that has a copy of the file gets the same text. */
function putText(state: FeatureState, owner: Component, file: string, text: string): FeatureState {
  const key = interfaceKey(owner.project, file);
  const known = state.interfaces[key];
  if (known === undefined) return state;
  const before = known.before ?? (isLanded(state, owner.id) ? known.text : null);
  const version = nextVersion(state, owner, file);
  // What is on the branch already is no new version.
  const next: LockedInterface =
    before === text
      ? { ...known, text, version: version - 1, before: null }
      : { ...known, text, version, before };
  return reopen({ ...state, interfaces: { ...state.interfaces, [key]: next } }, owner.id);
}

/** The version that a change of this interface gets. Versions count what was on the branch. */
function nextVersion(state: FeatureState, { id, project }: Component, file: string): number {
  const { version = 1, before = null } = state.interfaces[interfaceKey(project, file)] ?? {};
  return before === null && isLanded(state, id) ? version + 1 : version;
}

/** The same, as the project of this component counts. */
export function nextVersionFor(state: FeatureState, id: string, file: string): number {
  const owner = interfaceOwners(featureOf(state).plan, projectOf(state, id)).get(file);
  return owner === undefined ? 1 : nextVersion(state, owner, file);
}

/** The component of each project that locks this interface. */
function ownersOf(state: FeatureState, file: string): readonly Component[] {
  return allComponents(featureOf(state).plan).filter(({ interfaces = [] }) =>
    interfaces.some(({ path }) => path === file),
  );
}

function isLanded(state: FeatureState, id: string): boolean {
  return progressOf(state, id).before !== null || state.landed.some((one) => one.id === id);
}

/** What Supervisor is about to write. */
export function interfacesWritten(
  state: FeatureState,
  id: string,
  files: readonly { readonly path: string; readonly text: string }[],
): FeatureState {
  const interfaces = { ...state.interfaces };
  for (const { path, text } of files) {
    const key = interfaceKey(projectOf(state, id), path);
    const known = interfaces[key];
    if (known !== undefined) interfaces[key] = { ...known, written: text };
  }
  return { ...state, interfaces };
}

/** The interfaces of the phase are written again. What is under way about the old version does not count. */
function reopen(state: FeatureState, owner: string): FeatureState {
  const { state: own } = progressOf(state, owner);
  if (own === 'pending') return state;
  return settleRestart(change(state, owner, { restarts: true }), owner);
}

/** A new version that does not pass its check is taken back. The first version is a case for a person. */
export function interfacesFailed(state: FeatureState, owner: string, why: string): FeatureState {
  const paths = newPathsOf(state, owner);
  if (paths.length === 0) return askOrFail(state, owner, why, 'run');
  const interfaces = { ...state.interfaces };
  for (const path of paths) {
    const key = interfaceKey(projectOf(state, owner), path);
    const { before, version } = interfaces[key] ?? { before: null, version: 1 };
    interfaces[key] = { text: before ?? '', version: version - 1, before: null, written: null };
  }
  const { before: landed } = progressOf(state, owner);
  const kept = landed === null ? state : { ...state, landed: [...state.landed, landed] };
  const left = change(leaveQueue({ ...kept, interfaces }, owner), owner, {
    ...{ state: 'complete', before: null, why: `the new version was taken back: ${why}` },
  });
  const told = `The new version of ${shortList(paths, 5)} did not pass its check, so the old one stays: ${why}`;
  const informed = usersOf(left, paths).reduce(
    (each, { id }) =>
      progressOf(each, id).state === 'pending' ? change(each, id, { feedback: told }) : each,
    left,
  );
  return paths.reduce((each, path) => takeBackElsewhere(each, owner, path), informed);
}

/** All projects have the same text, so it stays everywhere if it does in one of them. */
function takeBackElsewhere(state: FeatureState, owner: string, path: string): FeatureState {
  const text = state.interfaces[interfaceKey(projectOf(state, owner), path)]?.text ?? '';
  return ownersOf(state, path)
    .filter((other) => state.interfaces[interfaceKey(other.project, path)]?.text !== text)
    .reduce((each, other) => putText(each, other, path, text), state);
}

/**
 * The files are on the branch. Those who use a file that has a new version start again. A version that was accepted
 * during the commit is not among them: it follows.
 */
export function interfacesLanded(state: FeatureState, owner: string): FeatureState {
  const paths = newPathsOf(state, owner);
  const project = projectOf(state, owner);
  const interfaces = { ...state.interfaces };
  for (const path of pathsOf(state, owner)) {
    const key = interfaceKey(project, path);
    const known = interfaces[key];
    if (known === undefined) continue;
    const { text, version, written } = known;
    const isNewer = written !== null && written !== text;
    interfaces[key] = isNewer
      ? { ...known, version: version + 1, before: written }
      : { ...known, before: null };
  }
  const settled: FeatureState = { ...state, interfaces };
  const users = usersOf(settled, paths).filter((one) => one.project === project);
  return users.reduce((each, { id }) => restart(each, id, paths), settled);
}

function pathsOf(state: FeatureState, owner: string): readonly string[] {
  const found = allComponents(featureOf(state).plan).find(({ id }) => id === owner);
  return (found?.interfaces ?? []).map(({ path }) => path);
}

/** Those of which a new version is written. */
function newPathsOf(state: FeatureState, owner: string): readonly string[] {
  const project = projectOf(state, owner);
  return pathsOf(state, owner).filter(
    (path) => state.interfaces[interfaceKey(project, path)]?.before != null,
  );
}

function usersOf(state: FeatureState, paths: readonly string[]): readonly Component[] {
  return allComponents(featureOf(state).plan).filter(({ uses = [] }) =>
    uses.some((path) => paths.includes(path)),
  );
}

function restart(state: FeatureState, id: string, paths: readonly string[]): FeatureState {
  const { state: own, feedback, tries } = progressOf(state, id);
  // What a person took out stays out. What has not begun reads the new version anyway.
  if (own === 'failed' || (own === 'pending' && tries === 0)) return state;
  const news = `${plural(paths.length, 'interface')} that you build on got a new version: ${shortList(paths, 5)}. Make your work fit it.`;
  if (own === 'pending')
    return change(state, id, { feedback: feedback === '' ? news : `${feedback}\n\n${news}` });
  return settleRestart(change(state, id, { restarts: true, feedback: news }), id);
}

/** It is pending again once none of its commands is open: what they say about the old version does not count. */
export function settleRestart(state: FeatureState, id: string): FeatureState {
  const { restarts } = progressOf(state, id);
  if (!restarts || isUncertain(state, id)) return state;
  if (state.open.some(({ component }) => component === id)) return state;
  const { back, ...holds } = state.holds;
  const before = state.landed.find((one) => one.id === id) ?? progressOf(state, id).before;
  const fresh = change(leaveQueue(state, id), id, {
    ...{ state: 'pending', restarts: false, before, run: null, work: null, wants: [] },
    ...{ failures: 0, interruptions: 0, why: 'it starts again with a new version of an interface' },
  });
  return {
    ...fresh,
    holds: { ...holds, back: back.filter((one) => one !== id) },
    landed: fresh.landed.filter((one) => one.id !== id),
  };
}

function unknownFeedback(files: string, known: readonly string[]): string {
  return `You did this before, and asked to change ${files}, which is no interface. The interfaces are: ${known.join(', ')}.`;
}

/** What its agents are told about files that they must not change. */
export function lockedFeedback(files: readonly string[]): string {
  return `You did this before, and changed ${files.join(', ')}. These interfaces are locked, because others build on them at the same time. Do your work again without changing them. If one of them has to change, ask for it in interface_changes of your answer.`;
}
