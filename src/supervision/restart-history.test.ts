/** Which restarts count: those of an earlier life do, and setting the wall clock changes nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SupervisionHarness } from '../../test/support/supervision-harness.ts';
import { readRestartHistory } from './restart-record.ts';

const often = { restartsMax: 1000, withinMs: 3_600_000 };

describe('setting the wall clock', () => {
  for (const jumpMs of [-86_400_000, 86_400_000]) {
    const where = jumpMs < 0 ? 'back' : 'forward';

    test(`${where} drops no restart, so a crash loop is recognised`, async () => {
      const harness = new SupervisionHarness();
      const supervisor = await harness.start({ children: [harness.cast.spec('a')] });
      await harness.after('a', 10);
      await harness.clock.jump(jumpMs);
      await harness.after('a', 10);
      assert.equal((await supervisor.ended).why, 'too-many-restarts');
    });

    test(`${where} counts no restart outside the window`, async () => {
      const harness = new SupervisionHarness();
      const supervisor = await harness.start({ children: [harness.cast.spec('a')] });
      await harness.after('a', 5001);
      await harness.clock.jump(jumpMs);
      assert.deepEqual(await harness.after('a'), ['exited a failed', 'restarting a', 'started a']);
      await supervisor.stop();
    });

    test(`${where} makes no child healthy, and no wait longer`, async () => {
      const harness = new SupervisionHarness();
      const backoff = { baseMs: 100, maxMs: 1000 };
      const children = [harness.cast.spec('a', { backoff })];
      const supervisor = await harness.start({ intensity: often, children });
      await harness.after('a', 100);
      await harness.clock.jump(jumpMs);
      assert.deepEqual(await harness.after('a'), ['exited a failed', 'restarting a in 200']);
      await harness.clock.jump(jumpMs);
      assert.deepEqual(harness.cast.told(), []);
      await harness.clock.advance(200);
      assert.deepEqual(harness.cast.told(), ['started a']);
      await supervisor.stop();
    });
  }
});

describe('history', () => {
  test('shows a crash loop even after a restart of the process', async () => {
    const harness = new SupervisionHarness();
    const intensity = { restartsMax: 2, withinMs: 60_000 };
    const spec = {
      intensity,
      backoff: { baseMs: 1, maxMs: 100 },
      children: [harness.cast.spec('a', { intensity: { ...often, restartsMax: 5 } })],
    };
    const first = await harness.start(spec);
    await harness.after('a', 10);
    await harness.after('a', 10);
    const written = JSON.stringify(first.history);
    await first.kill();
    const second = await harness.start({
      ...spec,
      history: readRestartHistory(JSON.parse(written)),
    });
    assert.deepEqual(second.history, first.history);
    assert.deepEqual(second.history, {
      restarts: [0, 10],
      children: { a: { restarts: [0, 10], streak: 2 } },
    });
    await harness.after('a');
    assert.equal((await second.ended).why, 'too-many-restarts');
  });

  test('that is old does not count', async () => {
    const harness = new SupervisionHarness();
    await harness.clock.advance(100_000);
    const history = { restarts: [1, 2], children: {} };
    const children = [harness.cast.spec('a')];
    const supervisor = await harness.start({ history, children });
    assert.deepEqual(await harness.after('a'), ['exited a failed', 'restarting a', 'started a']);
    await supervisor.stop();
  });

  test('in the future counts as now', async () => {
    const harness = new SupervisionHarness();
    const history = { restarts: [5_000_000], children: {} };
    const supervisor = await harness.start({ history, children: [harness.cast.spec('a')] });
    assert.deepEqual(supervisor.history.restarts, [0]);
    await harness.clock.advance(5001);
    assert.deepEqual(await harness.after('a'), ['exited a failed', 'restarting a', 'started a']);
    await supervisor.stop();
  });

  test('uses the wall clock at the time of reading', async () => {
    const harness = new SupervisionHarness();
    const supervisor = await harness.start({ children: [harness.cast.spec('a')] });
    await harness.after('a', 10);
    await harness.clock.jump(3_600_000);
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
