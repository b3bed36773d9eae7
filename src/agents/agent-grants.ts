/**
 * What a parent may give to a child: never more than it has. A cap that is null is no cap, which only a
 * parent without one can give.
 */
import { posix } from 'node:path';
import { Refusal } from '../base/errors.ts';
import type { SpendingCaps, Grant } from '../protocol/agent-rules.ts';

const CAPS = ['usd', 'tokens', 'calls', 'wallMs'] as const;

/** What a parent can still give: its budget without what it has spent and what it has given to others. */
export function remainingGrant(
  budget: SpendingCaps,
  taken: readonly Readonly<Record<keyof SpendingCaps, number>>[],
): SpendingCaps {
  const left = (cap: keyof SpendingCaps): number | null => {
    const max = budget[cap];
    return max === null
      ? null
      : Math.max(
          0,
          taken.reduce((sum, one) => sum - one[cap], max),
        );
  };
  return { usd: left('usd'), tokens: left('tokens'), calls: left('calls'), wallMs: left('wallMs') };
}

/** In sentences; none where the child's is a part of the parent's. `parent.budget` is its remainder. */
export function grantProblems(parent: Grant, child: Grant): readonly string[] {
  const mayRead = [...parent.reads, ...parent.writes];
  return [
    ...outside(child.writes, parent.writes).map((path) => `its parent may not write to ${path}`),
    ...outside(child.reads, mayRead).map((path) => `its parent may not read ${path}`),
    ...beyond(child.hosts, parent.hosts).map((host) => `its parent may not reach ${host}`),
    ...beyond(child.capabilities, parent.capabilities).map((name) => `its parent has no ${name}`),
    ...CAPS.flatMap((cap) => problemWithCap(cap, parent.budget[cap], child.budget[cap])),
  ];
}

/** Refuses with `agent.grant-too-wide`, with everything that is too wide. */
export function checkGrant(parent: Grant, child: Grant): void {
  const problems = grantProblems(parent, child);
  if (problems.length === 0) return;
  throw new Refusal({
    code: 'agent.grant-too-wide',
    message: `A child can't have more than its parent: ${problems.join('; ')}.`,
    hint: 'Ask for less, or start it under a parent that has it.',
  });
}

function problemWithCap(
  cap: keyof SpendingCaps,
  has: number | null,
  wanted: number | null,
): readonly string[] {
  if (has === null) return [];
  if (wanted === null) return [`its parent has ${has} ${cap} left, so it needs a cap of its own`];
  return wanted > has ? [`its parent has ${has} ${cap} left, not ${wanted}`] : [];
}

function beyond(wanted: readonly string[], has: readonly string[]): readonly string[] {
  return wanted.filter((one) => !has.includes(one));
}

/** `..` is followed before it is looked at; a path that is not absolute is inside of nothing. */
function outside(wanted: readonly string[], folders: readonly string[]): readonly string[] {
  const dirs = folders.map((folder) => posix.normalize(`${folder}/`));
  return wanted.filter((path) => {
    const asked = posix.normalize(`${path}/`);
    return !posix.isAbsolute(asked) || !dirs.some((dir) => asked.startsWith(dir));
  });
}
