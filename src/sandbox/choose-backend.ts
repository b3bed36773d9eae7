/**
 * Which sandbox holds on this machine. That a program is installed says little, so each is tried: a
 * canary inside attempts to write outside, to reach a listener of ours, to read a planted secret and
 * to be root. Where none holds, nothing is chosen: being contained is not optional.
 */
import { Refusal } from '../base/errors.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { readSmallFile } from '../host/files/small-file.ts';
import { askEngine } from './container-engine.ts';
import type { SandboxFacts } from './sandbox-facts.ts';
import type { Backend } from './policy.ts';
import { CANARY_PROBES, didHold, runProbes } from './probes/run-probes.ts';
import type { ProbeReport } from './probes/run-probes.ts';
import type { SandboxPorts } from './run-sandboxed.ts';
import type { Enforced } from './wrapped.ts';

export type BackendChoice = {
  readonly backend: Backend;
  /** What it can hold a command to here; null for `none` and for a remembered trial. */
  readonly enforced: Enforced | null;
  readonly canary: 'passed' | 'remembered' | 'waived';
};

export type BackendRequest = {
  readonly backend: Backend | 'auto';
  readonly image: string | null;
  /** `--unsafe-no-sandbox`: the only way to get `none`. */
  readonly unsafe: boolean;
};

/** Remembers which trials were passed, so that each is made once a boot. */
export interface CanaryMemory {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

/** A memory in a file. That it can't be kept costs a trial the next time, and nothing else. */
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
  /** Of this program: another release wraps commands in another way, and is tried anew. */
  readonly release: string;
};

/** Strongest first. `none` is not among them. */
const ORDER: Readonly<Record<string, readonly Backend[]>> = {
  linux: ['bubblewrap', 'docker', 'podman'],
  darwin: ['seatbelt', 'docker', 'podman'],
};
const REMEMBERED_MAX = 20;
const VERSION_MS_MAX = 10_000;

export async function chooseBackend(
  wish: BackendRequest,
  ports: ChoicePorts,
): Promise<BackendChoice> {
  if (wish.backend === 'none' || wish.unsafe) {
    if (wish.unsafe) return { backend: 'none', enforced: null, canary: 'waived' };
    throw unavailable(['none is no sandbox']);
  }
  const { platform } = ports.facts;
  const candidates = wish.backend === 'auto' ? (ORDER[platform] ?? []) : [wish.backend];
  const faults: string[] = [];
  for (const backend of candidates) {
    const fault = whyNotTried(backend, wish, ports.facts);
    if (fault === undefined) {
      const tried = await tryBackend(backend, wish, ports);
      if (typeof tried !== 'string') return tried;
      faults.push(`${backend}: ${tried}`);
    } else {
      faults.push(`${backend}: ${fault}`);
    }
  }
  throw unavailable(faults.length === 0 ? [`none is known for ${platform}`] : faults);
}

/** What is missing before it is worth trying. */
export function whyNotTried(
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
        : `as root it takes ${missing}, which is not installed`;
    }
    case 'docker':
    case 'podman':
      if (tools[backend] === undefined) return 'it is not installed';
      return image === null ? 'it needs an image, and sandbox.image names none' : undefined;
    case 'seatbelt':
      return tools['sandbox-exec'] === undefined ? 'it is for macOS only' : undefined;
    case 'none':
      return 'it holds nobody';
  }
}

/** The choice, or why it can't be that one. */
async function tryBackend(
  backend: Backend,
  { image }: BackendRequest,
  ports: ChoicePorts,
): Promise<BackendChoice | string> {
  const { memory, tag } = ports;
  const name = await nameOfTrial(backend, image, ports);
  const passed = await recall(memory);
  if (name !== undefined && passed.includes(name))
    return { backend, enforced: null, canary: 'remembered' };
  const report = await runProbes(CANARY_PROBES, { ...ports, backend }, { image, tag });
  if (!didHold(report)) return describeBackendFailure(report);
  if (name !== undefined)
    await memory?.write(JSON.stringify({ passed: [name, ...passed].slice(0, REMEMBERED_MAX) }));
  return { backend, enforced: report.enforced, canary: 'passed' };
}

/** Why a report is not one of a sandbox that holds. */
export function describeBackendFailure({ rows, hits, secretSeen, failure }: ProbeReport): string {
  if (failure !== null) return failure;
  const bad = rows.filter(({ verdict }) => verdict === 'bad').map(({ id }) => id);
  return [
    ...(bad.length === 0 ? [] : [`it does not hold: ${bad.join(', ')}`]),
    ...(hits === 0 ? [] : ['a listener outside was reached']),
    ...(secretSeen ? ['a secret got out'] : []),
  ].join('; ');
}

/** All that the outcome of a trial depends on; undefined where that can't be known. */
async function nameOfTrial(
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
  const kept = parseJson((await memory?.read()) ?? '');
  const passed = isRecord(kept) ? kept['passed'] : [];
  return Array.isArray(passed) ? passed.filter((name) => typeof name === 'string') : [];
}

function unavailable(faults: readonly string[]): Refusal {
  return new Refusal({
    code: 'sandbox.unavailable',
    message: `No sandbox holds on this machine, so nothing is run (${faults.join('; ')}).`,
    hint: 'See what is missing with: supervisor doctor. To run without any sandbox, at your own risk, say --unsafe-no-sandbox.',
  });
}
