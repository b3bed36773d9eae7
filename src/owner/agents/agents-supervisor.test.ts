import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runStream } from '../../protocol/streams.ts';
import { AgentHarness } from '../../../test/support/agent-harness.ts';
import { AT_ONCE, withAgents } from '../../../test/support/agents-fixture.ts';

const QUICK = {
  type: 'transient',
  restartsMax: 2,
  withinMs: 60_000,
  backoff: { baseMs: 2000, maxMs: 10_000 },
} as const;
describe('an agent', () => {
  test('that crashes is restarted after its backoff, which doubles', async () => {
    const harness = new AgentHarness();
    await harness.open();
    await harness.spawn('a', { restart: QUICK });
    assert.deepEqual(await harness.newSignals(), ['live 1 a']);
    await harness.crash('a');
    await harness.pass(1999);
    assert.deepEqual([await harness.newSignals(), harness.states()], [[], ['a restarting']]);
    await harness.pass(1);
    assert.deepEqual([await harness.newSignals(), harness.states()], [['live 2 a'], ['a running']]);
    await harness.crash('a');
    await harness.pass(3999);
    assert.deepEqual(await harness.newSignals(), []);
    await harness.pass(1);
    assert.deepEqual(await harness.newSignals(), ['live 3 a']);
    await harness.close();
  });

  test('that should start on a full disk starts when there is space, and this counts as no failure', async () => {
    const harness = new AgentHarness();
    await harness.open();
    await harness.spawn('a', { restart: QUICK });
    await harness.crash('a');
    harness.disk.full = true;
    await harness.pass(60_000);
    assert.deepEqual(await harness.newSignals(), ['live 1 a']);
    harness.disk.full = false;
    await harness.pass(1000);
    assert.deepEqual([await harness.newSignals(), harness.states()], [['live 2 a'], ['a running']]);
    const { run } = harness.agent('a');
    const [place] = (await harness.journal.readStream('tree', { after: 0, limit: 100 })).filter(
      (fact) => fact.type === 'tree.restarting' && fact.payload.child === run,
    );
    assert.deepEqual(place?.type === 'tree.restarting' && place.payload.streak, 1);
    await harness.close();
  });

  test('that has no restarts left is signalled as exhausted and stays down', async () => {
    const harness = new AgentHarness();
    await harness.open();
    await harness.spawn('a', { restart: AT_ONCE });
    for (let times = 0; times < 3; times += 1) await harness.crash('a', 'out of disk');
    assert.deepEqual(await harness.newSignals(), [
      'live 1 a',
      'live 2 a',
      'live 3 a',
      'restarts-exhausted a',
    ]);
    assert.deepEqual(harness.states(), ['a down']);
    const spent = (await harness.journal.readAll({ after: 0, limit: 1000 })).findLast(
      ({ type }) => type === 'signal.received',
    );
    assert.match(JSON.stringify(spent?.payload), /restarted 2 times within 60 s: .*out of disk/);
    await harness.close();
  });

  test('that is down restarts when a person answers so, and when it gets a message', async () => {
    const harness = new AgentHarness();
    await harness.open();
    const run = await harness.spawn('a', { restart: AT_ONCE });
    for (let times = 0; times < 3; times += 1) await harness.crash('a');
    await harness.newSignals();
    const [question] = (await harness.up.engine.get(run))?.open ?? [];
    assert.deepEqual(question?.choices, ['restart', 'dismiss']);
    await harness.up.engine.signal(run, {
      kind: 'answer',
      key: question.key,
      answer: 'restart',
    });
    await harness.settle();
    assert.deepEqual(await harness.newSignals(), ['answer a', 'live 4 a']);
    await harness.crash('a'); // its restart window is still full
    await harness.up.engine.signal(run, { kind: 'message', from: null, text: 'try this' });
    await harness.settle();
    assert.deepEqual(await harness.newSignals(), ['restarts-exhausted a', 'message a', 'live 5 a']);
    await harness.close();
  });

  test('that is never restarted waits for a person after its first failure', async () => {
    const harness = new AgentHarness();
    await harness.open();
    await harness.spawn('a', { restart: { ...AT_ONCE, type: 'temporary' } });
    await harness.crash('a');
    assert.deepEqual(await harness.newSignals(), ['live 1 a', 'restarts-exhausted a']);
    await harness.die();
    await harness.open();
    await harness.pass(60_000);
    assert.deepEqual([await harness.newSignals(), harness.agent('a').isExhausted], [[], true]);
    await harness.close();
  });

  test('a drone is removed after one restart, and stays visible in the tree', async () => {
    const harness = new AgentHarness();
    await harness.open();
    const run = await harness.spawn('errand', { kind: 'drone' });
    await harness.crash('errand');
    await harness.crash('errand');
    assert.deepEqual(await harness.newSignals(), [
      'live 1 errand',
      'live 2 errand',
      'restarts-exhausted errand',
    ]);
    const body = harness.up.registry.get(run);
    assert.deepEqual([body?.status.isOver, body?.outcome?.kind], [true, 'failed']);
    await harness.close();
  });

  test('of the pool with no restarts left does not affect the others', async () => {
    const harness = new AgentHarness();
    await harness.open();
    await harness.spawn('a', { restart: AT_ONCE });
    await harness.spawn('b', { restart: AT_ONCE });
    for (let times = 0; times < 3; times += 1) await harness.crash('a');
    assert.deepEqual(harness.states(), ['a down', 'b running']);
    await harness.close();
  });

  test('whose parent has ended is dismissed, the youngest first, and so are its own children', async () => {
    const harness = new AgentHarness();
    await harness.open();
    const top = await harness.spawn('top');
    const first = await harness.spawn('first', { parent: top });
    await harness.spawn('second', { parent: top });
    await harness.spawn('grandchild', { parent: first });
    await harness.newSignals();
    await harness.up.engine.signal(top, { kind: 'dismiss', because: 'enough' });
    await harness.settle();
    await harness.settle();
    assert.deepEqual(await harness.newSignals(), [
      'dismiss top',
      'dismiss second',
      'dismiss first',
      'dismiss grandchild',
    ]);
    assert.deepEqual(harness.up.registry.living(), []);
    assert.equal(harness.up.registry.all().length, 4); // ended agents stay in the registry
    assert.ok(
      harness.log.some((line) => /second .* is dismissed: its parent top has ended/.test(line)),
    );
    await harness.close();
  });
});

