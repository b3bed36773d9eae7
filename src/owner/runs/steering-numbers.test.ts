import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt, ended, notes, submitted } from '../../../test/support/run-history-fixture.ts';
import { at } from '../../base/clock.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { SteeringNumbers } from './steering-numbers.ts';

const LOOP = {
  ...{ kind: 'anomaly', detector: 'loop', conversation: 'c', turn: 6, model: 'm', words: 'x' },
  ...{ decision: 'sent', message: 'aaaaaaaa' },
};
const TOLD: NewRunEvent = {
  type: 'signal.received',
  payload: {
    signal: {
      kind: 'tell',
      message: { id: 'aaaaaaaa', verb: 'steer', origin: 'steering', text: 'x' },
    },
  },
};
const works = [
  submitted('x'),
  attempt(1, 'main', { kind: 'first' }),
  notes('attempt-1', { kind: 'started', sandbox: 'bubblewrap', messages: 'hook' }),
  TOLD,
  notes('attempt-1', LOOP),
];
const SEEN = notes('attempt-1', {
  kind: 'message-seen',
  message: 'aaaaaaaa',
  request: 7,
  times: 1,
});

test('the numbers of steering count ended runs, and a message only if the agent has read it', async () => {
  const journal = new MemoryJournal(new MemoryDisk());
  const write = (run: string, facts: readonly NewRunEvent[]): Promise<unknown> =>
    journal.append(runStream(run), 0, facts, at(0));
  await write('0000000001', [...works, SEEN, ended('succeeded', 'yes')]);
  await write('0000000002', [...works, ended('failed', 'no')]);
  await write('0000000003', [...works, SEEN]);
  const numbers = new SteeringNumbers(() => journal);
  const counts = async (): Promise<unknown> =>
    (await numbers.read()).map(({ detector, model, channel, cases, told, untold }) => [
      ...[detector, model, channel, cases, told, untold],
    ]);
  assert.deepEqual(await counts(), [['loop', 'm', 'hook', 2, 1, 1]]);
  await write('0000000004', [...works, SEEN, ended('exhausted', 'no')]);
  assert.deepEqual(await counts(), [['loop', 'm', 'hook', 3, 2, 1]]);
});
