/** Decides how a finished phase of a feature is taken out again: from the branch that is checked out, or from its own. */
import { Refusal } from '../../base/errors.ts';
import { shortList } from '../../base/text.ts';
import type { Client } from '../../client/client.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { FeatureView } from '../../protocol/views/feature-view.ts';
import { nearest } from '../../yaml/nearest.ts';
import { suggest } from '../../yaml/schema-faults.ts';
import type { CliContext } from '../cli-context.ts';
import { requireRoot } from './commit-applied.ts';
import { inProjectOf } from '../tasks/project-of-task.ts';
import { checkedOutBranch, isMerged } from './merge-branch.ts';
import type { Rollback } from './plan-rollback.ts';
import { filesOf, isReverted, requireNoCheckout } from './plan-rollback.ts';
import { branchTip } from '../tasks/task-work.ts';
import { userGitLine } from './user-git.ts';

/** Changes nothing. `named`: the id of a phase, or its name in the file. */
export async function planPhaseRollback(
  context: CliContext,
  client: Client,
  { id, project, outcome }: RunView,
  named: string,
): Promise<Rollback> {
  const feature = inProjectOf(await client.feature(id), project);
  const { phase, later } = findPhase(feature, named);
  if (outcome === null)
    throw new Refusal({
      code: 'run.not-ended',
      message: `The feature ${feature.feature} is being built, so no phase can be taken out.`,
      hint: `Stop it first: supervisor feature cancel ${id}`,
    });
  const landed = commitsOf(feature, [phase]);
  const root = await requireRoot(context, project);
  const open = await notReverted(context, root, landed);
  if (open.length === 0)
    throw refusal(
      `Nothing of the phase ${phase.id} has landed, or it is rolled back already.`,
      `See what has landed with: supervisor merges ${id}`,
    );
  const above = await notReverted(context, root, commitsOf(feature, later));
  const { branch } = feature;
  const [newest = ''] = open;
  const isInCheckout = await isMerged(context, root, newest);
  const tip = await branchTip(context, root, branch);
  if (!isInCheckout && tip === undefined)
    throw refusal(
      `Neither ${branch} nor the branch that is checked out has the phase ${phase.id}.`,
      `It is kept: supervisor feature show ${id}`,
    );
  const isBuiltUpon = isInCheckout
    ? await anyMerged(context, root, above)
    : tip !== newest && above.includes(tip ?? '');
  if (isBuiltUpon)
    throw refusal(
      `Later phases build on ${phase.id}: ${shortList(
        later.map((one) => one.id),
        5,
      )}. Nothing was changed.`,
      `Roll back the last one first: supervisor rollback ${id} --phase ${later.at(-1)?.id ?? ''}`,
    );
  if (isInCheckout)
    return {
      ...{ kind: 'revert-commits', root, commits: open, phase: phase.id },
      files: await filesOf(context, root, open),
      branch: await checkedOutBranch(context, root),
    };
  return shortened(context, root, { branch, tip: tip ?? '', open, phase: phase.id });
}

/** Only the end of a branch can be taken off without new commits. */
async function shortened(
  context: CliContext,
  root: string,
  {
    branch,
    tip,
    open,
    phase,
  }: {
    readonly branch: string;
    readonly tip: string;
    readonly open: readonly string[];
    readonly phase: string;
  },
): Promise<Rollback> {
  let at = tip;
  for (const commit of open) {
    const parent = await userGitLine(context, root, ['rev-parse', '--verify', `${at}^`]);
    if (at !== commit || parent === undefined)
      throw refusal(
        `The branch ${branch} does not end with the commits of the phase ${phase}. Nothing was changed.`,
        `Check it out and revert them: git revert ${open.map((one) => one.slice(0, 12)).join(' ')}`,
      );
    at = parent;
  }
  await requireNoCheckout(context, root, branch);
  return { kind: 'shorten-branch', root, branch, tip, to: at, commits: open, phase };
}

type Phase = FeatureView['phases'][number];

function findPhase(
  { phases, feature }: FeatureView,
  named: string,
): { readonly phase: Phase; readonly later: readonly Phase[] } {
  const isNamed = ({ id, components }: Phase): boolean =>
    id === named || components.some(({ name }) => name.startsWith(`${named}.`));
  const nth = phases.findIndex(isNamed);
  const phase = phases[nth];
  if (phase !== undefined) return { phase, later: phases.slice(nth + 1) };
  const ids = phases.map(({ id }) => id);
  throw new Refusal({
    code: 'usage.invalid',
    message: `The feature ${feature} has no phase ${JSON.stringify(named)}${suggest(nearest(named, ids))}.`,
    hint: `Its phases are ${ids.join(', ')}.`,
  });
}

/** Newest first. */
function commitsOf({ landed }: FeatureView, phases: readonly Phase[]): readonly string[] {
  const ids = new Set(phases.flatMap(({ components }) => components.map(({ id }) => id)));
  return landed
    .filter(({ id }) => ids.has(id))
    .map(({ commit }) => commit)
    .toReversed();
}

async function notReverted(
  context: CliContext,
  root: string,
  commits: readonly string[],
): Promise<readonly string[]> {
  const open: string[] = [];
  for (const commit of commits) if (!(await isReverted(context, root, commit))) open.push(commit);
  return open;
}

async function anyMerged(
  context: CliContext,
  root: string,
  commits: readonly string[],
): Promise<boolean> {
  for (const commit of commits) if (await isMerged(context, root, commit)) return true;
  return false;
}

function refusal(message: string, hint: string): Refusal {
  return new Refusal({ code: 'workspace.not-undoable', message, hint });
}
