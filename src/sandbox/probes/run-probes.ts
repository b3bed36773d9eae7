/** Runs probes in a sandbox and reports for each whether the sandbox keeps its promise. */
import { newRunId } from '../../base/ids.ts';
import type { SandboxPolicy } from '../policy.ts';
import { offlinePolicy } from '../policy.ts';
import type { SandboxPorts, SandboxResult } from '../run-sandboxed.ts';
import { runSandboxed } from '../run-sandboxed.ts';
import { sandboxUser } from '../sandbox-user.ts';
import type { Enforced } from '../wrapped.ts';
import { FILE_PROBES, WORKING_PROBES } from './file-probes.ts';
import { KERNEL_PROBES, LIMIT_PROBES, PROCESS_PROBES } from './kernel-probes.ts';
import type { Probe } from './probe.ts';
import { NETWORK_PROBES, SECRET_PROBES } from './reach-probes.ts';
import type { ProbeFixture } from './probe-fixture.ts';
import { MADE_PREFIX, createProbeFixture, FIXTURE_LIMITS } from './probe-fixture.ts';

export const PROBES: readonly Probe[] = [
  ...WORKING_PROBES,
  ...FILE_PROBES,
  ...SECRET_PROBES,
  ...NETWORK_PROBES,
  ...PROCESS_PROBES,
  ...KERNEL_PROBES,
  ...LIMIT_PROBES,
];

/** The few probes that a backend has to pass before anything runs in it. */
export const CANARY_PROBES: readonly Probe[] = PROBES.filter(
  ({ canary, id }) => canary === true || id === 'works-folder',
);

export type ProbeRow = {
  readonly id: string;
  readonly area: Probe['area'];
  readonly tries: string;
  readonly expect: Probe['expect'];
  /** `unknown` if the probe could not run, for example because a tool is missing. */
  readonly found: 'refused' | 'works' | 'unknown';
  /** Whether the result is as promised. `known`: it is not, for a reason that is known and accepted. */
  readonly verdict: 'good' | 'bad' | 'unknown' | 'known';
  /** The output of the probe, or why a difference is accepted. */
  readonly note: string;
};

export type ProbeReport = {
  readonly backend: SandboxPorts['backend'];
  readonly enforced: Enforced | null;
  readonly rows: readonly ProbeRow[];
  /** How many connections our listeners saw. Zero if the sandbox works. */
  readonly hits: number;
  readonly secretSeen: boolean;
  /** Why the sandbox could not be created at all. */
  readonly failure: string | null;
};

export type ProbeOptions = {
  readonly image?: string | null;
  readonly unsafe?: boolean;
  readonly tag: string;
};

const NOTE_CHARS_MAX = 300;
const OUTPUT_CHARS_MAX = 1_000_000;

/** Whether a backend kept every promise, as far as the probes can tell. */
export function didHold({ rows, hits, secretSeen, failure }: ProbeReport): boolean {
  const isGood = rows.length > 0 && rows.every(({ verdict }) => verdict !== 'bad');
  return failure === null && hits === 0 && !secretSeen && isGood;
}

/** The id prefix of all policies of probes. */
export const PROBE_ID = 'probe';

export async function runProbes(
  probes: readonly Probe[],
  ports: SandboxPorts,
  { image = null, unsafe = false, tag }: ProbeOptions,
): Promise<ProbeReport> {
  const id = `${PROBE_ID}/${newRunId(ports.random)}`;
  const user = ports.user ?? sandboxUser(id, ports.facts);
  const fit = probes.filter(({ arch }) => arch === undefined || arch === ports.facts.arch);
  await using fixture = await createProbeFixture(fit, user, ports.clock, tag);
  const policy: SandboxPolicy = {
    ...offlinePolicy(id, fixture.work, FIXTURE_LIMITS),
    read: [fixture.reading],
    env: fixture.env,
    image,
    unsafe,
  };
  const together = fit.filter(({ alone }) => alone !== true);
  const batches = [together, ...fit.filter(({ alone }) => alone === true).map((probe) => [probe])];
  const rows: ProbeRow[] = [];
  let allOutput = '';
  let enforced: Enforced | null = null;
  for (const batch of batches.filter(({ length }) => length > 0)) {
    const nonce = newRunId(ports.random);
    const { result, output } = await runBatch(batch, nonce, policy, { ...ports, user }, tag);
    allOutput += output;
    enforced = result.enforced;
    if (result.exit.kind === 'not-started')
      return report(ports, null, [], fixture, allOutput, result.exit.message);
    const ends = readEnds(output, nonce);
    rows.push(...batch.map((probe) => judge(probe, ends.get(probe.id), ports.backend)));
  }
  rows.push(await judgeFileOwner(fixture));
  return report(ports, enforced, rows, fixture, allOutput, null);
}

