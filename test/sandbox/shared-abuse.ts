/** Abuse cases with the same answer in every backend. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pauseProcesses } from '../../src/host/process/pause-processes.ts';
import { readProcessTree } from '../../src/host/process/read-process.ts';
import type { ProcessRow } from '../../src/host/process/process-table.ts';
import { isAlive, signalProcess } from '../../src/host/process/process-table.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { removeTree } from '../../src/host/files/tree/write-tree.ts';
import { ContainerEngine } from '../../src/sandbox/container-engine.ts';
import type { Backend } from '../../src/sandbox/policy.ts';
import { AGENT_LIMITS, offlinePolicy } from '../../src/sandbox/policy.ts';
import { probeFacts } from '../../src/sandbox/probe-facts.ts';
import { startSandboxed } from '../../src/sandbox/run-sandboxed.ts';
import { sweepSandboxes } from '../../src/sandbox/sweep-sandboxes.ts';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';
import { HOARD_MOVER } from './hoard-mover.ts';
import type { Run } from './setup.ts';
import { portsFor, runScript, workFolder } from './setup.ts';

const mortal = fileURLToPath(new URL('./mortal-sandbox.ts', import.meta.url));
const noCgroup = probeFacts({}).cgroup.kind === 'none' ? 'there are no cgroups for us here' : false;

/** Processes whose arguments contain the text; a zombie has none. */
function processesWith(text: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
      } catch {
        return false; // it has ended meanwhile
      }
    });
}

/** A process and its descendants. */
async function treeOf(root: number | undefined): Promise<readonly ProcessRow[]> {
  const rows: ProcessRow[] = [];
  if (root !== undefined) await readProcessTree(root)((row) => rows.push(row));
  return rows;
}

/** A HOME that is kept, in the working folder so that its user owns it. */
function homeIn(work: string): string {
  const path = join(work, 'home');
  const { uid, gid } = statSync(work);
  mkdirSync(path);
  chownSync(path, uid, gid);
  return path;
}

/** Asks the command to end as soon as it has printed something. */
function stopOnWord(): Pick<Run, 'signal' | 'onStdout'> {
  const called = new AbortController();
  return { signal: called.signal, onStdout: () => called.abort() };
}

function leftovers(): readonly string[] {
  const names = readdirSync(tmpdir()).filter((name) =>
    name.startsWith(`supervisor-sandbox-${process.pid}-`),
  );
  const { cgroup } = probeFacts({});
  const parents =
    cgroup.kind === 'v1'
      ? Object.values(cgroup.parents)
      : cgroup.kind === 'v2'
        ? [cgroup.parent]
        : [];
  return [
    ...names,
    ...parents.flatMap((parent) =>
      readdirSync(parent).filter((name) => name.startsWith(`supervisor-sandbox-${process.pid}-`)),
    ),
  ];
}

