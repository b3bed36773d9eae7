/**
 * Checks that a child gets no more than its parent has. A cap of null means unlimited, which only an
 * unlimited parent can give.
 */
import { posix } from 'node:path';
import { Refusal } from '../base/errors.ts';
import type { SpendingCaps, Grant } from '../protocol/agent-rules.ts';

const CAPS = ['usd', 'tokens', 'calls', 'wallMs'] as const;

/** What a parent can still give: its budget minus what it has spent and delegated. */
export function remainingGrant(
  budget: SpendingCaps,
  used: readonly Readonly<Record<keyof SpendingCaps, number>>[],
): SpendingCaps {
  const remaining = (cap: keyof SpendingCaps): number | null => {
    const max = budget[cap];
    return max === null
      ? null
      : Math.max(
          0,
          used.reduce((sum, one) => sum - one[cap], max),
        );
  };
  return {
    usd: remaining('usd'),
    tokens: remaining('tokens'),
    calls: remaining('calls'),
    wallMs: remaining('wallMs'),
  };
}

/** Problems as text; none if the parent's grant covers the child's. `parent.budget` is the remainder. */
export function grantProblems(parent: Grant, child: Grant): readonly string[] {
  const mayRead = [...parent.reads, ...parent.writes];
  return [
    ...outside(child.writes, parent.writes).map((path) => `its parent may not write to ${path}`),
    ...outside(child.reads, mayRead).map((path) => `its parent may not read ${path}`),
    ...missingFrom(child.hosts, parent.hosts).map((host) => `its parent may not reach ${host}`),
    ...missingFrom(child.capabilities, parent.capabilities).map(
      (name) => `its parent has no ${name}`,
    ),
    ...CAPS.flatMap((cap) => problemWithCap(cap, parent.budget[cap], child.budget[cap])),
  ];
}

/** Refuses with `agent.grant-too-wide`, and names everything that is too wide. */
export function checkGrant(parent: Grant, child: Grant): void {
  const problems = grantProblems(parent, child);
  if (problems.length === 0) return;
  throw new Refusal({
    code: 'agent.grant-too-wide',
    message: `A child can't have more than its parent: ${problems.join('; ')}.`,
    hint: 'Request less, or spawn it under a parent that has it.',
  });
}

function problemWithCap(
  cap: keyof SpendingCaps,
  has: number | null,
  requested: number | null,
): readonly string[] {
  if (has === null) return [];
  if (requested === null)
    return [`its parent has ${has} ${cap} left, so the child needs its own cap`];
  return requested > has ? [`its parent has ${has} ${cap} left, not ${requested}`] : [];
}

function missingFrom(requested: readonly string[], has: readonly string[]): readonly string[] {
  return requested.filter((one) => !has.includes(one));
}

/** `..` is resolved first. A relative path is inside no folder. */
function outside(requested: readonly string[], folders: readonly string[]): readonly string[] {
  const dirs = folders.map((folder) => posix.normalize(`${folder}/`));
  return requested.filter((path) => {
    const requested = posix.normalize(`${path}/`);
    return !posix.isAbsolute(requested) || !dirs.some((dir) => requested.startsWith(dir));
  });
}
