import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import type { EventIn } from '../../protocol/streams.ts';
import { runStream } from '../../protocol/streams.ts';
import type { Page } from '../../store/journal.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import {
  attempt,
  begins,
  ended,
  ends,
  limited,
  notes,
  submitted,
} from '../../../test/support/run-history-fixture.ts';
import { RunHistoryStore } from './run-history-store.ts';

const RUN = 'a000000000' as RunId;
const FORK = 'b000000000' as RunId;

class CountingJournal extends MemoryJournal {
  read = 0;

  override async readStream<Name extends string>(
    stream: Name,
    page: Page,
  ): Promise<readonly EventIn<Name>[]> {
    const events = await super.readStream(stream, page);
    this.read += events.length;
    return events;
  }
}

/** Yields this many attempts of six facts each. */
function* manyAttempts(attempts: number, from = 1): Generator<NewRunEvent> {
  for (let nth = from; nth < from + attempts; nth += 1) {
    const key = `attempt-${nth}`;
    yield attempt(nth, nth % 3 === 0 ? 'codex' : 'claude');
    yield notes(key, { kind: 'started', sandbox: 'bubblewrap' });
    yield notes(key, { kind: 'spent', tokens: 10, usd: 0.25, inputTokens: 6, outputTokens: 4 });
    yield ends(key, limited('too many requests'));
    yield begins(`wait-${nth}`, 'wait', { until: 5, reason: 'cooldown', why: 'it cools down' });
    yield ends(`wait-${nth}`, {});
  }
}

async function grow(
  journal: MemoryJournal,
  run: RunId,
  events: Iterable<NewRunEvent>,
): Promise<void> {
  const last = await journal.lastSeq(runStream(run));
  await journal.append(runStream(run), last, [...events], at(1000 + last));
}

test('reading the history of a long run reads only the facts since its snapshot', async () => {
  const journal = new CountingJournal();
  const store = new RunHistoryStore(() => journal);
  await grow(journal, RUN, [submitted(), ...manyAttempts(4000)]);
  const first = await store.read(RUN);
  await grow(journal, RUN, [...manyAttempts(3, 4001), ended('failed', 'no more')]);
  journal.read = 0;
  const again = await new RunHistoryStore(() => journal).read(RUN);
  assert.ok(journal.read < 10_000, `${journal.read} facts were read`);
  const fresh = new CountingJournal();
  await grow(fresh, RUN, [submitted(), ...manyAttempts(4000)]);
  await grow(fresh, RUN, [...manyAttempts(3, 4001), ended('failed', 'no more')]);
  assert.deepEqual(again, await new RunHistoryStore(() => fresh).read(RUN));
  assert.equal(first.earlier.attempts + first.attempts.length, 4000);
  assert.equal(again.earlier.attempts + again.attempts.length, 4003);
});

test('a snapshot of a growing run is saved before its history is requested', async () => {
  const journal = new CountingJournal();
  const store = new RunHistoryStore(() => journal);
  await grow(journal, RUN, [submitted()]);
  for (let nth = 0; nth < 20; nth += 1) {
    await grow(journal, RUN, manyAttempts(500, 1 + nth * 500));
    await store.saveIfDue(RUN, await journal.lastSeq(runStream(RUN)));
  }
  assert.ok(journal.read < 130_000, `${journal.read} facts were read to save 60,001`);
  journal.read = 0;
  const history = await store.read(RUN);
  assert.ok(journal.read < 12_000, `${journal.read} facts were read`);
  assert.equal(history.earlier.attempts + history.attempts.length, 10_000);
});

test('a fork from before the snapshot of another run is read from the facts', async () => {
  const journal = new CountingJournal();
  const store = new RunHistoryStore(() => journal);
  const submission = submitted().payload as never;
  await grow(journal, RUN, [submitted(), ...manyAttempts(4000)]);
  await store.read(RUN);
  await grow(journal, FORK, [
    { type: 'run.forked', payload: { from: RUN, seq: 7, submission } },
    attempt(2, 'codex'),
  ]);
  const { from, attempts, id } = await store.read(FORK);
  assert.deepEqual(
    [from, id, attempts.map(({ agentId }) => agentId)],
    [RUN, FORK, ['claude', 'codex']],
  );
});

test('on a full disk the history of a long run is still complete', async () => {
  const disk = new MemoryDisk();
  const journal = new MemoryJournal(disk);
  await grow(journal, RUN, [submitted(), ...manyAttempts(2000)]);
  disk.full = true;
  const history = await new RunHistoryStore(() => journal).read(RUN);
  assert.equal(history.earlier.attempts + history.attempts.length, 2000);
});
