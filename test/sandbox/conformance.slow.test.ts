/** Every probe, in every backend, as root and as an ordinary user: the guarantees of a sandbox. */
import assert from 'node:assert/strict';
import { findCgroups } from '../../src/host/process/cgroup.ts';
import { spawn, spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Backend } from '../../src/sandbox/policy.ts';
import type { ProbeReport } from '../../src/sandbox/probes/run-probes.ts';
import { didHold, PROBES } from '../../src/sandbox/probes/run-probes.ts';
import type { TestEngine } from './docker-engine.ts';
import { dockerEngine } from './docker-engine.ts';
import { asOrdinaryUser, isRoot } from './ordinary-user.ts';
import { noPodman, podmanEngine } from './podman-engine.ts';
import { missing, noBubblewrap } from './setup.ts';

const program = fileURLToPath(new URL('./probe-program.ts', import.meta.url));
const CANARY = 'CANARY_IN_OUR_ENVIRONMENT';

/** Their pids are in the names of what they make. */
const children: number[] = [];

type Who = { readonly name: string; readonly gid?: number; readonly asNobody: boolean };

/** Root tries both; any other user can only be itself. */
const USERS: readonly Who[] = isRoot
  ? [
      { name: 'root', asNobody: false },
      { name: 'an ordinary user', asNobody: true },
    ]
  : [{ name: 'an ordinary user', asNobody: false }];

/** They take some twenty seconds. */
const PROBES_MS_MAX = 240_000;

function probeAs(
  { asNobody, gid }: Who,
  backend: Backend,
  image: string,
  env: NodeJS.ProcessEnv,
): Promise<ProbeReport> {
  const probe = [process.execPath, program, backend, image] as const;
  const [file, ...args] = asNobody ? asOrdinaryUser(probe, gid) : probe;
  const child = spawn(file, args, {
    cwd: '/',
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/nonexistent',
      [CANARY]: 'secret',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: PROBES_MS_MAX,
    killSignal: 'SIGKILL',
  });
  children.push(child.pid ?? 0);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(JSON.parse(text) as ProbeReport);
      else reject(new Error(`the probes ended with ${code ?? signal}`));
    });
  });
}

function assertHolds(report: ProbeReport): void {
  assert.equal(report.failure, null);
  assert.deepEqual(
    report.rows.filter(({ verdict }) => verdict === 'bad'),
    [],
  );
  assert.deepEqual([report.hits, report.secretSeen, didHold(report)], [0, false, true]);
  assert.ok(report.rows.length >= 40, `${report.rows.length} probes`);
}

function testRows(report: () => ProbeReport | undefined, skip: string | false): void {
  const fit = PROBES.filter(({ arch }) => arch === undefined || arch === process.arch);
  for (const { id, tries, expect } of fit) {
    test(`${id}: to ${tries} ${expect === 'works' ? 'works' : 'is refused'}`, { skip }, (t) => {
      const found = report();
      if (found === undefined) return t.skip('there is no engine');
      const row = found.rows.find((one) => one.id === id);
      assert.ok(row !== undefined, found.failure ?? 'it was left out');
      assert.notEqual(row.verdict, 'bad', row.note);
      assert.notEqual(row.verdict, 'unknown', row.note);
    });
  }
}

for (const who of USERS) {
  describe(`bubblewrap, started by ${who.name}`, () => {
    const skip = noBubblewrap();
    let report: ProbeReport | undefined;
    before(async () => {
      if (skip === false) report = await probeAs(who, 'bubblewrap', '', {});
    });
    testRows(() => report, skip);
    test('holds, and names its parts', { skip }, () => {
      assert.ok(report !== undefined);
      assertHolds(report);
      const isLimited = isRoot && !who.asNobody && findCgroups().kind !== 'none';
      assert.deepEqual(report.enforced, {
        files: 'namespace',
        network: 'namespace',
        processes: 'namespace',
        user: 'ordinary',
        syscalls: 'seccomp',
        memory: isLimited ? 'cgroup' : 'rlimit',
        cpus: isLimited ? 'cgroup' : 'none',
        pids: isLimited ? 'cgroup' : 'rlimit',
        disk: 'watched',
        tmp: 'sized',
      });
    });
  });
}

describe('docker', () => {
  let engine: TestEngine | undefined;
  const reports = new Map<string, ProbeReport>();
  before(async () => {
    engine = await dockerEngine((why) => missing(`docker (${why})`));
    if (engine === undefined) return;
    for (const who of USERS) {
      const { group, image, host } = engine;
      reports.set(
        who.name,
        await probeAs({ ...who, gid: group }, 'docker', image, { DOCKER_HOST: host }),
      );
    }
  });
  after(() => engine?.[Symbol.asyncDispose]());

  for (const { name } of USERS) {
    describe(`started by ${name}`, () => {
      testRows(() => reports.get(name), false);
      test('holds', (t) => {
        const report = reports.get(name);
        if (report === undefined) return t.skip('there is no engine');
        assertHolds(report);
      });
    });
  }

  test('leaves no container behind', (t) => {
    if (engine === undefined) return t.skip('there is no engine');
    const args = ['--host', engine.host, 'ps', '--all', '--format', '{{.Names}}'];
    const names = spawnSync('docker', args, { encoding: 'utf8', timeout: 300_000 }).stdout.split(
      '\n',
    );
    const ours = children.map((pid) => `supervisor-sandbox-${pid}-`);
    const left = names.filter((name) => ours.some((prefix) => name.startsWith(prefix)));
    assert.deepEqual(left, []);
  });
});

describe('podman', () => {
  test('holds, as far as it was tried', { skip: noPodman() }, async (t) => {
    using podman = podmanEngine();
    const { env, image } = podman;
    const report = await probeAs({ name: 'root', asNobody: false }, 'podman', image, env);
    if (report.failure !== null) return t.skip(`podman can't run here: ${report.failure}`);
    assertHolds(report);
  });
});

describe('none', () => {
  let report: ProbeReport | undefined;
  before(async () => {
    report = await probeAs({ name: 'nobody', asNobody: isRoot }, 'none', '', {});
  });

  test('contains nothing', () => {
    assert.ok(report !== undefined);
    assert.equal(didHold(report), false);
    assert.deepEqual([report.hits > 0, report.secretSeen], [true, true]);
  });

  for (const { id, tries, arch, unsandboxed } of PROBES) {
    if (unsandboxed !== 'works' || (arch !== undefined && arch !== process.arch)) continue;
    test(`${id}: to ${tries} works, so the probe can tell`, () => {
      const row = report?.rows.find((one) => one.id === id);
      assert.equal(row?.found, 'works', row?.note);
    });
  }
});
