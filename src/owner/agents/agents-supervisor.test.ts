import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runStream } from '../../protocol/event.ts';
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
    const stage = new AgentHarness();
    await stage.open();
    await stage.spawn('a', { restart: QUICK });
    assert.deepEqual(await stage.said(), ['live 1 a']);
    await stage.crash('a');
    await stage.pass(1999);
    assert.deepEqual([await stage.said(), stage.states()], [[], ['a restarting']]);
    await stage.pass(1);
    assert.deepEqual([await stage.said(), stage.states()], [['live 2 a'], ['a running']]);
    await stage.crash('a');
    await stage.pass(3999);
    assert.deepEqual(await stage.said(), []);
    await stage.pass(1);
    assert.deepEqual(await stage.said(), ['live 3 a']);
    await stage.close();
  });

  test('that was to begin on a full disk begins once there is room, and nothing is held against it', async () => {
    const stage = new AgentHarness();
    await stage.open();
    await stage.spawn('a', { restart: QUICK });
    await stage.crash('a');
    stage.disk.full = true;
    await stage.pass(60_000);
    assert.deepEqual(await stage.said(), ['live 1 a']);
    stage.disk.full = false;
    await stage.pass(1000);
    assert.deepEqual([await stage.said(), stage.states()], [['live 2 a'], ['a running']]);
    const { run } = stage.agent('a');
    const [place] = (await stage.journal.readStream('tree', { after: 0, limit: 100 })).filter(
      (fact) => fact.type === 'tree.restarting' && fact.payload.child === run,
    );
    assert.deepEqual(place?.type === 'tree.restarting' && place.payload.streak, 1);
    await stage.close();
  });

  test('that may not be restarted once more is told so, and stays where it is', async () => {
    const stage = new AgentHarness();
    await stage.open();
    await stage.spawn('a', { restart: AT_ONCE });
    for (let times = 0; times < 3; times += 1) await stage.crash('a', 'out of disk');
    assert.deepEqual(await stage.said(), ['live 1 a', 'live 2 a', 'live 3 a', 'spent a']);
    assert.deepEqual(stage.states(), ['a down']);
    const spent = (await stage.journal.readAll({ after: 0, limit: 1000 })).findLast(
      ({ type }) => type === 'signal.received',
    );
    assert.match(JSON.stringify(spent?.payload), /restarted 2 times within 60 s: .*out of disk/);
    await stage.close();
  });

  test('that is down comes back when a person says so, and when somebody speaks to it', async () => {
    const stage = new AgentHarness();
    await stage.open();
    const run = await stage.spawn('a', { restart: AT_ONCE });
    for (let times = 0; times < 3; times += 1) await stage.crash('a');
    await stage.said();
    const [question] = (await stage.up.engine.get(run))?.open ?? [];
    assert.deepEqual(question?.choices, ['restart', 'dismiss']);
    await stage.up.engine.signal(run, {
      kind: 'answer',
      key: question.key,
      answer: 'restart',
    });
    await stage.settle();
    assert.deepEqual(await stage.said(), ['answer a', 'live 4 a']);
    await stage.crash('a'); // its window is still full
    await stage.up.engine.signal(run, { kind: 'message', from: null, text: 'try this' });
    await stage.settle();
    assert.deepEqual(await stage.said(), ['spent a', 'message a', 'live 5 a']);
    await stage.close();
  });

  test('that is never restarted waits for a person after its first failure', async () => {
    const stage = new AgentHarness();
    await stage.open();
    await stage.spawn('a', { restart: { ...AT_ONCE, type: 'temporary' } });
    await stage.crash('a');
    assert.deepEqual(await stage.said(), ['live 1 a', 'spent a']);
    await stage.die();
    await stage.open();
    await stage.pass(60_000);
    assert.deepEqual([await stage.said(), stage.agent('a').isSpent], [[], true]);
    await stage.close();
  });

  test('a drone is reaped after one restart, and its body stays in the picture', async () => {
    const stage = new AgentHarness();
    await stage.open();
    const run = await stage.spawn('errand', { kind: 'drone' });
    await stage.crash('errand');
    await stage.crash('errand');
    assert.deepEqual(await stage.said(), ['live 1 errand', 'live 2 errand', 'spent errand']);
    const body = stage.up.book.get(run);
    assert.deepEqual([body?.standing.over, body?.outcome?.kind], [true, 'failed']);
    await stage.close();
  });

  test('with one restart too many in the pool takes nobody with it', async () => {
    const stage = new AgentHarness();
    await stage.open();
    await stage.spawn('a', { restart: AT_ONCE });
    await stage.spawn('b', { restart: AT_ONCE });
    for (let times = 0; times < 3; times += 1) await stage.crash('a');
    assert.deepEqual(stage.states(), ['a down', 'b running']);
    await stage.close();
  });

  test('whose parent is over is dismissed, the youngest first, and so are its children', async () => {
    const stage = new AgentHarness();
    await stage.open();
    const top = await stage.spawn('top');
    const first = await stage.spawn('first', { parent: top });
    await stage.spawn('second', { parent: top });
    await stage.spawn('grandchild', { parent: first });
    await stage.said();
    await stage.up.engine.signal(top, { kind: 'dismiss', because: 'enough' });
    await stage.settle();
    await stage.settle();
    assert.deepEqual(await stage.said(), [
      'dismiss top',
      'dismiss second',
      'dismiss first',
      'dismiss grandchild',
    ]);
    assert.deepEqual(stage.up.book.living(), []);
    assert.equal(stage.up.book.all().length, 4); // their bodies
    assert.ok(
      stage.log.some((line) => /second .* is dismissed: its parent top is over/.test(line)),
    );
    await stage.close();
  });
});