/** Registers a test for each; `how` is called when it runs. */
export function testSharedAbuse(
  how: () => (Run & { readonly backend: Backend }) | undefined,
): void {
  function abused(
    name: string,
    body: (run: Run & { backend: Backend }) => Promise<void>,
    skip: string | false = false,
  ): void {
    test(name, { skip }, async (t) => {
      const run = how();
      if (run === undefined) return t.skip('there is no engine');
      await body(run);
      assert.deepEqual(leftovers(), []);
    });
  }

  abused('case 14: nothing of our environment is seen inside', async (run) => {
    await using work = await workFolder();
    const env = { ...run.env, ...process.env, SUPERVISOR_CANARY: 'canary-of-ours' };
    const child = spawnSync(
      process.execPath,
      [
        fileURLToPath(new URL('./print-environments.ts', import.meta.url)),
        run.backend,
        run.image ?? '',
        work.path,
      ],
      {
        env: { ...env, ...run.env },
        encoding: 'utf8',
        timeout: 60_000,
      },
    );
    assert.match(child.stdout, /^HOME=\/home\/agent$/m);
    assert.equal(child.stdout.includes('canary-of-ours'), false);
  });

  abused('case 15: a token of the policy is in no argument that others can read', async (run) => {
    await using work = await workFolder();
    const token = `token-${process.pid}-${Math.random()}`;
    const seen: (readonly string[])[] = [];
    const { stdout } = await runScript(work.path, 'echo "$TOKEN"; sleep 1', {
      ...run,
      policy: { env: { TOKEN: token } },
      onStdout: () => seen.push(processesWith(token)),
    });
    assert.deepEqual([stdout, seen], [`${token}\n`, [[]]]);
  });

  abused(
    'case 24: a gate without network finds no way to the gateway that runs beside it',
    async (run) => {
      await using work = await workFolder();
      const socket = join(work.path, 'gateway.sock');
      let hits = 0;
      const server = createServer((connection) => {
        hits += 1;
        connection.end();
      }).listen(socket);
      await once(server, 'listening');
      const { exit, stdout } = await runScript(
        work.path,
        'ls /run/supervisor/gateway.sock; perl -e \'use IO::Socket::IP; exit(IO::Socket::IP->new(PeerHost => "127.0.0.1", PeerPort => 3128) ? 0 : 9)\'',
        run,
      );
      server.close();
      assert.deepEqual([exit, stdout, hits], [{ kind: 'code', code: 9 }, '', 0]);
    },
  );

  abused('case 25: a fork bomb stops at the limit and ends with its time', async (run) => {
    await using work = await workFolder();
    const bomb = 'b() { b | b & }; while :; do b 2>/dev/null; sleep 0.2; done';
    const result = await runScript(work.path, bomb, {
      ...run,
      limits: { pids: 64, timeMs: 2000 },
      graceMs: 500,
    });
    assert.ok(result.endedBy === 'time-limit' || result.exit.kind === 'code');
    if (run.backend === 'bubblewrap' && noCgroup === false)
      assert.ok((result.forksRefused ?? 0) > 0);
  });

  abused(
    'case 26: a grandchild that is killed for memory is told, although all ended well',
    async (run) => {
      await using work = await workFolder();
      const script =
        '(perl -e \'my $x = "a" x 200_000_000; print length $x\' ) >/dev/null 2>&1; echo done; exit 0';
      const { exit, oom, stdout } = await runScript(work.path, script, {
        ...run,
        limits: { memoryBytes: 100_000_000 },
      });
      assert.deepEqual(
        { exit, oom, stdout },
        { exit: { kind: 'code', code: 0 }, oom: true, stdout: 'done\n' },
      );
    },
    noCgroup,
  );

  abused(
    'case 27: a spin gets no more than its share of the processor',
    async (run) => {
      await using work = await workFolder();
      const spin =
        "perl -e 'use POSIX; my $until = time + 3; 1 while time < $until; my (undef, $user) = POSIX::times(); print $user / POSIX::sysconf(POSIX::_SC_CLK_TCK())'";
      const { stdout, stderr } = await runScript(work.path, spin, {
        ...run,
        limits: { cpus: 0.25 },
      });
      // Of 3 to 4 seconds a quarter is 1; a busy machine gives less, never more.
      assert.ok(Number(stdout) > 0 && Number(stdout) < 1.7, `${stdout} s ${stderr}`);
    },
    noCgroup,
  );

  abused(
    'case 28: /tmp has a size, and a working folder that grows past its own ends the command',
    async (run) => {
      await using work = await workFolder();
      const script =
        'head -c 20000000 /dev/zero >/tmp/a; echo "$?"; i=0; while :; do i=$((i + 1)); head -c 5000000 /dev/zero >"f$i"; sleep 0.05; done';
      const { stdout, endedBy } = await runScript(work.path, script, {
        ...run,
        limits: { tmpBytes: 10_000_000, diskBytes: 60_000_000, timeMs: 60_000 },
      });
      assert.deepEqual([stdout, endedBy], ['1\n', 'disk-limit']);
    },
  );

  /** Each takes 60 MB in a hidden place, a part at a time, and waits. */
  const hidden: [where: string, script: string][] = [
    [
      'open files without a name',
      `for my $i (1..12) { open($h[$i], '>', 'f') or die; unlink 'f'; fill($h[$i]) }`,
    ],
    [
      'mapped files without a name',
      `for my $i (1..12) { open(my $h, '+>', 'f') or die; fill($h); my $p = syscall(9, 0, 5e6, 1, 1, fileno($h), 0); unlink 'f'; close $h }`,
    ],
    [
      'names that are not text',
      `mkdir "\\xff"; for my $i (1..12) { open(my $h, '>', "\\xff/\\xfe$i") or die; fill($h) }`,
    ],
    [
      'paths that are too long',
      `for (1..20) { mkdir 'n' x 250; chdir 'n' x 250 } for my $i (1..12) { open(my $h, '>', $i) or die; fill($h) }`,
    ],
    [
      'folders that are closed',
      `mkdir 'c'; chdir 'c'; chmod 0300, '.'; for my $i (1..12) { open(my $h, '>', $i) or die; fill($h) }`,
    ],
    ['HOME', `chdir $ENV{HOME}; for my $i (1..12) { open(my $h, '>', $i) or die "$!"; fill($h) }`],
  ];
  for (const [where, script] of hidden)
    abused(`H7: what is hidden in ${where} counts against the disk`, async (run) => {
      await using work = await workFolder();
      const fill = 'sub fill { my $h = shift; syswrite($h, "x" x 1000000) or die for 1..5 }';
      const program = `$| = 1; ${fill} ${script}; print "all\\n"; sleep 600`.replaceAll(
        "'",
        `'"'"'`,
      );
      const { endedBy, stderr } = await runScript(work.path, `LC_ALL=C perl -e '${program}'`, {
        ...run,
        limits: { diskBytes: 30_000_000, tmpBytes: 100_000_000, timeMs: 60_000 },
        ...(where === 'HOME' && run.backend === 'bubblewrap'
          ? { policy: { ...run.policy, home: homeIn(work.path) } }
          : {}),
      });
      assert.deepEqual([endedBy, stderr], ['disk-limit', '']);
      await removeTree(work.path);
    });

  abused('H7: files that move while they are counted count against the disk', async (run) => {
    await using work = await workFolder();
    const { endedBy, stderr } = await runScript(work.path, HOARD_MOVER, {
      ...run,
      limits: { diskBytes: 50_000_000, timeMs: 60_000 },
    });
    assert.deepEqual([endedBy, stderr], ['disk-limit', '']);
  });

  abused(
    'case 29: a daemon that has left its session and its parent is gone with the command',
    async (run) => {
      await using work = await workFolder();
      const mark = `86${process.pid}`;
      await runScript(work.path, `(setsid sh -c '(sleep ${mark} &)' &); sleep 0.3; exit 0`, run);
      await eventually('it is gone', () => processesWith(`sleep\0${mark}`).length === 0);
    },
  );

  abused(
    'case 30: one that hears is asked and answers, one that is deaf is killed',
    async (run) => {
      await using work = await workFolder();
      const hears = 'trap "exit 42" TERM; echo up; while :; do sleep 0.1; done';
      const answered = await runScript(work.path, hears, {
        ...run,
        ...stopOnWord(),
        graceMs: 30_000,
      });
      assert.deepEqual([answered.exit, answered.endedBy], [{ kind: 'code', code: 42 }, 'us']);
      const deaf = 'trap "" TERM; echo up; while :; do sleep 0.1; done';
      const killed = await runScript(work.path, deaf, { ...run, ...stopOnWord(), graceMs: 300 });
      assert.deepEqual(
        [killed.exit, killed.endedBy],
        [{ kind: 'signal', signal: 'SIGKILL' }, 'us'],
      );
    },
  );

  abused('case 31: a grandchild that holds the output open delays no command', async (run) => {
    await using work = await workFolder();
    const { exit, stdout } = await runScript(work.path, '(sleep 600 &); echo said; exit 3', run);
    assert.deepEqual([exit, stdout], [{ kind: 'code', code: 3 }, 'said\n']);
  });

  abused('case 33: orphans are reaped', async (run) => {
    await using work = await workFolder();
    const script =
      'i=0; while [ "$i" -lt 300 ]; do (true &); i=$((i + 1)); done; sleep 1; cat /proc/[0-9]*/stat 2>/dev/null | grep -c ") Z "';
    const { stdout } = await runScript(work.path, script, { ...run, limits: { pids: null } });
    assert.equal(stdout, '0\n');
  });

  abused('M7: it ends with its owner, though it kills all that it sees inside', async (run) => {
    await using work = await workFolder();
    const words = [mortal, run.backend, run.image ?? '', work.path, 'hostile'];
    const owner = spawn(process.execPath, words, {
      env: run.env ?? process.env,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const exited = once(owner, 'exit');
    await once(owner.stdout, 'data');
    owner.kill('SIGKILL');
    await exited;
    await eventually('all of it is gone', () => processesWith('kill_all').length === 0, 60_000);
    const facts = probeFacts(run.env ?? process.env);
    const tag = `abuse-${process.pid}`;
    await sweepSandboxes(`test-${owner.pid}`, [run.backend], facts, systemClock, tag);
  });

  abused('H7: it ends with its owner while it is held still for a count', async (run) => {
    await using work = await workFolder();
    const owner = spawn(process.execPath, [mortal, run.backend, run.image ?? '', work.path], {
      env: run.env ?? process.env,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const exited = once(owner, 'exit');
    await once(owner.stdout, 'data');
    let inside: readonly ProcessRow[] = (await treeOf(owner.pid)).filter(
      ({ pid }) => pid !== owner.pid,
    );
    const facts = probeFacts(run.env ?? process.env);
    if (run.backend === 'bubblewrap') {
      for (const one of inside) signalProcess(one, 'SIGSTOP');
    } else {
      const engine = new ContainerEngine('docker', facts, systemClock, `abuse-${process.pid}`);
      const [name = ''] = await engine.listOwn(`test-${owner.pid}`);
      assert.equal(await engine.pause(name), true);
      inside = await treeOf(await engine.findPid(name));
    }
    assert.ok(inside.length > 1);
    owner.kill('SIGKILL');
    await exited;
    await eventually('all of it is gone', () => !inside.some(isAlive), 60_000);
    const tag = `abuse-${process.pid}`;
    await sweepSandboxes(`test-${owner.pid}`, [run.backend], facts, systemClock, tag);
  });

  abused('H7: it is killed while it is held still for a count', async (run) => {
    await using work = await workFolder();
    const ports = portsFor(run.backend, run.env);
    const id = `test-${process.pid}/held`;
    const up = Promise.withResolvers<void>();
    const policy = offlinePolicy(id, work.path, AGENT_LIMITS);
    const started = await startSandboxed(
      { ...policy, image: run.image ?? null },
      { argv: ['sh', '-c', 'sleep 600 & echo up; wait'] },
      ports,
      { tag: `sandbox-test-${process.pid}/held`, onStdout: () => up.resolve() },
    );
    await up.promise;
    const { leader, container } = started;
    assert.ok(leader !== undefined);
    const engine = new ContainerEngine('docker', ports.facts, systemClock, `abuse-${process.pid}`);
    const root = container === null ? leader.pid : await engine.findPid(container);
    const inside = await treeOf(root);
    if (container !== null) assert.equal(await engine.pause(container), true);
    else await pauseProcesses(readProcessTree(leader.pid), new AbortController().signal);
    await started.kill();
    assert.deepEqual([inside.length > 1, inside.some(isAlive)], [true, false]);
    if (container !== null) assert.equal(await engine.findExitState(container), undefined);
  });

  abused(
    'case 34: when its owner is killed nothing of it is left after the next start',
    async (run) => {
      await using work = await workFolder();
      const owner = spawn(process.execPath, [mortal, run.backend, run.image ?? '', work.path], {
        env: run.env ?? process.env,
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
      const exited = once(owner, 'exit');
      await once(owner.stdout, 'data');
      owner.kill('SIGKILL');
      await exited;
      const facts = probeFacts(run.env ?? process.env);
      const label = `label=agent-supervisor=test-${owner.pid}/1`;
      const docker = (...args: string[]): string =>
        spawnSync('docker', args, { env: run.env, encoding: 'utf8', timeout: 60_000 }).stdout;
      if (run.backend === 'bubblewrap') {
        await eventually('its processes are gone', () => processesWith(work.path).length === 0);
      } else {
        // The lifeline ends the container; only its record is left.
        const running = (): string => docker('ps', '--quiet', '--filter', label);
        await eventually('its container has ended', () => running() === '', 20_000);
      }
      await sweepSandboxes(
        `test-${owner.pid}`,
        [run.backend],
        facts,
        systemClock,
        `abuse-${process.pid}`,
      );
      const all =
        run.backend === 'docker' ? docker('ps', '--all', '--quiet', '--filter', label) : '';
      assert.deepEqual(
        [readdirSync(tmpdir()).filter((name) => name.includes(`sandbox-${owner.pid}-`)), all],
        [[], ''],
      );
    },
  );

  abused('stdin, exit codes and a missing program come through', async (run) => {
    await using work = await workFolder();
    const result = await runScript(work.path, 'cat; exit 7', { ...run, stdin: 'héllo\n' });
    assert.deepEqual([result.stdout, result.exit], ['héllo\n', { kind: 'code', code: 7 }]);
    const absent = await runScript(work.path, 'exec no-such-program', run);
    assert.deepEqual(absent.exit, { kind: 'code', code: 127 });
  });

  abused(
    'many-line variables, kept homes and folders that only root can reach come through',
    async (run) => {
      await using work = await workFolder();
      await using state = await tempDir();
      const home = join(realpathSync(state.path), 'homes/claude');
      const policy = { home, env: { LINES: 'a\nb', QUOTED: `"'$x` } };
      const first = await runScript(work.path, 'printf %s "$LINES$QUOTED" >"$HOME/kept"', {
        ...run,
        policy,
      });
      assert.deepEqual(first.exit, { kind: 'code', code: 0 }, first.stderr);
      const second = await runScript(work.path, 'cat "$HOME/kept"', { ...run, policy });
      assert.equal(second.stdout, `a\nb"'$x`);
    },
  );
}
