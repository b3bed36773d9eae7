/** Agents that somebody has put together: what becomes of one concerns the others. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentHarness } from '../../../test/support/agent-harness.ts';
import { AT_ONCE, withAgents } from '../../../test/support/agents-fixture.ts';

describe('a declared supervisor', () => {
  test('one for all: the gang goes down with one of them, in reverse, and comes up in order', async () => {
    const stage = await withAgents('one-for-all');
    await stage.crash('b');
    assert.deepEqual(await stage.said(), ['halt c', 'halt a', 'live 2 a', 'live 2 b', 'live 2 c']);
    await stage.close();
  });

  test('one that is never restarted and goes down with a sibling waits for a person', async () => {
    const stage = await withAgents('one-for-all');
    const restart = { ...AT_ONCE, type: 'temporary' } as const;
    await stage.spawn('d', { supervisor: 'agents/team', restart });
    await stage.said();
    await stage.crash('b');
    assert.deepEqual(await stage.said(), [
      'halt d',
      'spent d',
      ...['halt c', 'halt a', 'live 2 a', 'live 2 b', 'live 2 c'],
    ]);
    assert.equal(stage.agent('d').isSpent, true);
    await stage.close();
  });

  test('one that is never restarted, and is deaf to the end, waits for a person once it is down', async () => {
    const stage = await withAgents('one-for-all');
    const restart = { ...AT_ONCE, type: 'temporary' } as const;
    await stage.spawn('d', { supervisor: 'agents/team', restart });
    stage.goesDeaf('d');
    await stage.crash('b');
    await stage.pass(600_000);
    assert.equal(stage.agent('d').isSpent, false);
    await stage.ends('d', { kind: 'stopped' });
    assert.equal(stage.agent('d').isSpent, true);
    await stage.close();
  });

  test('that gives up tells an agent which is deaf to the end once that is down', async () => {
    const before = await withAgents('one-for-one');
    await exhaust(before);
    const { life } = before.agent('a').standing;
    await before.close();
    const stage = await withAgents('one-for-one');
    await exhaust(stage, life);
    stage.goesDeaf('c');
    await stage.crash('a');
    await stage.pass(600_000);
    assert.equal(stage.agent('a').isSpent, true);
    assert.equal(stage.agent('c').isSpent, false);
    await stage.ends('c', { kind: 'stopped' });
    assert.equal(stage.agent('c').isSpent, true);
    await stage.close();
  });

  test('rest for one: those after it go down with it', async () => {
    const stage = await withAgents('rest-for-one');
    await stage.crash('b');
    assert.deepEqual(await stage.said(), ['halt c', 'live 2 b', 'live 2 c']);
    await stage.close();
  });

  test('one for one: it alone', async () => {
    const stage = await withAgents('one-for-one');
    await stage.crash('b');
    assert.deepEqual(await stage.said(), ['live 2 b']);
    await stage.close();
  });

  test('that gives up is begun anew by the one above it, with all of its agents', async () => {
    const stage = await withAgents('one-for-one');
    for (let times = 0; times < 3; times += 1) await stage.crash('b');
    assert.deepEqual(await stage.said(), ['live 2 b', 'live 3 b', 'halt c', 'halt a']);
    await stage.pass(1000);
    assert.deepEqual(await stage.said(), ['live 2 a', 'live 4 b', 'live 2 c']);
    await stage.close();
  });

  test('that gives up again and again stays down, and its agents wait for a person', async () => {
    const stage = await withAgents('one-for-all');
    await exhaust(stage);
    assert.deepEqual(
      stage.up.book.living().map(({ settings, isSpent }) => `${settings.name} ${isSpent}`),
      ['a true', 'b true', 'c true'],
    );
    await stage.said();
    // Somebody speaks to one of them: its supervisor begins again, and all with it.
    await stage.up.engine.signal(stage.agent('b').run, {
      kind: 'message',
      from: null,
      text: 'once more',
    });
    await stage.settle();
    assert.deepEqual(
      (await stage.said()).map((line) => line.replace(/\d+/, 'N')),
      ['message b', 'live N a', 'live N b', 'live N c'],
    );
    await stage.close();
  });

  test('that could not wait for an agent to end begins its next life once it has', async () => {
    const stage = await withAgents('one-for-one');
    stage.goesDeaf('c');
    for (let times = 0; times < 3; times += 1) await stage.crash('b');
    await stage.pass(60_000);
    assert.deepEqual(
      (await stage.said()).filter((words) => /^live|c$/.test(words)),
      ['live 2 b', 'live 3 b', 'halt c', 'halt c', 'live 2 a', 'live 4 b'],
    );
    await stage.ends('c', { kind: 'stopped' });
    assert.deepEqual([await stage.said(), stage.isAtWork('c')], [['live 2 c'], true]);
    await stage.close();
  });
});

/** Until its supervisor, and the one above that, have had enough. */
/** Until nobody begins it again, or until it is in that life. */
async function exhaust(stage: AgentHarness, life = Infinity): Promise<void> {
  const isThere = (): boolean => stage.isAtWork('a') && stage.agent('a').standing.life === life;
  for (let round = 0; round < 100 && !stage.agent('a').isSpent && !isThere(); round += 1)
    await (stage.isAtWork('a') ? stage.crash('a') : stage.pass(1000));
}
