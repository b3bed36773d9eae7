/** test/differential compares traces with OTP. These tests cover what a trace does not show. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { ManualClock, settle } from '../testing/fakes/manual-clock.ts';
import { FakeChildren } from '../testing/fakes/fake-child.ts';
import type { ChildSpec } from './child.ts';
import type { SupervisorSpec } from './supervisor-spec.ts';
import { Supervisor } from './supervisor.ts';

type Stage = { clock: ManualClock; cast: FakeChildren; supervisor: Supervisor };

async function harness(
  spec: SupervisorSpec | ((cast: FakeChildren) => SupervisorSpec),
): Promise<Stage> {
  const clock = new ManualClock();
  const cast = new FakeChildren();
  const given = typeof spec === 'function' ? spec(cast) : spec;
  const supervisor = await Supervisor.start(given, { clock, observe: cast.observe });
  cast.told();
  return { clock, cast, supervisor };
}

const often = { restartsMax: 1000, withinMs: 60_000 };

async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error.data.code;
  }
}

describe('a restart that fails', () => {
  test('is tried again behind other messages, so a stop does not wait', async () => {
    const { cast, supervisor } = await harness((cast) => ({
      intensity: often,
      children: [cast.spec('a'), cast.spec('b')],
    }));
    cast.failNext('b', 1_000_000);
    cast.end('b');
    await settle(1);
    const { why } = await supervisor.stop();
    const told = cast.told();
    assert.equal(why, 'stopped');
    assert.equal(told.at(-1), 'stopped a shutdown');
    assert.ok(told.length < 1000, `tried ${told.length} times`);
  });

  test('shows the child as restarting, and refuses calls that need it to be down', async () => {
    const { cast, supervisor } = await harness((cast) => ({
      intensity: often,
      children: [cast.spec('a')],
    }));
    cast.failNext('a', 1_000_000);
    cast.end('a');
    await settle(1);
    const answers = await Promise.all([
      supervisor.whichChildren(),
      codeOf(supervisor.restartChild('a')),
      codeOf(supervisor.deleteChild('a')),
      codeOf(supervisor.startChild(cast.spec('a'))),
      codeOf(supervisor.monitor('a')),
    ]);
    assert.deepEqual(answers, [
      [{ id: 'a', status: 'restarting', type: 'worker' }],
      'child.restarting',
      'child.restarting',
      'child.already-present',
      'child.not-running',
    ]);
    await supervisor.stop();
  });

  test('is cancelled by terminating the child', async () => {
    const { cast, supervisor } = await harness((cast) => ({
      intensity: often,
      children: [cast.spec('a')],
    }));
    cast.failNext('a', 1_000_000);
    cast.end('a');
    await settle(1);
    await supervisor.terminateChild('a');
    cast.told();
    await settle();
    assert.deepEqual(await supervisor.whichChildren(), [
      { id: 'a', status: 'absent', type: 'worker' },
    ]);
    assert.deepEqual(cast.told(), []);
    await supervisor.stop();
  });
});

test('a sibling that exited by itself before it was stopped is reported as exited', async () => {
  const { cast, supervisor } = await harness((cast) => ({
    strategy: 'one-for-all',
    children: [cast.spec('a'), cast.spec('b')],
  }));
  cast.end('a');
  cast.end('b', 'normal');
  await settle();
  assert.deepEqual(cast.told(), [
    'exited a failed',
    'restarting a',
    'exited b normal',
    'started a',
    'started b',
  ]);
  await supervisor.stop();
});

describe('ending', () => {
  test('reports children that could not be stopped, and still ends', async () => {
    const { clock, cast, supervisor } = await harness((cast) => ({
      children: [cast.spec('a'), cast.spec('b', {}, 'immortal'), cast.spec('c', {}, 'stubborn')],
    }));
    const ending = supervisor.stop();
    await clock.advance(60_000);
    assert.deepEqual(await ending, {
      exit: { kind: 'shutdown' },
      why: 'stopped',
      unstopped: ['b'],
    });
    assert.deepEqual(cast.told(), ['killed c', 'unstopped b', 'stopped a shutdown']);
  });

  test('answers calls that still wait with a refusal', async () => {
    const { cast, supervisor } = await harness((cast) => ({ children: [cast.spec('a')] }));
    const ending = supervisor.stop();
    const early = codeOf(supervisor.countChildren());
    await ending;
    const late = [
      codeOf(supervisor.startChild(cast.spec('b'))),
      codeOf(supervisor.terminateChild('a')),
      codeOf(supervisor.publish({ x: '1' })),
    ];
    assert.deepEqual(await Promise.all([early, ...late]), Array(4).fill('supervisor.ended'));
    assert.deepEqual(await supervisor.stop(), await ending);
  });

  test('by a kill waits for no grace, no start and no mailbox', async () => {
    const { clock, cast, supervisor } = await harness((cast) => ({
      children: [
        cast.spec('a', { shutdown: 'infinity' }, 'stubborn'),
        cast.spec('b', {}, 'stubborn'),
      ],
    }));
    const late = Promise.withResolvers<void>();
    const slow: ChildSpec = {
      id: 'slow',
      start: async () => {
        await late.promise;
        return cast.start('slow');
      },
    };
    const starting = codeOf(supervisor.startChild(slow));
    const { why, exit } = await supervisor.kill();
    assert.deepEqual([why, exit, clock.sleeping], ['killed', { kind: 'killed' }, 0]);
    assert.equal(await starting, 'child.start-failed');
    assert.deepEqual(cast.told(), ['start-failed slow', 'killed b', 'killed a']);
    late.resolve();
    await settle();
    assert.deepEqual(await cast.life('slow').exit, { kind: 'killed' });
  });

  test('by a kill kills the others although one child does not die', async () => {
    const { clock, cast, supervisor } = await harness((cast) => ({
      children: [cast.spec('a'), cast.spec('b', {}, 'immortal'), cast.spec('c')],
    }));
    const ending = supervisor.kill();
    await settle();
    assert.deepEqual(await cast.life('a').exit, { kind: 'killed' });
    await clock.advance(10_000);
    assert.deepEqual((await ending).unstopped, ['b']);
    assert.deepEqual(cast.told(), ['killed c', 'unstopped b', 'killed a']);
  });

  test('by a kill cuts a stop short', async () => {
    const { clock, cast, supervisor } = await harness((cast) => ({
      children: [cast.spec('a', { shutdown: 'infinity' }, 'stubborn')],
    }));
    void supervisor.stop();
    await clock.advance(1e9);
    assert.equal((await supervisor.kill()).why, 'killed');
    assert.deepEqual(cast.told(), ['killed a']);
  });
});

describe('a start', () => {
  test('of a child that throws has failed, and those before it are stopped', async () => {
    const clock = new ManualClock();
    const cast = new FakeChildren();
    const children: ChildSpec[] = [
      cast.spec('a'),
      { id: 'b', start: () => Promise.reject(new Error('no disk')) },
      cast.spec('c'),
    ];
    const start = Supervisor.start({ children }, { clock, observe: cast.observe });
    assert.equal(await codeOf(start), 'supervisor.start-failed');
    assert.deepEqual(cast.told(), ['started a', 'start-failed b', 'stopped a shutdown']);
  });

  test('is killed by its signal', async () => {
    const cast = new FakeChildren();
    const hang: ChildSpec = { id: 'b', start: () => new Promise(() => undefined) };
    const quit = new AbortController();
    const start = Supervisor.start(
      { children: [cast.spec('a'), hang] },
      { clock: new ManualClock(), observe: cast.observe },
      quit.signal,
    );
    await settle(1);
    quit.abort();
    assert.equal(await codeOf(start), 'supervisor.start-failed');
    assert.deepEqual(cast.told(), ['started a', 'start-failed b', 'killed a']);
  });
});

test('too many calls at once are refused, not queued', async () => {
  const { supervisor } = await harness({});
  const calls = Array.from({ length: 10_002 }, () => codeOf(supervisor.countChildren()));
  const codes = await Promise.all(calls);
  assert.deepEqual([codes[0], codes.at(-1)], [undefined, 'supervisor.busy']);
  await supervisor.stop();
});

test('a child that was killed and still runs is not started a second time', async () => {
  const { clock, cast, supervisor } = await harness((cast) => ({
    intensity: often,
    children: [cast.spec('a', { shutdown: 'brutal-kill' }, 'immortal')],
  }));
  const first = cast.life('a');
  const terminating = codeOf(supervisor.terminateChild('a'));
  await clock.advance(10_000);
  assert.equal(await terminating, 'child.unstopped');
  assert.equal(await codeOf(supervisor.restartChild('a')), 'child.start-failed');
  first.end({ kind: 'killed' });
  await settle();
  assert.equal(await supervisor.restartChild('a'), 'started');
  assert.deepEqual(cast.told(), ['unstopped a', 'start-failed a', 'started a']);
  cast.end('a');
  await supervisor.stop();
});

test('a hook that never ends does not delay a kill, and is not reported as done', async () => {
  const { promise } = Promise.withResolvers<void>();
  const revert = (): Promise<void> => promise;
  const { cast, supervisor } = await harness((cast) => ({
    strategy: 'revert',
    children: [cast.spec('a', { revert }), cast.spec('b', { revert })],
  }));
  cast.end('a');
  await settle();
  assert.equal((await supervisor.kill()).why, 'killed');
  assert.deepEqual(cast.told(), ['exited a failed', 'killed b']);
});

test('a monitor receives the exit of one life, and affects no other', async () => {
  const { cast, supervisor } = await harness((cast) => ({ children: [cast.spec('a')] }));
  const { down } = await supervisor.monitor('a');
  cast.end('a', 'normal');
  assert.deepEqual(await down, { kind: 'normal' });
  assert.equal(await codeOf(supervisor.monitor('nobody')), 'child.not-found');
  assert.deepEqual((await supervisor.whichChildren())[0]?.status, 'running');
  await supervisor.stop();
});