// R3
describe('the children of an ended agent', () => {
  test('are all dismissed, even if one of them refuses the signal', async () => {
    const harness = new AgentHarness();
    await harness.open();
    const top = await harness.spawn('top');
    const first = await harness.spawn('first', { parent: top });
    const second = await harness.spawn('second', { parent: top });
    // A fact that the engine did not write makes the next append to this stream fail.
    const fact = { type: 'signal.received', payload: { signal: { kind: 'retry-now' } } } as const;
    const last = await harness.journal.lastSeq(runStream(second));
    await harness.journal.append(runStream(second), last, [fact], harness.clock.now());
    await harness.up.engine.signal(top, { kind: 'dismiss', because: 'enough' });
    await harness.settle();
    await harness.settle();
    assert.equal(harness.up.registry.get(first)?.status.isOver, true);
    assert.ok(harness.log.some((line) => line.startsWith(`defect ${second}`)));
    await harness.close();
  });
});

describe('an owner that dies', () => {
  test('is followed by one with the same tree and counters, and no life starts again', async () => {
    const harness = await withAgents('one-for-all');
    await harness.crash('a');
    await harness.newSignals();
    await harness.die();
    await harness.open();
    assert.deepEqual(await harness.newSignals(), []);
    assert.deepEqual(harness.states(), ['a running', 'b running', 'c running']);
    // Two restarts fill the window: the restart under the first owner counts too.
    await harness.crash('a');
    await harness.crash('a');
    assert.deepEqual(
      (await harness.newSignals()).filter((line) => line.endsWith(' a')),
      ['live 3 a'],
    );
    await harness.close();
  });

  test('between an exit and its restart: the next owner handles the exit and counts it', async () => {
    const harness = new AgentHarness();
    await harness.open();
    await harness.spawn('a', { restart: QUICK });
    await harness.crash('a');
    await harness.newSignals();
    await harness.die();
    await harness.open();
    await harness.pass(10_000);
    assert.deepEqual(await harness.newSignals(), ['live 2 a']);
    await harness.close();
  });

  test('leaves agents that wait for a person waiting', async () => {
    const harness = new AgentHarness();
    await harness.open();
    await harness.spawn('a', { restart: AT_ONCE });
    for (let times = 0; times < 3; times += 1) await harness.crash('a');
    await harness.newSignals();
    await harness.die();
    await harness.open();
    await harness.pass(600_000);
    assert.deepEqual([await harness.newSignals(), harness.agent('a').isExhausted], [[], true]);
    await harness.close();
  });

  test('or shuts down sends no signal to its agents', async () => {
    const harness = await withAgents('rest-for-one');
    await harness.close();
    await harness.open();
    assert.deepEqual(await harness.newSignals(), []);
    assert.deepEqual(harness.states(), ['a running', 'b running', 'c running']);
    await harness.close();
  });
});
