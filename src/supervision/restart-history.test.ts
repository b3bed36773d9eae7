/** Which restarts count: those of an earlier life do, and a wall clock that is set changes nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SupervisionHarness } from '../../test/support/supervision-harness.ts';
import { readRestartHistory } from './restart-record.ts';

const often = { restartsMax: 1000, withinMs: 3_600_000 };

describe('a wall clock that is set', () => {
  for (const jumpMs of [-86_400_000, 86_400_000]) {
    const where = jumpMs < 0 ? 'back' : 'forward';

    test(`${where} forgets no restart, and the crash loop is one`, async () => {
      const stage = new SupervisionHarness();
      const supervisor = await stage.start({ children: [stage.cast.spec('a')] });
      await stage.after('a', 10);
      await stage.clock.jump(jumpMs);
      await stage.after('a', 10);
      assert.equal((await supervisor.ended).why, 'too-many-restarts');
    });

    test(`${where} counts none that is over`, async () => {
      const stage = new SupervisionHarness();
      const supervisor = await stage.start({ children: [stage.cast.spec('a')] });
      await stage.after('a', 5001);
      await stage.clock.jump(jumpMs);
      assert.deepEqual(await stage.after('a'), ['exited a failed', 'restarting a', 'started a']);
      await supervisor.stop();
    });

    test(`${where} makes nobody well, and no wait longer`, async () => {
      const stage = new SupervisionHarness();
      const backoff = { baseMs: 100, maxMs: 1000 };
      const children = [stage.cast.spec('a', { backoff })];
      const supervisor = await stage.start({ intensity: often, children });
      await stage.after('a', 100);
      await stage.clock.jump(jumpMs);
      assert.deepEqual(await stage.after('a'), ['exited a failed', 'restarting a in 200']);
      await stage.clock.jump(jumpMs);
      assert.deepEqual(stage.cast.told(), []);
      await stage.clock.advance(200);
      assert.deepEqual(stage.cast.told(), ['started a']);
      await supervisor.stop();
    });
  }
});

describe('history', () => {
  test('makes a crash loop still one after our own restart', async () => {
    const stage = new SupervisionHarness();
    const intensity = { restartsMax: 2, withinMs: 60_000 };
    const spec = {
      intensity,
      backoff: { baseMs: 1, maxMs: 100 },
      children: [stage.cast.spec('a', { intensity: { ...often, restartsMax: 5 } })],
    };
    const first = await stage.start(spec);
    await stage.after('a', 10);
    await stage.after('a', 10);
    const written = JSON.stringify(first.history);
    await first.kill();
    const second = await stage.start({ ...spec, history: readRestartHistory(JSON.parse(written)) });
    assert.deepEqual(second.history, first.history);
    assert.deepEqual(second.history, {
      restarts: [0, 10],
      children: { a: { restarts: [0, 10], streak: 2 } },
    });
    await stage.after('a');
    assert.equal((await second.ended).why, 'too-many-restarts');
  });

  test('that is old is no crash loop', async () => {
    const stage = new SupervisionHarness();
    await stage.clock.advance(100_000);
    const history = { restarts: [1, 2], children: {} };
    const children = [stage.cast.spec('a')];
    const supervisor = await stage.start({ history, children });
    assert.deepEqual(await stage.after('a'), ['exited a failed', 'restarting a', 'started a']);
    await supervisor.stop();
  });

  test('of the future happened just now', async () => {
    const stage = new SupervisionHarness();
    const history = { restarts: [5_000_000], children: {} };
    const supervisor = await stage.start({ history, children: [stage.cast.spec('a')] });
    assert.deepEqual(supervisor.history.restarts, [0]);
    await stage.clock.advance(5001);
    assert.deepEqual(await stage.after('a'), ['exited a failed', 'restarting a', 'started a']);
    await supervisor.stop();
  });

  test('is told by the wall clock as it is when it is asked for', async () => {
    const stage = new SupervisionHarness();
    const supervisor = await stage.start({ children: [stage.cast.spec('a')] });
    await stage.after('a', 10);
    await stage.clock.jump(3_600_000);
    assert.deepEqual(supervisor.history.restarts, [3_600_000]);
    await supervisor.stop();
  });

  test('that is damaged is refused', () => {
    const damaged = [
      null,
      {},
      { restarts: [], children: [] },
      { restarts: ['1'], children: {} },
      { restarts: [], children: { a: { restarts: [] } } },
    ];
    for (const value of damaged)
      assert.throws(() => readRestartHistory(value), { name: 'Refusal' }, JSON.stringify(value));
  });
});
