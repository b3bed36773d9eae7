/**
 * Chooses the sandbox backend that works on this machine. An installed program proves little, so each backend is
 * tried: a canary inside tries to write outside, to reach our listener, to read a planted secret and to be root. If
 * no backend passes, none is chosen: containment is not optional.
 */
import { Refusal } from '../base/errors.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { readSmallFile } from '../host/files/read-text-file.ts';
import { askEngine } from './container-engine.ts';
import type { SandboxFacts } from './sandbox-facts.ts';
import type { Backend } from './policy.ts';
import { CANARY_PROBES, didHold, runProbes } from './probes/run-probes.ts';
import type { ProbeReport } from './probes/run-probes.ts';
import type { SandboxPorts } from './run-sandboxed.ts';
import type { Enforced } from './wrapped.ts';

export type BackendChoice = {
  readonly backend: Backend;
  /** What the backend enforces here. Null for `none` and for a remembered trial. */
  readonly enforced: Enforced | null;
  readonly canary: 'passed' | 'remembered' | 'waived';
};

export type BackendRequest = {
  readonly backend: Backend | 'auto';
  readonly image: string | null;
  /** `--unsafe-no-sandbox`: the only way to get `none`. */
  readonly unsafe: boolean;
};

/** Remembers which trials passed, so that each runs once per boot. */
export interface CanaryMemory {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

/** A memory in a file. If it cannot be stored, the only cost is another trial. */
export function canaryMemory(
  read: () => Promise<string | undefined>,
  write: (text: string) => Promise<void>,
): CanaryMemory {
  return {
    read: () => read().catch(() => undefined),
    write: (text) => write(text).catch(() => undefined),
  };
}

export type ChoicePorts = Omit<SandboxPorts, 'backend' | 'user'> & {
  readonly tag: string;
  readonly memory?: CanaryMemory;
  /** The release of this program. Another release may wrap commands differently, so it is tried again. */
  readonly release: string;
};

/** The strongest backend first. `none` is not listed. */
const ORDER: Readonly<Record<string, readonly Backend[]>> = {
  linux: ['bubblewrap', 'docker', 'podman'],
  darwin: ['seatbelt', 'docker', 'podman'],
};
const REMEMBERED_MAX = 20;
const VERSION_MS_MAX = 10_000;

export async function chooseBackend(
  request: BackendRequest,
  ports: ChoicePorts,
): Promise<BackendChoice> {
  if (request.backend === 'none' || request.unsafe) {
    if (request.unsafe) return { backend: 'none', enforced: null, canary: 'waived' };
    throw unavailable(['none is not a sandbox']);
  }
  const { platform } = ports.facts;
  const candidates = request.backend === 'auto' ? (ORDER[platform] ?? []) : [request.backend];
  const faults: string[] = [];
  for (const backend of candidates) {
    const fault = explainNotTried(backend, request, ports.facts);
    if (fault === undefined) {
      const tried = await tryBackend(backend, request, ports);
      if (typeof tried !== 'string') return tried;
      faults.push(`${backend}: ${tried}`);
    } else {
      faults.push(`${backend}: ${fault}`);
    }
  }
  throw unavailable(faults.length === 0 ? [`none is known for ${platform}`] : faults);
}

/** What is missing before a trial makes sense. Undefined: nothing. */
export function explainNotTried(
  backend: Backend,
  { image }: Pick<BackendRequest, 'image'>,
  { platform, tools, uid }: SandboxFacts,
): string | undefined {
  switch (backend) {
    case 'bubblewrap': {
      if (platform !== 'linux') return 'it is for Linux only';
      if (tools.bwrap === undefined) return 'it is not installed';
      const needed = uid === 0 ? (['setpriv', 'unshare'] as const) : [];
      const missing = needed.find((tool) => tools[tool] === undefined);
      return missing === undefined
        ? undefined
        : `as root it needs ${missing}, which is not installed`;
    }
    case 'docker':
    case 'podman':
      if (tools[backend] === undefined) return 'it is not installed';
      return image === null ? 'it needs an image, and sandbox.image names none' : undefined;
    case 'seatbelt':
      return tools['sandbox-exec'] === undefined ? 'it is for macOS only' : undefined;
    case 'none':
      return 'it contains nothing';
  }
}

/** The choice, or the reason why this backend cannot be used. */
async function tryBackend(
  backend: Backend,
  { image }: BackendRequest,
  ports: ChoicePorts,
): Promise<BackendChoice | string> {
  const { memory, tag } = ports;
  const trialName = await computeTrialName(backend, image, ports);
  const passed = await recall(memory);
  if (trialName !== undefined && passed.includes(trialName))
    return { backend, enforced: null, canary: 'remembered' };
  const report = await runProbes(CANARY_PROBES, { ...ports, backend }, { image, tag });
  if (!didHold(report)) return describeBackendFailure(report);
  if (trialName !== undefined)
    await memory?.write(
      JSON.stringify({ passed: [trialName, ...passed].slice(0, REMEMBERED_MAX) }),
    );
  return { backend, enforced: report.enforced, canary: 'passed' };
}

/** Explains why a report does not show a working sandbox. */
export function describeBackendFailure({ rows, hits, secretSeen, failure }: ProbeReport): string {
  if (failure !== null) return failure;
  const bad = rows.filter(({ verdict }) => verdict === 'bad').map(({ id }) => id);
  return [
    ...(bad.length === 0 ? [] : [`it does not hold: ${bad.join(', ')}`]),
    ...(hits === 0 ? [] : ['a listener outside was reached']),
    ...(secretSeen ? ['a secret got out'] : []),
  ].join('; ');
}

/** Everything that the result of a trial depends on. Undefined if that cannot be determined. */
async function computeTrialName(
  backend: Backend,
  image: string | null,
  { facts, clock, tag, release }: ChoicePorts,
): Promise<string | undefined> {
  const boot = await readSmallFile('/proc/sys/kernel/random/boot_id', 100);
  const program =
    facts.tools[backend === 'bubblewrap' ? 'bwrap' : backend === 'docker' ? 'docker' : 'podman'];
  if (boot.kind !== 'text' || program === undefined || backend === 'seatbelt') return undefined;
  const args =
    backend === 'docker' ? ['version', '--format', '{{.Server.Version}}'] : ['--version'];
  const version = await askEngine([program, ...args], facts.engineEnv, clock, tag, VERSION_MS_MAX);
  if (!version.ok) return undefined;
  const parts = [
    release,
    boot.text,
    backend,
    version.text,
    String(facts.uid),
    image ?? '',
    facts.cgroup.kind,
  ];
  return parts.map((part) => part.trim()).join(' | ');
}

async function recall(memory: CanaryMemory | undefined): Promise<readonly string[]> {
  const stored = parseJson((await memory?.read()) ?? '');
  const passed = isRecord(stored) ? stored['passed'] : [];
  return Array.isArray(passed) ? passed.filter((name) => typeof name === 'string') : [];
}

function unavailable(faults: readonly string[]): Refusal {
  return new Refusal({
    code: 'sandbox.unavailable',
    message: `No sandbox holds on this machine, so nothing is run (${faults.join('; ')}).`,
    hint: 'See what is missing with: supervisor doctor. To run without any sandbox, at your own risk, pass --unsafe-no-sandbox.',
  });
}
