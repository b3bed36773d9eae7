/** Features that OTP does not have. All of them are off by default. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '../base/random.ts';
import { settle } from '../testing/fakes/manual-clock.ts';
import { SupervisionHarness } from '../../test/support/supervision-harness.ts';

const often = { restartsMax: 1000, withinMs: 3_600_000 };

async function fails(): Promise<void> {
  throw new Error('as scripted');
}

describe('backoff', () => {
  const backoff = { baseMs: 1000, maxMs: 8000, healthyMs: 20_000 };

  test('doubles with each restart up to the maximum, and starts again from the base after a long life', async () => {
    const harness = new SupervisionHarness();
    const children = [harness.cast.spec('a')];
    const supervisor = await harness.start({ intensity: often, backoff, children });
    const reported: (string | undefined)[] = [];
    for (const livedMs of [0, 0, 10_000, 0, 0, 20_000, 0]) {
      await harness.clock.advance(livedMs);
      const [, restarting] = await harness.after('a', 8000);
      reported.push(restarting);
    }
    const waits = [1000, 2000, 4000, 8000, 8000, 1000, 2000];
    assert.deepEqual(
      reported,
      waits.map((ms) => `restarting a in ${ms}`),
    );
    await supervisor.stop();
  });

  test('delays the retry of a failed start too', async () => {
    const harness = new SupervisionHarness();
    const spec = { intensity: often, backoff, children: [harness.cast.spec('a')] };
    const supervisor = await harness.start(spec);
    harness.cast.failNext('a', 2);
    assert.deepEqual(await harness.after('a', 7000), [
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

  test('stops the siblings at once, and starts all of them together after the wait', async () => {
    const harness = new SupervisionHarness();
    const children = [harness.cast.spec('a'), harness.cast.spec('b'), harness.cast.spec('c')];
    const supervisor = await harness.start({ strategy: 'rest-for-one', backoff, children });
    assert.deepEqual(await harness.after('b', 999), [
      'exited b failed',
      'restarting b in 1000',
      'stopped c shutdown',
    ]);
    assert.deepEqual(
      (await supervisor.whichChildren()).map(({ id, status }) => `${id}=${status}`),
      ['c=absent', 'b=restarting', 'a=running'],
    );
    await harness.clock.advance(1);
    assert.deepEqual(harness.cast.told(), ['started b', 'started c']);
    await supervisor.stop();
  });

  test('after an earlier failure does not shorten a later wait', async () => {
    const harness = new SupervisionHarness();
    const children = [
      harness.cast.spec('a', { backoff: { baseMs: 0, maxMs: 0 } }),
      harness.cast.spec('b'),
    ];
    const spec = { strategy: 'rest-for-one', intensity: often, backoff, children } as const;
    const supervisor = await harness.start(spec);
    await harness.after('b', 900); // due at 1000
    await harness.after('a'); // restarts b with it
    assert.deepEqual(await harness.after('b', 1999), ['exited b failed', 'restarting b in 2000']);
    await harness.clock.advance(1);
    assert.deepEqual(harness.cast.told(), ['started b']);
    await supervisor.stop();
  });

  // R2
  for (const strategy of ['one-for-all', 'rest-for-one'] as const)
    test(`${strategy}: siblings restart after the wait although the failed child was terminated`, async () => {
      const harness = new SupervisionHarness();
      const children = ['a', 'b', 'c', 'd'].map((id) => harness.cast.spec(id));
      const supervisor = await harness.start({ strategy, intensity: often, backoff, children });
      await harness.after('b', 10);
      await supervisor.terminateChild('b');
      await supervisor.deleteChild('b');
      await supervisor.terminateChild('c'); // c itself was terminated, so it stays down
      await harness.clock.advance(1000);
      assert.deepEqual(
        (await supervisor.whichChildren()).map(({ id, status }) => `${id}=${status}`),
        ['d=running', 'c=absent', 'a=running'],
      );
      await supervisor.stop();
    });

  test('one-for-all: siblings restart when the failed child is given up', async () => {
    const harness = new SupervisionHarness();
    const intensity = { restartsMax: 1, withinMs: 3_600_000, whenFull: 'leave' } as const;
    const children = [harness.cast.spec('a', { intensity }), harness.cast.spec('b')];
    const spec = { strategy: 'one-for-all', intensity: often, backoff, children } as const;
    const supervisor = await harness.start(spec);
    harness.cast.failNext('a', 1);
    await harness.after('a', 60_000);
    assert.deepEqual(
      (await supervisor.whichChildren()).map(({ id, status }) => `${id}=${status}`),
      ['b=running', 'a=absent'],
    );
    await supervisor.stop();
  });

  test('rest-for-one: siblings that wait for an earlier child do not restart before it', async () => {
    const harness = new SupervisionHarness();
    const children = [
      harness.cast.spec('a', { backoff: { baseMs: 5000, maxMs: 5000 } }),
      ...['b', 'c'].map((id) => harness.cast.spec(id)),
    ];
    const spec = { strategy: 'rest-for-one', intensity: often, backoff, children } as const;
    const supervisor = await harness.start(spec);
    await harness.after('b', 10);
    await harness.after('a', 4000);
    assert.deepEqual(harness.cast.told(), []);
    assert.equal((await supervisor.countChildren()).active, 0);
    await harness.clock.advance(1000);
    assert.deepEqual(harness.cast.told(), ['started a', 'started b', 'started c']);
    await supervisor.stop();
  });

  test('is cancelled with the child, and with the supervisor', async () => {
    const harness = new SupervisionHarness();
    const children = [harness.cast.spec('a'), harness.cast.spec('b')];
    const supervisor = await harness.start({ intensity: often, backoff, children });
    await harness.after('a');
    await harness.after('b');
    await supervisor.terminateChild('a');
    assert.deepEqual(await harness.after('b', 0), []);
    await supervisor.stop();
    assert.equal(harness.clock.sleeping, 0);
    await harness.clock.advance(60_000);
    assert.deepEqual(harness.cast.told(), []);
  });

  test('of a thousand children needs one timer', async () => {
    const harness = new SupervisionHarness();
    const ids = Array.from({ length: 1000 }, (_, n) => `c${n}`);
    const children = ids.map((id) => harness.cast.spec(id, { backoff: { ...backoff, jitter: 1 } }));
    const supervisor = await harness.start({ intensity: often, children });
    for (const id of ids) harness.cast.end(id);
    await settle();
    assert.equal(harness.clock.sleeping, 1);
    await harness.clock.advance(2000);
    assert.deepEqual((await supervisor.countChildren()).active, 1000);
    await supervisor.stop();
  });

  test('is jittered by the random port alone', async () => {
    const tellings = await Promise.all(
      [7, 7, 8].map(async (seed) => {
        const harness = new SupervisionHarness();
        const spec = {
          backoff: { ...backoff, jitter: 0.5 },
          children: [harness.cast.spec('a')],
        };
        const supervisor = await harness.start(spec, seededRandom(seed));
        const [, restarting] = await harness.after('a');
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
    const harness = new SupervisionHarness();
    const children = [harness.cast.spec('a'), harness.cast.spec('b', { intensity })];
    const supervisor = await harness.start({ intensity: often, children });
    await harness.after('b');
    await harness.after('b');
    assert.equal((await supervisor.ended).why, 'too-many-restarts');
  });

  test('leaves only that child down if the spec says so', async () => {
    const harness = new SupervisionHarness();
    const drone = harness.cast.spec('b', { intensity: { ...intensity, whenFull: 'leave' } });
    const supervisor = await harness.start({
      intensity: often,
      children: [harness.cast.spec('a'), drone],
    });
    await harness.after('b');
    assert.deepEqual(await harness.after('b'), ['exited b failed', 'gave-up b']);
    assert.deepEqual(await harness.after('a'), ['exited a failed', 'restarting a', 'started a']);
    await harness.clock.advance(60_001);
    await supervisor.restartChild('b');
    assert.deepEqual(await harness.after('b'), ['exited b failed', 'restarting b', 'started b']);
    await supervisor.stop();
  });
});

describe('revert', () => {
  test('undoes what a failed child did, saves evidence, and forgets the child', async () => {
    const harness = new SupervisionHarness();
    const done: string[] = [];
    const hooks = {
      keep: async (exit: object) => void done.push(`keep ${JSON.stringify(exit)}`),
      revert: async (exit: object) => void done.push(`revert ${JSON.stringify(exit)}`),
    };
    const children = [harness.cast.spec('a', hooks), harness.cast.spec('b', hooks)];
    const supervisor = await harness.start({ strategy: 'revert', children });
    assert.deepEqual(await harness.after('a'), ['exited a failed', 'reverted a']);
    harness.cast.end('b', 'normal');
    await settle();
    const boom = '{"kind":"failed","reason":"boom"}';
    assert.deepEqual(done, [`keep ${boom}`, `revert ${boom}`]);
    assert.deepEqual(await supervisor.whichChildren(), [
      { id: 'b', status: 'absent', type: 'worker' },
    ]);
    await supervisor.stop();
  });

  test('that fails ends the supervisor, because the state is unknown', async () => {
    const harness = new SupervisionHarness();
    const revert = fails;
    const children = [harness.cast.spec('a', { revert }), harness.cast.spec('b', { revert })];
    const supervisor = await harness.start({ strategy: 'revert', children });
    assert.deepEqual(await harness.after('a'), [
      'exited a failed',
      'revert-failed a',
      'stopped b shutdown',
    ]);
    assert.equal((await supervisor.ended).why, 'revert-failed');
  });

  test('or not: evidence is saved under every strategy, and a failure to save it does not stop the restart', async () => {
    const harness = new SupervisionHarness();
    const keep = fails;
    const supervisor = await harness.start({ children: [harness.cast.spec('a', { keep })] });
    assert.deepEqual(await harness.after('a'), [
      'exited a failed',
      'keep-failed a',
      'restarting a',
      'started a',
    ]);
    await supervisor.stop();
  });
});
