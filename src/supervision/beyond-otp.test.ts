/** What OTP does not have: all of it off until it is asked for. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '../base/random.ts';
import { settle } from '../testing/fakes/manual-clock.ts';
import { SupervisionHarness } from '../../test/support/supervision-harness.ts';

const often = { restartsMax: 1000, withinMs: 3_600_000 };

async function fails(): Promise<void> {
  throw new Error('told to');
}

describe('backoff', () => {
  const backoff = { baseMs: 1000, maxMs: 8000, healthyMs: 20_000 };

  test('doubles with each restart up to the most, and starts anew after a long life', async () => {
    const stage = new SupervisionHarness();
    const children = [stage.cast.spec('a')];
    const supervisor = await stage.start({ intensity: often, backoff, children });
    const told: (string | undefined)[] = [];
    for (const livedMs of [0, 0, 10_000, 0, 0, 20_000, 0]) {
      await stage.clock.advance(livedMs);
      const [, restarting] = await stage.after('a', 8000);
      told.push(restarting);
    }
    const waits = [1000, 2000, 4000, 8000, 8000, 1000, 2000];
    assert.deepEqual(
      told,
      waits.map((ms) => `restarting a in ${ms}`),
    );
    await supervisor.stop();
  });

  test('has a failed start wait too', async () => {
    const stage = new SupervisionHarness();
    const spec = { intensity: often, backoff, children: [stage.cast.spec('a')] };
    const supervisor = await stage.start(spec);
    stage.cast.failNext('a', 2);
    assert.deepEqual(await stage.after('a', 7000), [
      'exited a failed',
      'restarting a in 1000',
      'start-failed a',
      'restarting a in 2000',
      'start-failed a',
      'restarting a in 4000',
      'started a',
    ]);
    await supervisor.stop();
  });

  test('stops who goes down with it at once, and starts them together after the wait', async () => {
    const stage = new SupervisionHarness();
    const children = [stage.cast.spec('a'), stage.cast.spec('b'), stage.cast.spec('c')];
    const supervisor = await stage.start({ strategy: 'rest-for-one', backoff, children });
    assert.deepEqual(await stage.after('b', 999), [
      'exited b failed',
      'restarting b in 1000',
      'stopped c shutdown',
    ]);
    assert.deepEqual(
      (await supervisor.whichChildren()).map(({ id, standing }) => `${id}=${standing}`),
      ['c=absent', 'b=restarting', 'a=running'],
    );
    await stage.clock.advance(1);
    assert.deepEqual(stage.cast.told(), ['started b', 'started c']);
    await supervisor.stop();
  });

  test('of an earlier failure does not cut a later one short', async () => {
    const stage = new SupervisionHarness();
    const children = [
      stage.cast.spec('a', { backoff: { baseMs: 0, maxMs: 0 } }),
      stage.cast.spec('b'),
    ];
    const spec = { strategy: 'rest-for-one', intensity: often, backoff, children } as const;
    const supervisor = await stage.start(spec);
    await stage.after('b', 900); // due at 1000
    await stage.after('a'); // brings back b with it
    assert.deepEqual(await stage.after('b', 1999), ['exited b failed', 'restarting b in 2000']);
    await stage.clock.advance(1);
    assert.deepEqual(stage.cast.told(), ['started b']);
    await supervisor.stop();
  });

  // R2
  for (const strategy of ['one-for-all', 'rest-for-one'] as const)
    test(`${strategy}: siblings come back after the wait although the one that failed was terminated`, async () => {
      const stage = new SupervisionHarness();
      const children = ['a', 'b', 'c', 'd'].map((id) => stage.cast.spec(id));
      const supervisor = await stage.start({ strategy, intensity: often, backoff, children });
      await stage.after('b', 10);
      await supervisor.terminateChild('b');
      await supervisor.deleteChild('b');
      await supervisor.terminateChild('c'); // said of c itself, and so it stays down
      await stage.clock.advance(1000);
      assert.deepEqual(
        (await supervisor.whichChildren()).map(({ id, standing }) => `${id}=${standing}`),
        ['d=running', 'c=absent', 'a=running'],
      );
      await supervisor.stop();
    });

  test('one-for-all: siblings come back when the one that failed is given up', async () => {
    const stage = new SupervisionHarness();
    const intensity = { restartsMax: 1, withinMs: 3_600_000, whenFull: 'leave' } as const;
    const children = [stage.cast.spec('a', { intensity }), stage.cast.spec('b')];
    const spec = { strategy: 'one-for-all', intensity: often, backoff, children } as const;
    const supervisor = await stage.start(spec);
    stage.cast.failNext('a', 1);
    await stage.after('a', 60_000);
    assert.deepEqual(
      (await supervisor.whichChildren()).map(({ id, standing }) => `${id}=${standing}`),
      ['b=running', 'a=absent'],
    );
    await supervisor.stop();
  });

  test('rest-for-one: siblings that wait for an elder one do not come back before it', async () => {
    const stage = new SupervisionHarness();
    const children = [
      stage.cast.spec('a', { backoff: { baseMs: 5000, maxMs: 5000 } }),
      ...['b', 'c'].map((id) => stage.cast.spec(id)),
    ];
    const spec = { strategy: 'rest-for-one', intensity: often, backoff, children } as const;
    const supervisor = await stage.start(spec);
    await stage.after('b', 10);
    await stage.after('a', 4000);
    assert.deepEqual(stage.cast.told(), []);
    assert.equal((await supervisor.countChildren()).active, 0);
    await stage.clock.advance(1000);
    assert.deepEqual(stage.cast.told(), ['started a', 'started b', 'started c']);
    await supervisor.stop();
  });

  test('is called off with the child, and with the supervisor', async () => {
    const stage = new SupervisionHarness();
    const children = [stage.cast.spec('a'), stage.cast.spec('b')];
    const supervisor = await stage.start({ intensity: often, backoff, children });
    await stage.after('a');
    await stage.after('b');
    await supervisor.terminateChild('a');
    assert.deepEqual(await stage.after('b', 0), []);
    await supervisor.stop();
    assert.equal(stage.clock.sleeping, 0);
    await stage.clock.advance(60_000);
    assert.deepEqual(stage.cast.told(), []);
  });

  test('of a thousand children is one sleeper', async () => {
    const stage = new SupervisionHarness();
    const ids = Array.from({ length: 1000 }, (_, n) => `c${n}`);
    const children = ids.map((id) => stage.cast.spec(id, { backoff: { ...backoff, jitter: 1 } }));
    const supervisor = await stage.start({ intensity: often, children });
    for (const id of ids) stage.cast.end(id);
    await settle();
    assert.equal(stage.clock.sleeping, 1);
    await stage.clock.advance(2000);
    assert.deepEqual((await supervisor.countChildren()).active, 1000);
    await supervisor.stop();
  });

  test('is jittered by luck alone', async () => {
    const tellings = await Promise.all(
      [7, 7, 8].map(async (seed) => {
        const stage = new SupervisionHarness();
        const spec = {
          backoff: { ...backoff, jitter: 0.5 },
          children: [stage.cast.spec('a')],
        };
        const supervisor = await stage.start(spec, seededRandom(seed));
        const [, restarting] = await stage.after('a');
        await supervisor.stop();
        return restarting;
      }),
    );
    assert.equal(tellings[0], tellings[1]);
    assert.notEqual(tellings[0], tellings[2]);
  });
});

describe('the window of one child', () => {
  const intensity = { restartsMax: 1, withinMs: 60_000 };

  test('ends the supervisor when it is full', async () => {
    const stage = new SupervisionHarness();
    const children = [stage.cast.spec('a'), stage.cast.spec('b', { intensity })];
    const supervisor = await stage.start({ intensity: often, children });
    await stage.after('b');
    await stage.after('b');
    assert.equal((await supervisor.ended).why, 'too-many-restarts');
  });

  test('leaves only that child down where this is wanted', async () => {
    const stage = new SupervisionHarness();
    const drone = stage.cast.spec('b', { intensity: { ...intensity, whenFull: 'leave' } });
    const supervisor = await stage.start({
      intensity: often,
      children: [stage.cast.spec('a'), drone],
    });
    await stage.after('b');
    assert.deepEqual(await stage.after('b'), ['exited b failed', 'gave-up b']);
    assert.deepEqual(await stage.after('a'), ['exited a failed', 'restarting a', 'started a']);
    await stage.clock.advance(60_001);
    await supervisor.restartChild('b');
    assert.deepEqual(await stage.after('b'), ['exited b failed', 'restarting b', 'started b']);
    await supervisor.stop();
  });
});

describe('revert', () => {
  test('undoes what a failed child did, keeps what helps to find out why, and forgets it', async () => {
    const stage = new SupervisionHarness();
    const done: string[] = [];
    const hooks = {
      keep: async (exit: object) => void done.push(`keep ${JSON.stringify(exit)}`),
      revert: async (exit: object) => void done.push(`revert ${JSON.stringify(exit)}`),
    };
    const children = [stage.cast.spec('a', hooks), stage.cast.spec('b', hooks)];
    const supervisor = await stage.start({ strategy: 'revert', children });
    assert.deepEqual(await stage.after('a'), ['exited a failed', 'reverted a']);
    stage.cast.end('b', 'normal');
    await settle();
    const boom = '{"kind":"failed","reason":"boom"}';
    assert.deepEqual(done, [`keep ${boom}`, `revert ${boom}`]);
    assert.deepEqual(await supervisor.whichChildren(), [
      { id: 'b', standing: 'absent', type: 'worker' },
    ]);
    await supervisor.stop();
  });

  test('that fails ends the supervisor: nobody knows what the world is like now', async () => {
    const stage = new SupervisionHarness();
    const revert = fails;
    const children = [stage.cast.spec('a', { revert }), stage.cast.spec('b', { revert })];
    const supervisor = await stage.start({ strategy: 'revert', children });
    assert.deepEqual(await stage.after('a'), [
      'exited a failed',
      'revert-failed a',
      'stopped b shutdown',
    ]);
    assert.equal((await supervisor.ended).why, 'revert-failed');
  });

  test('or not: what is to be kept is kept under every strategy, and failing to does not stop recovery', async () => {
    const stage = new SupervisionHarness();
    const keep = fails;
    const supervisor = await stage.start({ children: [stage.cast.spec('a', { keep })] });
    assert.deepEqual(await stage.after('a'), [
      'exited a failed',
      'keep-failed a',
      'restarting a',
      'started a',
    ]);
    await supervisor.stop();
  });
});