// R3
describe('the children of an agent that is over', () => {
  test('are dismissed, each of them, although one can not be told', async () => {
    const stage = new AgentHarness();
    await stage.open();
    const top = await stage.spawn('top');
    const first = await stage.spawn('first', { parent: top });
    const second = await stage.spawn('second', { parent: top });
    // Somebody else writes into its stream, so its next fact is refused.
    const fact = { type: 'signal.received', payload: { signal: { kind: 'retry-now' } } } as const;
    const last = await stage.journal.lastSeq(runStream(second));
    await stage.journal.append(runStream(second), last, [fact], stage.clock.now());
    await stage.up.engine.signal(top, { kind: 'dismiss', because: 'enough' });
    await stage.settle();
    await stage.settle();
    assert.equal(stage.up.book.get(first)?.standing.over, true);
    assert.ok(stage.log.some((line) => line.startsWith(`defect ${second}`)));
    await stage.close();
  });
});

describe('an owner that dies', () => {
  test('is followed by one with the same tree, counters included, and no life is begun again', async () => {
    const stage = await withAgents('one-for-all');
    await stage.crash('a');
    await stage.said();
    await stage.die();
    await stage.open();
    assert.deepEqual(await stage.said(), []);
    assert.deepEqual(stage.states(), ['a running', 'b running', 'c running']);
    // Two restarts in the window: the second one counts on top of the first owner's.
    await stage.crash('a');
    await stage.crash('a');
    assert.deepEqual(
      (await stage.said()).filter((line) => line.endsWith(' a')),
      ['live 3 a'],
    );
    await stage.close();
  });

  test('between an end and its restart: the next one decides upon it, and counts it', async () => {
    const stage = new AgentHarness();
    await stage.open();
    await stage.spawn('a', { restart: QUICK });
    await stage.crash('a');
    await stage.said();
    await stage.die();
    await stage.open();
    await stage.pass(10_000);
    assert.deepEqual(await stage.said(), ['live 2 a']);
    await stage.close();
  });

  test('leaves those that wait for a person waiting', async () => {
    const stage = new AgentHarness();
    await stage.open();
    await stage.spawn('a', { restart: AT_ONCE });
    for (let times = 0; times < 3; times += 1) await stage.crash('a');
    await stage.said();
    await stage.die();
    await stage.open();
    await stage.pass(600_000);
    assert.deepEqual([await stage.said(), stage.agent('a').isSpent], [[], true]);
    await stage.close();
  });

  test('or leaves in good order writes nothing to its agents', async () => {
    const stage = await withAgents('rest-for-one');
    await stage.close();
    await stage.open();
    assert.deepEqual(await stage.said(), []);
    assert.deepEqual(stage.states(), ['a running', 'b running', 'c running']);
    await stage.close();
  });
});
