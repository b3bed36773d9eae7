import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { attempt, notes, submitted } from '../../../test/support/run-history-fixture.ts';
import { at } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import type { Signal } from '../../protocol/signal.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { steeringPorts } from './steering-ports.ts';

const RUN = '0123456789' as RunId;
const WORDS = { origin: 'steering', text: 'Stop.\u0007', to: 'main', cause: 'turn 6' } as const;
const works = [submitted('x'), attempt(1, 'main', { kind: 'first' })];
const started = (messages?: string): NewRunEvent =>
  notes('attempt-1', { kind: 'started', sandbox: 'bubblewrap', ...(messages && { messages }) });

/** A run with these facts. Its signals are stored as the engine does. */
async function portsOf(facts: readonly NewRunEvent[], refuses = false) {
  const journal = new MemoryJournal(new MemoryDisk());
  let seq = facts.length;
  await journal.append(runStream(RUN), 0, facts, at(0));
  const signals: Signal[] = [];
  const held: string[] = [];
  const ports = steeringPorts({
    journal,
    signal: async (run, signal) => {
      if (refuses) throw new Refusal({ code: 'run.already-ended', message: 'It has ended.' });
      signals.push(signal);
      const fact: NewRunEvent = { type: 'signal.received', payload: { signal } };
      await journal.append(runStream(run), seq, [fact], at(1));
      seq += 1;
    },
    pauses: { hold: (run) => void held.push(run) },
  });
  return { ports, signals, held };
}

describe('words for a running agent', () => {
  test('are a message of the run, without control characters', async () => {
    const { ports, signals } = await portsOf([...works, started('hook')]);
    const injected = await ports.inject(RUN, WORDS);
    const [told] = signals;
    assert.ok(told?.kind === 'tell');
    const { id, ...message } = told.message;
    assert.deepEqual(message, { verb: 'steer', origin: 'steering', text: 'Stop.' });
    assert.deepEqual(injected, { kind: 'queued', message: id });
  });

  test('wait for the next prompt of an agent without a channel', async () => {
    const { ports } = await portsOf([...works, started()]);
    const { kind, why } = { why: '', ...(await ports.inject(RUN, WORDS)) };
    assert.equal(kind, 'parked');
    assert.match(why, /^the agent of attempt 1 takes no message while it works/);
  });

  test('are not said twice', async () => {
    const { ports, signals } = await portsOf([...works, started('hook')]);
    await ports.inject(RUN, WORDS);
    assert.deepEqual(await ports.inject(RUN, { ...WORDS, cause: 'turn 9' }), {
      kind: 'undelivered',
      why: 'an earlier message has not been read yet',
    });
    assert.equal(signals.length, 1);
  });

  test('come too late for a run that has ended', async () => {
    const { ports, held } = await portsOf(works, true);
    assert.deepEqual(await ports.inject(RUN, WORDS), { kind: 'undelivered', why: 'It has ended.' });
    await ports.pause(RUN);
    assert.deepEqual(held, []);
  });

  test('begin the next turn of a long-lived agent, as those of a monitor do', async () => {
    const { ports, signals } = await portsOf([submitted('x', { program: 'agent' })]);
    assert.equal((await ports.inject(RUN, WORDS)).kind, 'queued');
    assert.deepEqual(signals, [
      { kind: 'message', from: 'the steering of this agent', text: 'Stop.', urgent: true },
    ]);
    assert.equal((await ports.inject(RUN, { ...WORDS, to: 'sub' })).kind, 'undelivered');
  });
});

test('a pause for an emergency is a signal, and holds the next model call', async () => {
  const { ports, signals, held } = await portsOf([...works, started('hook')]);
  await ports.pause(RUN);
  assert.deepEqual([signals, held], [[{ kind: 'pause' }], [RUN]]);
});
