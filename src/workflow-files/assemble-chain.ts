/** Puts the steps of a workflow into one chain: positions, settings, gates that the project has, disabled steps. */
import type { PinnedGate } from '../protocol/pinned-settings.ts';
import type { WorkflowFile } from '../settings/workflow-file.ts';
import { unreachable } from './check-chain.ts';
import { checkLinks, insertSteps, removeSteps, reportUnknown } from './link-steps.ts';
import type { Chain } from './link-steps.ts';
import { checkMarker, toDraft } from './step-draft.ts';
import type { Report } from './step-draft.ts';
import { findStepGates } from './step-gates.ts';
import { applySettings, demandReviews, securitySteps } from './workflow-settings.ts';
import type { RoleAnswers } from './workflow-settings.ts';

export type AssembledChain = {
  readonly chain: Chain;
  readonly gates: ReadonlyMap<string, readonly PinnedGate[]>;
  readonly notes: readonly string[];
};

export type Surroundings = {
  readonly roles: RoleAnswers;
  readonly gates: readonly PinnedGate[];
  readonly report: Report;
  /** Only a template that is meant for extending defines the step. */
  readonly isOfBase: (id: string) => boolean;
  /** Commits are made on branches of their own. If not, commit steps are left out. */
  readonly makesBranches: boolean;
};

export function assembleChain(file: WorkflowFile, around: Surroundings): AssembledChain {
  const { report } = around;
  const drafts = Object.entries(file.steps).flatMap(([id, step]) => {
    const draft = toDraft(id, step, report);
    if (draft !== undefined) checkMarker(draft, report);
    return draft === undefined ? [] : [draft];
  });
  const ids = Object.keys(file.steps);
  const initial = file.initial_step ?? ids[0] ?? '';
  if (file.initial_step !== undefined && !ids.includes(initial))
    reportUnknown(['initial_step'], initial, ids, report);
  const linked = insertSteps({ initial, drafts: checkLinks(drafts, report) }, report);
  demandReviews(linked, file.settings, report);
  const disabled = findDisabled(file, ids, report);
  const commits = around.makesBranches ? [] : linked.drafts.filter(({ kind }) => kind === 'commit');
  const off = new Set([...disabled, ...securitySteps(linked, file.settings)]);
  const enabled = linked.drafts.filter((draft) => !off.has(draft.id) && !commits.includes(draft));
  const { gates, absent, notes } = findStepGates(enabled, around.gates, report);
  const left = removeSteps(
    linked,
    new Set([...off, ...absent, ...commits.map(({ id }) => id)]),
    report,
  );
  const trimmed = withoutUnusedBase(left, around);
  const chain = applySettings(trimmed.chain, file.settings, around.roles, report);
  const offNotes = [
    ...[...off].map((id) => `${id} is left out: it is disabled.`),
    ...commits.map(
      ({ id }) => `${id} is left out with its gates, because git.auto_branch is false. ${APPLY}`,
    ),
  ];
  return { chain, gates, notes: [...offNotes, ...notes, ...trimmed.notes] };
}

const APPLY = 'Take the work with: supervisor apply --commit';

function findDisabled(
  file: WorkflowFile,
  ids: readonly string[],
  report: Report,
): readonly string[] {
  const names = file.disable ?? [];
  for (const [index, name] of names.entries()) {
    const path = ['disable', index];
    if (!ids.includes(name)) reportUnknown(path, name, ids, report);
    if (file.steps[name]?.required === true)
      report(path, `the step ${name} is required, so it cannot be disabled`);
  }
  return names;
}

/** A template that is meant for extending offers steps. One that its children do not use is left out. */
function withoutUnusedBase(
  chain: Chain,
  { isOfBase }: Surroundings,
): { readonly chain: Chain; readonly notes: readonly string[] } {
  const unused = unreachable(chain).filter(({ id, kind, file }) => {
    if (!isOfBase(id)) return false;
    const another = chain.drafts.some((other) => other.id !== id && other.kind === kind);
    return file.required !== true || (kind === 'commit' && another);
  });
  if (unused.length === 0) return { chain, notes: [] };
  const names = new Set(unused.map(({ id }) => id));
  return {
    chain: { ...chain, drafts: chain.drafts.filter(({ id }) => !names.has(id)) },
    notes: unused.map(({ id }) => `${id} is left out: no step leads to it.`),
  };
}
