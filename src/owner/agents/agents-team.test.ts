/** Agents under one declared supervisor: the failure of one affects the others. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentHarness } from '../../../test/support/agent-harness.ts';
import { AT_ONCE, withAgents } from '../../../test/support/agents-fixture.ts';

describe('a declared supervisor', () => {
  test('one for all: if one fails, all stop in reverse order and start in order', async () => {
    const harness = await withAgents('one-for-all');
    await harness.crash('b');
    assert.deepEqual(await harness.newSignals(), [
      'end-life c',
      'end-life a',
      'live 2 a',
      'live 2 b',
      'live 2 c',
    ]);
    await harness.close();
  });

  test('an agent that is never restarted and is stopped with a sibling waits for a person', async () => {
    const harness = await withAgents('one-for-all');
    const restart = { ...AT_ONCE, type: 'temporary' } as const;
    await harness.spawn('d', { supervisor: 'agents/team', restart });
    await harness.newSignals();
    await harness.crash('b');
    assert.deepEqual(await harness.newSignals(), [
      'end-life d',
      'restarts-exhausted d',
      ...['end-life c', 'end-life a', 'live 2 a', 'live 2 b', 'live 2 c'],
    ]);
    assert.equal(harness.agent('d').isExhausted, true);
    await harness.close();
  });

  test('an agent that is never restarted and ends late waits for a person when it is down', async () => {
    const harness = await withAgents('one-for-all');
    const restart = { ...AT_ONCE, type: 'temporary' } as const;
    await harness.spawn('d', { supervisor: 'agents/team', restart });
    harness.goesDeaf('d');
    await harness.crash('b');
    await harness.pass(600_000);
    assert.equal(harness.agent('d').isExhausted, false);
    await harness.ends('d', { kind: 'stopped' });
    assert.equal(harness.agent('d').isExhausted, true);
    await harness.close();
  });

  test('that gives up signals an agent that ends late when that agent is down', async () => {
    const before = await withAgents('one-for-one');
    await exhaust(before);
    const { life } = before.agent('a').status;
    await before.close();
    const harness = await withAgents('one-for-one');
    await exhaust(harness, life);
    harness.goesDeaf('c');
    await harness.crash('a');
    await harness.pass(600_000);
    assert.equal(harness.agent('a').isExhausted, true);
    assert.equal(harness.agent('c').isExhausted, false);
    await harness.ends('c', { kind: 'stopped' });
    assert.equal(harness.agent('c').isExhausted, true);
    await harness.close();
  });

  test('rest for one: the agents after the failed one restart with it', async () => {
    const harness = await withAgents('rest-for-one');
    await harness.crash('b');
    assert.deepEqual(await harness.newSignals(), ['end-life c', 'live 2 b', 'live 2 c']);
    await harness.close();
  });

  test('one for one: only the failed agent restarts', async () => {
    const harness = await withAgents('one-for-one');
    await harness.crash('b');
    assert.deepEqual(await harness.newSignals(), ['live 2 b']);
    await harness.close();
  });

  test('that gives up is restarted by its parent, with all of its agents', async () => {
    const harness = await withAgents('one-for-one');
    for (let times = 0; times < 3; times += 1) await harness.crash('b');
    assert.deepEqual(await harness.newSignals(), [
      'live 2 b',
      'live 3 b',
      'end-life c',
      'end-life a',
    ]);
    await harness.pass(1000);
    assert.deepEqual(await harness.newSignals(), ['live 2 a', 'live 4 b', 'live 2 c']);
    await harness.close();
  });

  test('that gives up again and again stays down, and its agents wait for a person', async () => {
    const harness = await withAgents('one-for-all');
    await exhaust(harness);
    assert.deepEqual(
      harness.up.registry
        .living()
        .map(({ settings, isExhausted }) => `${settings.name} ${isExhausted}`),
      ['a true', 'b true', 'c true'],
    );
    await harness.newSignals();
    // A message to one of them restarts their supervisor, and all agents with it.
    await harness.up.engine.signal(harness.agent('b').run, {
      kind: 'message',
      from: null,
      text: 'once more',
    });
    await harness.settle();
    assert.deepEqual(
      (await harness.newSignals()).map((line) => line.replace(/\d+/, 'N')),
      ['message b', 'live N a', 'live N b', 'live N c'],
    );
    await harness.close();
  });

  test('that did not wait for an agent to end starts its next life when it has ended', async () => {
    const harness = await withAgents('one-for-one');
    harness.goesDeaf('c');
    for (let times = 0; times < 3; times += 1) await harness.crash('b');
    await harness.pass(60_000);
    assert.deepEqual(
      (await harness.newSignals()).filter((line) => /^live|c$/.test(line)),
      ['live 2 b', 'live 3 b', 'end-life c', 'end-life c', 'live 2 a', 'live 4 b'],
    );
    await harness.ends('c', { kind: 'stopped' });
    assert.deepEqual([await harness.newSignals(), harness.isAtWork('c')], [['live 2 c'], true]);
    await harness.close();
  });
});

/** Crashes the agent until its supervisors give up, or until it is in the given life. */
async function exhaust(harness: AgentHarness, life = Infinity): Promise<void> {
  const isInLife = (): boolean => harness.isAtWork('a') && harness.agent('a').status.life === life;
  for (let round = 0; round < 100 && !harness.agent('a').isExhausted && !isInLife(); round += 1)
    await (harness.isAtWork('a') ? harness.crash('a') : harness.pass(1000));
}
