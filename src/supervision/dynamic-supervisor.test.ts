import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock, settle } from '../testing/fakes/manual-clock.ts';
import type { FakeChildMode } from '../testing/fakes/fake-child.ts';
import { FakeChildren } from '../testing/fakes/fake-child.ts';
import type { ChildSpec } from './child.ts';
import type { DynamicSpec } from './dynamic-supervisor.ts';
import { DynamicSupervisor } from './dynamic-supervisor.ts';
import { Supervisor } from './supervisor.ts';

const often = { restartsMax: 1000, withinMs: 60_000 };

class Pool {
  readonly clock = new ManualClock();
  readonly cast = new FakeChildren();

  open(
    child: Partial<ChildSpec> = {},
    more: Partial<DynamicSpec<string>> = {},
    temper?: FakeChildMode,
  ): Promise<DynamicSupervisor<string>> {
    const start = async (argument: string): Promise<ReturnType<FakeChildren['start']>> =>
      argument === 'nothing' ? { kind: 'ignored' } : this.cast.start(argument, temper);
    return DynamicSupervisor.start<string>(
      { intensity: often, template: { ...child, id: 'w', start }, ...more },
      { clock: this.clock, observe: this.cast.observe },
    );
  }
}

describe('dynamic children', () => {
  test('start with their argument, and restart with the same one', async () => {
    const pool = new Pool();
    const supervisor = await pool.open();
    assert.deepEqual(
      [
        await supervisor.startChild('red'),
        await supervisor.startChild('blue'),
        await supervisor.startChild('nothing'),
      ],
      ['w-1', 'w-2', undefined],
    );
    const first = pool.cast.life('red');
    pool.cast.end('red');
    await settle();
    assert.notEqual(pool.cast.life('red'), first);
    assert.deepEqual(await supervisor.countChildren(), {
      specs: 1,
      active: 2,
      workers: 2,
      supervisors: 0,
    });
    await supervisor.stop();
  });

  test('that stay down are forgotten, whatever their restart type', async () => {
    const pool = new Pool();
    const supervisor = await pool.open({ restart: 'transient' });
    for (const color of ['red', 'blue', 'green']) await supervisor.startChild(color);
    pool.cast.end('red', 'normal');
    await supervisor.terminateChild('w-2');
    await settle();
    assert.deepEqual(
      (await supervisor.whichChildren()).map(({ id }) => id),
      ['w-3'],
    );
    await assert.rejects(supervisor.terminateChild('w-1'), { name: 'Refusal' });
    await supervisor.stop();
  });

  test('keep their place while a restart is tried again, until the window is full', async () => {
    const pool = new Pool();
    const supervisor = await pool.open({}, { intensity: { restartsMax: 3, withinMs: 60_000 } });
    await supervisor.startChild('red');
    await supervisor.startChild('blue');
    pool.cast.failNext('red', 2);
    pool.cast.end('red');
    await settle();
    assert.deepEqual(
      (await supervisor.whichChildren()).map(({ id, status }) => `${id}=${status}`),
      ['w-2=running', 'w-1=running'],
    );
    pool.cast.end('blue');
    assert.equal((await supervisor.ended).why, 'too-many-restarts');
  });

  test('with an invalid template are refused before the first one starts', async () => {
    await assert.rejects(new Pool().open({ significant: true }), { name: 'Refusal' });
  });

  test('that crashed in an earlier life of their supervisor still count', async () => {
    const pool = new Pool();
    const intensity = { restartsMax: 1, withinMs: 60_000 };
    const first = await pool.open({}, { intensity });
    await first.startChild('red');
    pool.cast.end('red');
    await settle();
    const { history } = first;
    await first.kill();
    const second = await pool.open({}, { intensity, history });
    await second.startChild('blue');
    pool.cast.end('blue');
    assert.equal((await second.ended).why, 'too-many-restarts');
  });

  test('end their supervisor when the last significant one has ended', async () => {
    const pool = new Pool();
    const supervisor = await pool.open(
      { restart: 'transient', significant: true },
      { autoShutdown: 'all-significant' },
    );
    await supervisor.startChild('red');
    await supervisor.startChild('blue');
    pool.cast.end('red', 'normal');
    await settle();
    assert.equal((await supervisor.countChildren()).active, 1);
    pool.cast.end('blue', 'normal');
    assert.equal((await supervisor.ended).why, 'auto-shutdown');
  });

  test('a thousand stubborn children are stopped at once, with one timer', async () => {
    const pool = new Pool();
    const supervisor = await pool.open({ shutdown: 30_000 }, {}, 'stubborn');
    for (let n = 0; n < 1000; n += 1) await supervisor.startChild(`${n}`);
    const ending = supervisor.stop();
    await settle();
    assert.equal(pool.clock.sleeping, 1);
    await pool.clock.advance(30_000);
    assert.deepEqual(await ending, { exit: { kind: 'shutdown' }, why: 'stopped', unstopped: [] });
    assert.equal(pool.cast.told().filter((line) => line.startsWith('killed')).length, 1000);
  });

  test('with different graces need one timer for each distinct grace', async () => {
    const clock = new ManualClock();
    const cast = new FakeChildren();
    const supervisor = await Supervisor.start({ strategy: 'dynamic' }, { clock });
    for (let n = 0; n < 300; n += 1) {
      const shutdown = 1000 * (1 + (n % 3));
      await supervisor.startChild(cast.spec(`c${n}`, { shutdown }, 'stubborn'));
    }
    const ending = supervisor.stop();
    await settle();
    assert.equal(clock.sleeping, 3);
    await clock.advance(3000);
    await ending;
    assert.equal(clock.sleeping, 0);
  });
});
