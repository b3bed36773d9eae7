/** Behaviour of the runner that does not depend on the backend. The real backends are tested in test/sandbox. */
import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import type { HostExit } from '../host/process/process-group.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { systemRandom } from '../host/machine/system-random.ts';
import { sandboxFacts } from '../../test/support/sandbox-facts-fixture.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { runPreflightScripts } from './preflight-scripts.ts';
import { AGENT_LIMITS, offlinePolicy } from './policy.ts';
import type { SandboxPolicy } from './policy.ts';
import type { SandboxIo, SandboxPorts } from './run-sandboxed.ts';
import { runSandboxed } from './run-sandboxed.ts';
import { hasStartedContainer } from './sandbox-start.ts';
import { sandboxUser } from './sandbox-user.ts';

const ports: SandboxPorts = {
  clock: systemClock,
  random: systemRandom,
  facts: sandboxFacts,
  backend: 'none',
  protectedPaths: { userDir: '/nonexistent', stateDir: '/nonexistent/.supervisor' },
};
const io: SandboxIo = { tag: `run-sandboxed-${process.pid}`, graceMs: 100 };

function unsafe(folder: string, change: Partial<SandboxPolicy> = {}): SandboxPolicy {
  return { ...offlinePolicy('run/1', folder, AGENT_LIMITS), unsafe: true, ...change };
}

describe('a sandboxed command', () => {
  test('reports how it ended, what was enforced, and null for what was not counted', async () => {
    await using dir = await tempDir();
    const result = await runSandboxed(
      unsafe(dir.path),
      { argv: ['sh', '-c', 'exit 6'] },
      ports,
      io,
    );
    const { exit, endedBy, oom, forksRefused, backend } = result;
    assert.deepEqual(
      { exit, endedBy, oom, forksRefused, backend, memory: result.enforced.memory },
      {
        exit: { kind: 'code', code: 6 },
        endedBy: 'itself',
        oom: null,
        forksRefused: null,
        backend: 'none',
        memory: 'none',
      },
    );
  });

  test('is stopped when its time is up', async () => {
    await using dir = await tempDir();
    const policy = unsafe(dir.path, { limits: { ...AGENT_LIMITS, timeMs: 50 } });
    const { endedBy } = await runSandboxed(policy, { argv: ['sleep', '600'] }, ports, io);
    assert.equal(endedBy, 'time-limit');
  });

  test('is stopped on request, also before it has started', async () => {
    await using dir = await tempDir();
    const { endedBy } = await runSandboxed(
      unsafe(dir.path),
      { argv: ['sleep', '600'] },
      ports,
      io,
      AbortSignal.abort(),
    );
    assert.equal(endedBy, 'us');
  });

  test('is never started under a policy that is refused', async () => {
    await using dir = await tempDir();
    await assert.rejects(
      runSandboxed(unsafe(dir.path, { write: ['/'] }), { argv: ['true'] }, ports, io),
      (error) => isRefusal(error, 'sandbox.policy-refused'),
    );
    await assert.rejects(
      runSandboxed(unsafe(dir.path, { unsafe: false }), { argv: ['true'] }, ports, io),
      (error) => isRefusal(error, 'sandbox.unavailable'),
    );
  });

  test('is never started with a missing folder, or with one behind a symlink', async () => {
    await using dir = await tempDir();
    const folder = realpathSync(dir.path);
    await mkdir(join(folder, 'real'));
    await symlink('real', join(folder, 'link'));
    const held: SandboxPorts = { ...ports, backend: 'bubblewrap' };
    const start = (name: string): Promise<unknown> =>
      runSandboxed(unsafe(join(folder, name)), { argv: ['true'] }, held, io);
    await assert.rejects(start('absent'), /absent does not exist/);
    await assert.rejects(start('link'), /link contains a symlink: its real path is .*real/);
  });
});

describe('preflight scripts', () => {
  test('run in order until one fails', async () => {
    await using dir = await tempDir();
    const [good, bad, never] = ['good', 'bad', 'never'].map((name) => join(dir.path, `${name}.sh`));
    assert.ok(good !== undefined && bad !== undefined && never !== undefined);
    await writeFile(good, 'echo good\n');
    await writeFile(bad, 'echo bad\nfalse\necho went on\n');
    await writeFile(never, 'echo never\n');
    let output = '';
    const listening = {
      ...io,
      onStdout: (chunk: Uint8Array) => void (output += Buffer.from(chunk).toString()),
    };
    assert.deepEqual(await runPreflightScripts(unsafe(dir.path), [good], ports, listening), {
      kind: 'ready',
    });
    const failed = await runPreflightScripts(
      unsafe(dir.path),
      [good, bad, never],
      ports,
      listening,
    );
    assert.deepEqual(
      [failed.kind, failed.kind === 'failed' && failed.script, output],
      ['failed', bad, 'good\ngood\nbad\n'],
    );
  });
});

test('an ordinary user runs a sandbox as themselves, and root as a separate user for each name', () => {
  assert.deepEqual(sandboxUser('a', { uid: 1000, gid: 100 }), { uid: 1000, gid: 100 });
  const [one, same, other] = ['a', 'a', 'b'].map((name) => sandboxUser(name, { uid: 0, gid: 0 }));
  assert.deepEqual(one, same);
  assert.notDeepEqual(one, other);
  assert.ok((one?.uid ?? 0) >= 0x7000_0000);
});

describe('whether the command of a container has started', () => {
  const code = (value: number): HostExit => ({ kind: 'code', code: value });
  const state = (started: boolean) => ({ started, code: 0, oomKilled: false });
  const cases: [string, HostExit, ReturnType<typeof state> | undefined, boolean][] = [
    ['the engine recorded a start', code(127), state(true), true],
    ['the engine recorded no start', code(0), state(false), false],
    ['no record, and the exit code of the command', code(0), undefined, true],
    ['no record, and a failure of the command', code(1), undefined, true],
    ['no record, and the exit code of an engine that failed', code(125), undefined, false],
    ['no record, and a command that cannot be executed', code(126), undefined, false],
    ['no record, and a command that does not exist', code(127), undefined, false],
    ['no record, and a command that was killed', code(137), undefined, true],
    ['a client that was killed', { kind: 'signal', signal: 'SIGKILL' }, undefined, true],
  ];
  for (const [why, exit, recorded, expected] of cases)
    test(why, () => assert.equal(hasStartedContainer(exit, recorded), expected));
});
