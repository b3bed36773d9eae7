import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BoundedQueue } from '../../base/bounded-queue.ts';
import type { RunId } from '../../base/ids.ts';
import { PersonTerminals } from '../../execution/takeover/person-terminals.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import type { TakeoverItem } from '../../protocol/takeover.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { ATTEMPTS_PROGRAM } from '../../protocol/run-submission.ts';
import { Takeovers } from './takeovers.ts';

const RUN = 'a000000000' as RunId;
const request = { rows: 20, columns: 70, term: 'xterm', shell: false };
const taken = { key: 'attempt-1', command: 'attempt', takenOver: true };

/** The takeovers of one run with these open commands, whose next events the test writes. */
function world(open: readonly object[]) {
  const events = new BoundedQueue<StoredEvent>(10);
  const terminals = new PersonTerminals();
  const signals: string[] = [];
  const view = { id: RUN, program: ATTEMPTS_PROGRAM, endedAt: null, stopAskedAt: null };
  const takeovers = new Takeovers({
    terminals,
    view: async () => ({ ...view, pausedAt: null, seq: 1, open }) as unknown as RunView,
    signal: async (_run, { kind }) => void signals.push(kind),
    follow: () => events,
  });
  const take = async (joins: boolean): Promise<readonly TakeoverItem[]> => {
    const items: TakeoverItem[] = [];
    const { signal } = new AbortController();
    for await (const item of takeovers.take(RUN, { ...request, joins }, signal)) items.push(item);
    return items;
  };
  const happens = (type: string, payload: object): void =>
    void events.offer({ type, payload } as unknown as StoredEvent);
  return { take, happens, signals };
}

describe('a terminal that joins a run', () => {
  for (const [name, open] of [
    ['asks a question', { key: 'ask-1', command: 'ask', question: 'What follows?' }],
    ['has its agent at work', { key: 'attempt-2', command: 'attempt' }],
  ] as const)
    test(`is refused if the run ${name}`, async () => {
      const { take } = world([open]);
      await assert.rejects(take(true), /no longer waits for a terminal/);
    });

  for (const [name, type, payload] of [
    ['the attempt that waited ends', 'command.ended', { command: 'attempt' }],
    ['the run asks what follows', 'command.begun', { command: 'ask', input: {} }],
    ['the run ends', 'run.ended', {}],
  ] as const)
    test(`ends when ${name}`, { timeout: 60_000 }, async () => {
      const { take, happens, signals } = world([taken]);
      happens('command.begun', { command: 'ask', input: { about: 'keys' } });
      happens(type, payload);
      const items = await take(true);
      assert.deepEqual(
        items.map((item) => item.kind === 'ended' && item.how),
        ['stopped'],
      );
      assert.deepEqual(signals, []);
    });
});

test('a second person is refused', async () => {
  const { take } = world([taken]);
  await assert.rejects(take(false), /already in the terminal of a person/);
});

test(
  'the turn of the agent that ends for a takeover does not end it',
  { timeout: 60_000 },
  async () => {
    const { take, happens, signals } = world([{ key: 'attempt-1', command: 'attempt' }]);
    happens('command.ended', { command: 'attempt' });
    happens('run.ended', {});
    assert.equal((await take(false)).length, 1);
    assert.deepEqual(signals, ['takeover']);
  },
);
