/**
 * A component that needs another interface asks for it. If a person agrees, the interface gets a new version, which is
 * written, checked and committed like the first one. Then only the components that use it start again.
 */
import { plural, shortList } from '../base/text.ts';
import type { InterfaceChange } from '../protocol/answer.ts';
import { allComponents, interfaceOwners } from '../protocol/feature.ts';
import { askOrFail, change, giveBack, leaveQueue } from './component-changes.ts';
import type { FeatureState, LockedInterface } from './feature-state.ts';
import { featureOf, progressOf } from './feature-state.ts';

/** By path: every interface of the plan. */
export function lockedPaths({ interfaces }: FeatureState): readonly string[] {
  return Object.keys(interfaces);
}

/** The run of a component has ended with a request. */
export function askForChange(
  state: FeatureState,
  id: string,
  changes: readonly InterfaceChange[],
): FeatureState {
  const unknown = changes.map(({ file }) => file).filter((file) => !(file in state.interfaces));
  if (unknown.length > 0) {
    const files = shortList(unknown, 5);
    return giveBack(state, id, `${files}: no such interface`, unknownFeedback(files, state));
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
  const owners = interfaceOwners(featureOf(state).plan);
  const waiting = change(state, id, {
    ...{ state: 'pending', failures: 0, interruptions: 0 },
    feedback: `You did this before, and asked to change ${shortList(
      changes.map(({ file }) => file),
      5,
    )}. That was accepted, and the new version is in the project now.`,
  });
  return changes.reduce((changed, { file, definition }) => {
    const owner = owners.get(file);
    const known = changed.interfaces[file];
    if (owner === undefined || known === undefined) return changed;
    const next: LockedInterface = {
      ...{ text: definition, version: known.version + 1 },
      before: known.before ?? known.text,
    };
    const written = { ...changed, interfaces: { ...changed.interfaces, [file]: next } };
    return reopen(written, owner.id);
  }, waiting);
}

/** The interfaces of the phase are written again. What is under way about the old version does not count. */
function reopen(state: FeatureState, owner: string): FeatureState {
  const { state: own } = progressOf(state, owner);
  if (own === 'pending') return state;
  return settleRestart(change(state, owner, { restarts: true }), owner);
}

/** A new version that does not pass its check is taken back. The first version is a case for a person. */
export function interfacesFailed(state: FeatureState, owner: string, why: string): FeatureState {
  const paths = pathsOf(state, owner).filter((path) => state.interfaces[path]?.before != null);
  if (paths.length === 0) return askOrFail(state, owner, why, 'run');
  const interfaces = { ...state.interfaces };
  for (const path of paths) {
    const { before, version } = interfaces[path] ?? { before: null, version: 1 };
    interfaces[path] = { text: before ?? '', version: version - 1, before: null };
  }
  const { before: landed } = progressOf(state, owner);
  const kept = landed === null ? state : { ...state, landed: [...state.landed, landed] };
  const left = change(leaveQueue({ ...kept, interfaces }, owner), owner, {
    ...{ state: 'complete', before: null, why: `the new version was taken back: ${why}` },
  });
  const told = `The new version of ${shortList(paths, 5)} did not pass its check, so the old one stays: ${why}`;
  return usersOf(left, paths).reduce(
    (each, id) =>
      progressOf(each, id).state === 'pending' ? change(each, id, { feedback: told }) : each,
    left,
  );
}

/** The files are on the branch. Those who use a file that has a new version start again. */
export function interfacesLanded(state: FeatureState, owner: string): FeatureState {
  const paths = pathsOf(state, owner).filter((path) => state.interfaces[path]?.before != null);
  const interfaces = { ...state.interfaces };
  for (const path of paths) {
    const { text, version } = interfaces[path] ?? { text: '', version: 1 };
    interfaces[path] = { text, version, before: null };
  }
  const settled: FeatureState = { ...state, interfaces };
  return usersOf(settled, paths).reduce((each, id) => restart(each, id, paths), settled);
}

function pathsOf(state: FeatureState, owner: string): readonly string[] {
  const found = allComponents(featureOf(state).plan).find(({ id }) => id === owner);
  return (found?.interfaces ?? []).map(({ path }) => path);
}

function usersOf(state: FeatureState, paths: readonly string[]): readonly string[] {
  return allComponents(featureOf(state).plan)
    .filter(({ uses = [] }) => uses.some((path) => paths.includes(path)))
    .map(({ id }) => id);
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
  if (!restarts || state.open.some(({ component }) => component === id)) return state;
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

function unknownFeedback(files: string, state: FeatureState): string {
  return `You did this before, and asked to change ${files}, which is no interface. The interfaces are: ${lockedPaths(state).join(', ')}.`;
}

/** What its agents are told about files that they must not change. */
export function lockedFeedback(files: readonly string[]): string {
  return `You did this before, and changed ${files.join(', ')}. These interfaces are locked, because others build on them at the same time. Do your work again without changing them. If one of them has to change, ask for it in interface_changes of your answer.`;
}
