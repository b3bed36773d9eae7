/** What a gate's command may see, touch and use, and how its tests are counted. */
import { attachReporter, REPORTS_INSIDE } from '../test-reports/attach-runner.ts';
import type { TestReports } from '../test-reports/collect-reports.ts';
import { NEEDS_NODE } from '../test-reports/non-js-runners.ts';
import type { CommandRequest } from '../engine/performer.ts';
import type { Backend, SandboxPolicy } from '../sandbox/policy.ts';
import type { GateTree } from '../workspace/gate-tree.ts';
import { PASSED_IN, PATH_INSIDE } from '../execution/environments/agent-policy.ts';
import type { GateInput } from '../attempts/gate-outcome.ts';
import type { Followed } from './follow/followed.ts';
import type { GateEnvironment, GateEnvironmentPorts } from './gate-environment.ts';
import { findInstallation } from '../execution/environments/installation.ts';
import type { GrantedTo } from '../execution/environments/prepare-tree.ts';

/** What a check has besides the work: a home, what the setup made, and what the user grants. */
type Furnished = {
  readonly home: string;
  readonly given: { readonly granted: GrantedTo; readonly mounts: SandboxPolicy['mounts'] };
};

/** What holds a check: the tree to write to, no network, and programs that are there for everybody. */
export function gatePolicy(
  order: CommandRequest,
  { sandbox, command, timeoutMs }: GateInput,
  { work, cwd, home, given }: Pick<GateTree, 'work' | 'cwd'> & Furnished,
  { env, placeIdOf }: GateEnvironmentPorts,
): SandboxPolicy {
  const { memoryBytes, cpus, pids, diskBytes, tmpBytes, mounts, image, pull } = sandbox;
  const programs = [command[0] ?? '', 'npm', 'node'].flatMap(
    (name) => findInstallation(name, env) ?? [],
  );
  const path = new Set([...given.granted.path, ...programs.flatMap((one) => one.path)]);
  return {
    id: placeIdOf(order.run, order.key),
    read: [...new Set([...given.granted.read, ...programs.flatMap(({ read }) => read)])],
    write: [work],
    // What an agent may write to, a check may read.
    mounts: [...mounts.map(({ from, to }) => ({ from, to, mode: 'ro' }) as const), ...given.mounts],
    home,
    cwd,
    env: {
      ...Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_IN.includes(name))),
      PATH: [...path, PATH_INSIDE].join(':'),
      CI: '1',
    },
    network: { kind: 'none' },
    limits: { memoryBytes, cpus, pids, diskBytes, tmpBytes, timeMs: timeoutMs },
    image,
    pull,
    unsafe: false,
  };
}

export function unsandboxedGatePolicy(
  order: CommandRequest,
  { sandbox, project, timeoutMs }: GateInput,
  { env, placeIdOf }: GateEnvironmentPorts,
): SandboxPolicy {
  const { memoryBytes, cpus, pids, tmpBytes } = sandbox;
  return {
    id: placeIdOf(order.run, order.key),
    read: [],
    write: [],
    mounts: [],
    home: null,
    cwd: project,
    env: { ...env, CI: '1' },
    network: { kind: 'none' },
    limits: { memoryBytes, cpus, pids, diskBytes: null, tmpBytes, timeMs: timeoutMs },
    image: null,
    pull: 'never',
    unsafe: true,
  };
}

/** The same, with reporters that its test runners load and a socket for them to report to. */
export function withTestReports(
  policy: SandboxPolicy,
  backend: Backend,
  reports: TestReports | undefined,
): SandboxPolicy {
  if (reports === undefined) return policy;
  const { folder } = reports;
  if (backend === 'none') return { ...policy, env: attachReporter(policy.env, folder) };
  const to = backend === 'seatbelt' ? folder : REPORTS_INSIDE;
  const mounts = [...policy.mounts, { from: folder, to, mode: 'ro' } as const];
  return { ...policy, mounts, env: attachReporter(policy.env, to) };
}

/** Which runners of the command have to report, and why others of it can't. */
export function reporting(
  { runners, silent, uncounted }: Followed,
  backend: Backend,
): Pick<GateEnvironment, 'runners' | 'silent'> {
  const isImage = backend === 'docker' || backend === 'podman';
  const why = (runner: string): string | undefined => {
    const node = `node counts the tests of ${runner}, and the image may have none`;
    return silent.get(runner) ?? (isImage && NEEDS_NODE.includes(runner) ? node : undefined);
  };
  return {
    runners: [...runners].filter((runner) => why(runner) === undefined),
    silent: [
      ...new Set([...runners].flatMap((runner) => why(runner) ?? [])),
      ...[...uncounted].toSorted().map((name) => `Supervisor has no reporter for ${name}`),
    ],
  };
}
