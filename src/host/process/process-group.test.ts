import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, test } from 'node:test';
import { parseJson } from '../../base/json.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import type { ScriptedProgram } from '../../testing/scripted-agents.ts';
import { scriptedAgent } from '../../testing/scripted-agents.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { HostCommand, GroupOptions } from './process-group.ts';
import { ProcessGroup } from './process-group.ts';
import type { ProcessId } from './process-table.ts';
import { isAlive, processTable } from './process-table.ts';
import { systemClock } from '../machine/system-clock.ts';

const cwd = tmpdir();
let groups = 0;

/** A group with its output as text. It is killed at the end of the scope, whatever happens. */
function start(argv: readonly string[], more: Partial<HostCommand & GroupOptions> = {}) {
  let [stdout, stderr] = ['', ''];
  const clock = new ManualClock();
  groups += 1;
  const tag = `group-test-${process.pid}/${groups}`;
  const group = new ProcessGroup(
    { argv, cwd, env: {}, ...more },
    {
      tag,
      clock,
      onStdout: (chunk) => void (stdout += Buffer.from(chunk).toString('latin1')),
      onStderr: (chunk) => void (stderr += Buffer.from(chunk).toString('latin1')),
      ...more,
    },
  );
  return {
    group,
    clock,
    tag,
    stdout: () => stdout,
    stderr: () => stderr,
    [Symbol.asyncDispose]: () => group.kill(),
  };
}

const agent = (name: ScriptedProgram, ...args: string[]) =>
  start([...scriptedAgent(name), ...args]);
const node = (script: string, more?: Partial<HostCommand & GroupOptions>) =>
  start([process.execPath, '-e', script], more);

/** The processes that an agent names in its first line. */
async function readPids(stdout: () => string): Promise<readonly ProcessId[]> {
  await eventually('the agent names its processes', () => stdout().includes('\n'));
  const { pids } = parseJson(stdout()) as { pids: number[] };
  return pids.map((pid) => ({ pid, startTime: processTable.row(pid)?.startTime ?? -1 }));
}

describe('how a command ends', () => {
  const ends: [why: string, script: string, exit: object][] = [
    ['an exit code is reported', 'process.exit(7)', { kind: 'code', code: 7 }],
    ['success is code 0', '', { kind: 'code', code: 0 }],
    [
      'a signal is reported by name',
      'process.kill(process.pid, "SIGKILL")',
      { kind: 'signal', signal: 'SIGKILL' },
    ],
  ];
  for (const [why, script, exit] of ends) {
    test(why, async () => {
      await using one = node(script);
      assert.deepEqual(await one.group.ended, exit);
    });
  }

  const failures: [why: string, command: Partial<HostCommand>, code: string][] = [
    ['a missing program', { argv: ['no-such-program-here'] }, 'ENOENT'],
    ['a file that is not executable', { argv: ['/etc/passwd'] }, 'EACCES'],
    ['a missing folder', { argv: ['/bin/sh'], cwd: '/no/such/folder' }, 'ENOENT'],
    ['an argument that is too long', { argv: ['/bin/sh', 'x'.repeat(4e6)] }, 'E2BIG'],
    ['no command at all', { argv: [] }, 'ERR_INVALID_ARG_VALUE'],
    ['a NUL byte in an argument', { argv: ['/bin/sh', 'a\0b'] }, 'ERR_INVALID_ARG_VALUE'],
  ];
  for (const [why, command, code] of failures) {
    test(`${why} is a value, not an exception`, async () => {
      await using one = start([], command);
      const exit = await one.group.ended;
      assert.equal(exit.kind, 'not-started');
      assert.equal(exit.code, code);
      assert.equal(one.group.leader, undefined);
      assert.equal(await one.group.stop(1000), 'ended');
    });
  }

  test('a missing folder is named, because the system blames the program', async () => {
    await using one = start(['/bin/sh'], { cwd: '/no/such/folder' });
    assert.deepEqual(await one.group.ended, {
      kind: 'not-started',
      code: 'ENOENT',
      message: 'the folder /no/such/folder does not exist',
    });
  });

  test('the output of an agent that dies in the middle of a line is complete', async () => {
    await using one = agent('dies-mid-write');
    assert.deepEqual(await one.group.ended, { kind: 'signal', signal: 'SIGKILL' });
    assert.equal(one.stdout(), '{"type":"text","text":"I begin."}\n{"type":"tool","name":"wri');
  });
});

