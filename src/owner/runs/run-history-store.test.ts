import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { NewRunEvent, EventIn } from '../../protocol/event.ts';
import { runStream } from '../../protocol/event.ts';
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

/** So many attempts of six facts each, after its first. */
function* long(attempts: number, from = 1): Generator<NewRunEvent> {
  for (let nth = from; nth < from + attempts; nth += 1) {
    const key = `attempt-${nth}`;
    yield attempt(nth, nth % 3 === 0 ? 'codex' : 'claude');
    yield notes(key, { kind: 'started', sandbox: 'bubblewrap' });
    yield notes(key, { kind: 'spent', tokens: 10, usd: 0.25, inputTokens: 6, outputTokens: 4 });
    yield ends(key, limited('too many requests'));
    yield begins(`wait-${nth}`, 'wait', { until: 5, why: 'it cools down' });
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

test('a question about a long run reads only the facts since its story was kept', async () => {
  const journal = new CountingJournal();
  const book = new RunHistoryStore(() => journal);
  await grow(journal, RUN, [submitted(), ...long(4000)]);
  const first = await book.read(RUN);
  await grow(journal, RUN, [...long(3, 4001), ended('failed', 'no more')]);
  journal.read = 0;
  const again = await new RunHistoryStore(() => journal).read(RUN);
  assert.ok(journal.read < 10_000, `${journal.read} facts were read`);
  const fresh = new CountingJournal();
  await grow(fresh, RUN, [submitted(), ...long(4000)]);
  await grow(fresh, RUN, [...long(3, 4001), ended('failed', 'no more')]);
  assert.deepEqual(again, await new RunHistoryStore(() => fresh).read(RUN));
  assert.equal(first.earlier.attempts + first.attempts.length, 4000);
  assert.equal(again.earlier.attempts + again.attempts.length, 4003);
});

test('the story of a run that grows is kept before there is a question', async () => {
  const journal = new CountingJournal();
  const book = new RunHistoryStore(() => journal);
  await grow(journal, RUN, [submitted()]);
  for (let nth = 0; nth < 20; nth += 1) {
    await grow(journal, RUN, long(500, 1 + nth * 500));
    await book.keep(RUN, await journal.lastSeq(runStream(RUN)));
  }
  assert.ok(journal.read < 130_000, `${journal.read} facts were read to keep 60,001`);
  journal.read = 0;
  const story = await book.read(RUN);
  assert.ok(journal.read < 12_000, `${journal.read} facts were read`);
  assert.equal(story.earlier.attempts + story.attempts.length, 10_000);
});

test('a fork from before the kept story of another run is told from facts', async () => {
  const journal = new CountingJournal();
  const book = new RunHistoryStore(() => journal);
  const submission = submitted().payload as never;
  await grow(journal, RUN, [submitted(), ...long(4000)]);
  await book.read(RUN);
  await grow(journal, FORK, [
    { type: 'run.forked', payload: { from: RUN, seq: 7, submission } },
    attempt(2, 'codex'),
  ]);
  const { from, attempts, id } = await book.read(FORK);
  assert.deepEqual(
    [from, id, attempts.map(({ agentId }) => agentId)],
    [RUN, FORK, ['claude', 'codex']],
  );
});

test('on a full disk a long run is explained as ever', async () => {
  const disk = new MemoryDisk();
  const journal = new MemoryJournal(disk);
  await grow(journal, RUN, [submitted(), ...long(2000)]);
  disk.full = true;
  const story = await new RunHistoryStore(() => journal).read(RUN);
  assert.equal(story.earlier.attempts + story.attempts.length, 2000);
});