/** Inside, any uid can be shown. The owner of the files on the host is what counts. */
async function judgeFileOwner(fixture: ProbeFixture): Promise<ProbeRow> {
  const isRoots = await fixture.hasRootFiles();
  return {
    id: 'be-root-outside',
    area: 'processes',
    tries: 'be root on the host, whatever uid it sees',
    expect: 'refused',
    found: isRoots ? 'works' : 'refused',
    verdict: isRoots ? 'bad' : 'good',
    note: isRoots ? 'its files belong to root on the host' : '',
  };
}

function report(
  { backend }: SandboxPorts,
  enforced: Enforced | null,
  rows: readonly ProbeRow[],
  fixture: ProbeFixture,
  output: string,
  failure: string | null,
): ProbeReport {
  return {
    backend,
    enforced,
    rows,
    hits: fixture.hits(),
    secretSeen: output.includes(fixture.secret),
    failure,
  };
}

async function runBatch(
  batch: readonly Probe[],
  nonce: string,
  policy: SandboxPolicy,
  ports: SandboxPorts,
  tag: string,
): Promise<{ result: SandboxResult; output: string }> {
  const script = `for id in ${batch.map(({ id }) => id).join(' ')}; do
  mkdir -p "$P_WORK/${MADE_PREFIX}$id" && cd "$P_WORK/${MADE_PREFIX}$id"
  output=$(sh "$P_WORK/probes/$id" </dev/null 2>&1); code=$?
  printf '%s\\n@@${nonce} %s %s\\n' "$output" "$id" "$code"
done`;
  let output = '';
  const listen = (chunk: Uint8Array): void => {
    if (output.length < OUTPUT_CHARS_MAX) output += Buffer.from(chunk).toString('latin1');
  };
  const io = { tag: `${tag}/batch`, onStdout: listen, onStderr: listen, graceMs: 1000 };
  const result = await runSandboxed(policy, { argv: ['sh', '-c', script] }, ports, io);
  return { result, output };
}

type ProbeEnd = { readonly code: number; readonly output: string };

function readEnds(output: string, nonce: string): ReadonlyMap<string, ProbeEnd> {
  const ends = new Map<string, ProbeEnd>();
  let lines: string[] = [];
  for (const line of output.split('\n')) {
    const [mark, id = '', code] = line.split(' ');
    if (mark !== `@@${nonce}`) {
      lines.push(line);
      continue;
    }
    ends.set(id, { code: Number(code), output: lines.join('\n').trim() });
    lines = [];
  }
  return ends;
}

/** A probe without a result was ended by a limit, which counts as a refusal. */
function judge(
  probe: Probe,
  end: ProbeEnd | undefined,
  backend: SandboxPorts['backend'],
): ProbeRow {
  const { id, area, tries, expect, except } = probe;
  const isMissing = end?.code === 127 || end?.code === 126;
  const found = isMissing ? 'unknown' : end?.code === 0 ? 'works' : 'refused';
  const known = except?.[backend];
  const verdict =
    found === 'unknown'
      ? 'unknown'
      : found === expect
        ? 'good'
        : known === undefined
          ? 'bad'
          : 'known';
  const note =
    verdict === 'known' ? (known ?? '') : (end?.output ?? 'it was killed').slice(0, NOTE_CHARS_MAX);
  return { id, area, tries, expect, found, verdict, note };
}
