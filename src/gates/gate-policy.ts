/** The sandbox policy of a gate: what its command may see and use, and how its tests are counted. */
import { join } from 'node:path';
import { attachReporter, REPORTS_INSIDE } from '../test-reports/attach-runner.ts';
import type { TestReports } from '../test-reports/collect-reports.ts';
import { NEEDS_NODE } from '../test-reports/non-js-runners.ts';
import type { CommandRequest } from '../engine/performer.ts';
import type { Backend, SandboxPolicy } from '../sandbox/policy.ts';
import { configuredPolicy, PATH_INSIDE } from '../sandbox/policy.ts';
import type { GateTree } from '../workspace/gate-tree.ts';
import { passedIn } from '../execution/environments/agent-policy.ts';
import type { Followed } from './follow/followed.ts';
import type { GateEnvironment } from './gate-environment.ts';
import type { ExecutionHost } from '../execution/environments/environment.ts';
import { commandAccess } from '../execution/environments/installation.ts';
import type { GrantedTo } from '../execution/environments/prepare-tree.ts';
import type { GateInput } from '../protocol/contracts/gate-contract.ts';

/** What a gate has besides the work: a home, the result of the setup, and what the user grants. */
type GateSupplies = {
  readonly home: string;
  readonly given: { readonly granted: GrantedTo; readonly mounts: SandboxPolicy['mounts'] };
};

/** A gate may write to its tree, and has no network. */
export function gatePolicy(
  request: CommandRequest,
  input: GateInput,
  { work, cwd, home, given }: Pick<GateTree, 'work' | 'cwd'> & GateSupplies,
  { env, sandboxLabel }: ExecutionHost,
): SandboxPolicy {
  const { sandbox, command, timeoutMs, workingDir = '' } = input;
  const { read, path } = commandAccess(command, given.granted, env);
  const limits = { ...sandbox, ...gateLimits(input) };
  const folder = join(cwd, workingDir);
  return {
    ...configuredPolicy(sandboxLabel(request.run, request.key), folder, limits, timeoutMs),
    read,
    write: [work],
    // A gate may only read the mounts that an agent may write to.
    mounts: [
      ...sandbox.mounts.map(({ from, to }) => ({ from, to, mode: 'ro' }) as const),
      ...given.mounts,
    ],
    home,
    env: { ...passedIn(env), ...input.env, PATH: [...path, PATH_INSIDE].join(':'), CI: '1' },
  };
}

const MEMORY_BYTES = 2_000_000_000;
const CPUS = 1;

/** A check needs less than an agent. It never gets more than the sandbox has, unless its own settings say so. */
export function gateLimits({
  memoryBytes,
  cpus,
  sandbox,
}: Pick<GateInput, 'memoryBytes' | 'cpus' | 'sandbox'>): {
  readonly memoryBytes: number;
  readonly cpus: number;
} {
  return {
    memoryBytes: memoryBytes ?? Math.min(MEMORY_BYTES, sandbox.memoryBytes),
    cpus: cpus ?? Math.min(CPUS, sandbox.cpus),
  };
}

/** `project`: the folder that stands for the project, which may be a copy of it. */
export function unsandboxedGatePolicy(
  request: CommandRequest,
  input: GateInput,
  project: string,
  { env, sandboxLabel }: ExecutionHost,
): SandboxPolicy {
  const { sandbox, timeoutMs, workingDir = '' } = input;
  const limits = {
    ...sandbox,
    ...gateLimits(input),
    ...({ diskBytes: null, image: null, pull: 'never' } as const),
  };
  const folder = join(project, workingDir);
  return {
    ...configuredPolicy(sandboxLabel(request.run, request.key), folder, limits, timeoutMs),
    env: { ...env, ...input.env, CI: '1' },
    unsafe: true,
  };
}

/** Adds the reporters that test runners load, and the socket to which they report. */
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
