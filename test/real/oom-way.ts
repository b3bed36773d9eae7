/**
 * How an agent of a test is killed for memory: by the kernel if cgroups count memory, otherwise by
 * Supervisor.
 */
import type { TestContext } from 'node:test';
import type { CgroupParents } from '../../src/host/process/cgroup.ts';
import { findCgroups } from '../../src/host/process/cgroup.ts';

export type OomWay = 'kernel' | 'killed';

/**
 * CI names the expected way, so that a machine without memory accounting can't change the test
 * unnoticed.
 */
const VARIABLE = 'SUPERVISOR_TEST_OOM';

/**
 * Prints the way in the test's output. Throws if CI names none, or one that is not available here.
 */
export function oomWay(
  t: Pick<TestContext, 'diagnostic'>,
  env: Readonly<Record<string, string | undefined>> = process.env,
  cgroups: CgroupParents = findCgroups(),
): OomWay {
  const why = uncounted(cgroups);
  const named = env[VARIABLE];
  const isNamed = named === 'kernel' || named === 'killed';
  if (env['CI'] !== undefined && !isNamed)
    throw new Error(`CI has to say in ${VARIABLE} who kills for memory: kernel or killed`);
  if (named === 'kernel' && why !== null)
    throw new Error(`${VARIABLE} is kernel, and memory is not counted here: ${why}`);
  const way = isNamed ? named : why === null ? 'kernel' : 'killed';
  t.diagnostic(
    way === 'kernel'
      ? 'out of memory: by the kernel, in a group of processes with a limit'
      : `out of memory: NOT tried, the agent is killed by us instead (${why ?? `${VARIABLE}=killed`})`,
  );
  return way;
}

/** Null: memory is counted. */
function uncounted(cgroups: CgroupParents): string | null {
  if (cgroups.kind === 'none') return cgroups.why;
  return cgroups.kind === 'v1' && cgroups.parents.memory === undefined
    ? 'its groups of processes have no limit of memory'
    : null;
}