describe('the input of a command', () => {
  test('it gets exactly the given environment and the tag', async () => {
    await using one = node('console.log(JSON.stringify(process.env))', { env: { ONLY: 'this' } });
    await one.group.ended;
    assert.deepEqual(parseJson(one.stdout()), { ONLY: 'this', SUPERVISOR_TAG: one.tag });
  });

  test('it leads its own session', async () => {
    await using one = agent('never-speaks');
    const { leader } = one.group;
    assert.ok(leader);
    const row = processTable.row(leader.pid);
    assert.deepEqual([row?.session, row?.pgid], [leader.pid, leader.pid]);
    assert.equal(row?.startTime, leader.startTime);
  });

  test('without text its stdin is /dev/null', async () => {
    await using one = node('console.log(require("fs").fstatSync(0).isCharacterDevice())');
    await one.group.ended;
    assert.equal(one.stdout(), 'true\n');
  });

  test('a text of three megabytes arrives completely', async () => {
    const stdin = 'naïve 🚀\n'.repeat(250_000);
    const script = `const c = require('crypto').createHash('sha256');
      process.stdin.on('data', (d) => c.update(d)).on('end', () => console.log(c.digest('hex')))`;
    await using one = node(script, { stdin });
    await one.group.ended;
    assert.equal(one.stdout(), `${createHash('sha256').update(stdin).digest('hex')}\n`);
  });

  test('it need not read its stdin', async () => {
    await using one = node('process.exit(0)', { stdin: 'x'.repeat(3e6) });
    assert.deepEqual(await one.group.ended, { kind: 'code', code: 0 });
  });
});

describe('output', () => {
  test('case 40: both streams arrive completely, byte for byte', async () => {
    await using one = node(
      'process.stdout.write("o".repeat(1e6)); process.stderr.write("e\\0\\xff")',
    );
    await one.group.ended;
    assert.equal(one.stdout(), 'o'.repeat(1e6));
    assert.equal(one.stderr(), 'e\0\xc3\xbf');
  });

  test('case 39: a slow sink slows the agent down', async () => {
    const gate = Promise.withResolvers<void>();
    let taken = 0;
    await using one = start([...scriptedAgent('floods-stdout'), '20000000'], {
      onStdout: (chunk) => {
        taken += chunk.length;
        return gate.promise;
      },
    });
    await eventually('the first bytes', () => taken > 0);
    const { leader } = one.group;
    assert.ok(leader);
    // The agent cannot write its twenty megabytes, so it cannot end: it sleeps with a full stdout.
    let last = -1;
    await eventually('the agent waits', () => last === (last = cpuTicks(leader.pid)));
    assert.equal(isAlive(leader), true);
    assert.ok(taken <= 65_536, `${taken} bytes were pushed on a sink that was busy`);
    gate.resolve();
    assert.deepEqual(await one.group.ended, { kind: 'code', code: 0 });
    assert.equal(taken, 20_000_000);
  });

  test('a sink that throws ends the agent, and the defect is not swallowed', async () => {
    const one = start(scriptedAgent('floods-stdout'), {
      onStdout: () => Promise.reject(new Error('the sink broke')),
    });
    await assert.rejects(one.group.ended, /the sink broke/);
    assert.ok(one.group.leader && !isAlive(one.group.leader));
  });

  test('case 31: a tool that holds stdout does not delay the end, and does not survive it', async () => {
    await using one = agent('holds-stdout-open');
    const pids = await readPids(one.stdout);
    await eventually('the group waits for more output', () => one.clock.sleeping === 1);
    await one.clock.advance(1000);
    assert.deepEqual(await one.group.ended, { kind: 'code', code: 0 });
    assert.deepEqual(pids.map(isAlive), [false, false]);
  });

  test('R13: output to a slow sink is delivered to its last byte, however late', async () => {
    const slow = Promise.withResolvers<void>();
    let bytes = 0;
    await using one = node('require("fs").writeSync(1, Buffer.alloc(100_000))', {
      onStdout: async (chunk) => {
        await slow.promise;
        bytes += chunk.byteLength;
      },
    });
    const waits = (): Promise<void> =>
      eventually('the group waits for more output', () => one.clock.sleeping === 1, 60_000);
    await waits();
    await one.clock.advance(1000);
    await waits(); // bytes are on their way, so it does not give up
    slow.resolve();
    assert.deepEqual(await one.group.ended, { kind: 'code', code: 0 });
    assert.equal(bytes, 100_000);
  });

  test('survivors are left alone if the caller keeps them', async () => {
    await using one = start(scriptedAgent('holds-stdout-open'), { keepSurvivors: true });
    const pids = await readPids(one.stdout);
    await eventually('the group waits for more output', () => one.clock.sleeping === 1);
    await one.clock.advance(1000);
    await one.group.ended;
    assert.deepEqual(pids.map(isAlive), [false, true]);
    await one.group.kill();
    assert.deepEqual(pids.map(isAlive), [false, false]);
  });
});

