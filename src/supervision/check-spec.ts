/** Finds what OTP would refuse in a spec, as a sentence; undefined if the spec is valid. */
import { problemWithBackoff } from './backoff.ts';
import type { ChildSpec } from './child.ts';
import { restartPolicy, shutdownPolicy } from './child.ts';
import { problemWithProvenance } from './provenance.ts';
import type { Intensity } from './restart-window.ts';
import type { SupervisorSpec } from './supervisor-spec.ts';

const STRATEGIES: readonly unknown[] = [
  'one-for-one',
  'one-for-all',
  'rest-for-one',
  'dynamic',
  'revert',
];
const AUTO_SHUTDOWNS: readonly unknown[] = ['never', 'any-significant', 'all-significant'];
const RESTARTS: readonly unknown[] = ['permanent', 'transient', 'temporary'];
const TYPES: readonly unknown[] = ['worker', 'supervisor'];

type Flags = Required<Pick<SupervisorSpec, 'strategy' | 'autoShutdown'>>;

/** Specs may come from files and from untyped programs, so the values are checked too. */
export function problemWithSupervisor(spec: SupervisorSpec): string | undefined {
  const { strategy = 'one-for-one', autoShutdown = 'never', children = [] } = spec;
  if (!STRATEGIES.includes(strategy)) return `there is no strategy ${strategy}`;
  if (!AUTO_SHUTDOWNS.includes(autoShutdown)) return `there is no auto-shutdown ${autoShutdown}`;
  if (strategy === 'dynamic' && children.length > 0)
    return 'a dynamic supervisor starts without children';
  const problem =
    (spec.intensity && problemWithIntensity(spec.intensity)) ??
    (spec.backoff && problemWithBackoff(spec.backoff));
  if (problem !== undefined) return problem;
  const seen = new Set<string>();
  for (const child of children) {
    const problem = problemWithChild(child, { strategy, autoShutdown });
    if (problem !== undefined) return problem;
    if (seen.has(child.id)) return `two children have the id ${child.id}`;
    seen.add(child.id);
  }
  return problemWithProvenance(children);
}

export function problemWithChild(
  spec: ChildSpec,
  { strategy, autoShutdown }: Flags,
): string | undefined {
  const { id, type = 'worker', significant = false } = spec;
  const shutdown = shutdownPolicy(spec);
  if (typeof id !== 'string' || id === '') return 'a child needs an id';
  if (!RESTARTS.includes(restartPolicy(spec)))
    return `${id}: there is no restart ${String(spec.restart)}`;
  if (!TYPES.includes(type)) return `${id}: there is no type ${type}`;
  if (typeof significant !== 'boolean') return `${id}: significant is true or false`;
  if (significant && autoShutdown === 'never')
    return `${id}: significant has no effect while auto-shutdown is never`;
  if (significant && restartPolicy(spec) === 'permanent')
    return `${id}: a permanent child is always restarted, so it can't be significant`;
  if (shutdown !== 'brutal-kill' && shutdown !== 'infinity' && !isWhole(shutdown, 0))
    return `${id}: shutdown is milliseconds from 0, brutal-kill or infinity`;
  if (strategy === 'revert' && spec.revert === undefined)
    return `${id}: the strategy revert needs a revert function`;
  return (
    (spec.intensity && problemWithIntensity(spec.intensity)) ??
    (spec.backoff && problemWithBackoff(spec.backoff))
  );
}

function problemWithIntensity({ restartsMax, withinMs }: Intensity): string | undefined {
  if (!isWhole(restartsMax, 0)) return 'restartsMax must be a whole number from 0';
  if (!isWhole(withinMs, 1))
    return 'the restart window must be a whole number of milliseconds from 1';
  return undefined;
}

function isWhole(value: unknown, min: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= min;
}