describe('stopping', () => {
  test('case 30: an unresponsive agent and its tool in another session are both gone once the grace is over', async () => {
    await using one = agent('deaf-with-child');
    const pids = await readPids(one.stdout);
    assert.deepEqual(pids.map(isAlive), [true, true]);

    const stopped = one.group.stop(30_000);
    await eventually('the grace has begun', () => one.clock.sleeping === 1);
    await one.clock.advance(29_999);
    assert.deepEqual(pids.map(isAlive), [true, true]);
    await one.clock.advance(1);

    assert.equal(await stopped, 'killed');
    assert.deepEqual(pids.map(isAlive), [false, false]);
    assert.deepEqual(await one.group.ended, { kind: 'signal', signal: 'SIGKILL' });
  });

  test('an agent that handles the signal ends by itself, without any grace passing', async () => {
    await using one = agent('never-speaks');
    assert.equal(await one.group.stop(30_000, 'SIGINT'), 'ended');
    assert.deepEqual(await one.group.ended, { kind: 'signal', signal: 'SIGINT' });
    assert.equal(one.clock.now(), 0);
  });

  test('the agent behind a wrapper has the same grace as the wrapper', async () => {
    await using folder = await tempDir();
    // The wrapper dies of the signal at once. The real agent behind it writes a file first.
    const real = `const { writeFileSync } = require('fs');
      process.on('SIGTERM', () => setTimeout(() => { writeFileSync('goodbye', ''); process.exit(0) }, 50));
      setInterval(() => {}, 1e9); writeFileSync('ready', '')`;
    const wrapper = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(real)}],
      { detached: true, stdio: 'ignore' }); setInterval(() => {}, 1e9)`;
    await using one = node(wrapper, { cwd: folder.path, clock: systemClock });
    await eventually('the agent is ready', () => existsSync(`${folder.path}/ready`));
    assert.equal(await one.group.stop(30_000), 'ended');
    assert.equal(existsSync(`${folder.path}/goodbye`), true);
  });

  test('kill cuts a grace short', async () => {
    await using one = agent('deaf-with-child');
    const pids = await readPids(one.stdout);
    const stopped = one.group.stop(30_000);
    await eventually('the grace has begun', () => one.clock.sleeping === 1);
    await one.group.kill();
    assert.equal(await stopped, 'killed');
    assert.deepEqual([one.clock.now(), ...pids.map(isAlive)], [0, false, false]);
    assert.equal(one.group.left, 0);
  });

  test('stopping and killing an ended group does nothing', async () => {
    await using one = node('');
    await one.group.ended;
    assert.equal(await one.group.stop(30_000), 'ended');
    await one.group.kill();
  });

  test('case 29: a tool that cleared its environment and left the session dies with its parent', async () => {
    const script = `const { spawn } = require('child_process');
      const tool = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e9)'], { detached: true, env: {}, stdio: 'ignore' });
      console.log(JSON.stringify({ pids: [process.pid, tool.pid] })); setInterval(() => {}, 1e9)`;
    await using one = node(script);
    const pids = await readPids(one.stdout);
    await one.group.kill();
    assert.deepEqual(pids.map(isAlive), [false, false]);
  });
});

/** How much processor time a process has used so far. */
function cpuTicks(pid: number): number {
  return process.platform === 'linux' ? Number(readStat(pid)[11]) + Number(readStat(pid)[12]) : 0;
}

function readStat(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
