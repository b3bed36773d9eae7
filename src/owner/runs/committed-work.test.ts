import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import type { EventIn } from '../../protocol/streams.ts';
import { runStream } from '../../protocol/streams.ts';
import type { Page } from '../../store/journal.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { attempt, ends, notes, submitted } from '../../../test/support/run-history-fixture.ts';
import { committedBefore, committedWork } from './committed-work.ts';

const HOME = '/home/me/.supervisor';
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

function kept(nth: number, commit: string): NewRunEvent {
  return notes(`attempt-${nth}`, { kind: 'committed', root: '/p', tree: nth, commit });
}

async function write(journal: MemoryJournal, run: RunId, events: NewRunEvent[]): Promise<void> {
  await journal.append(runStream(run), await journal.lastSeq(runStream(run)), events, at(1));
}

function forked(from: RunId, seq: number): NewRunEvent {
  return { type: 'run.forked', payload: { from, seq, submission: submitted().payload as never } };
}

test('the last commit of an attempt is found, also in the run from which this one was forked', async () => {
  const journal = new MemoryJournal();
  const first = [submitted(), attempt(1, 'claude'), kept(1, 'c1'), ends('attempt-1', {})];
  await write(journal, RUN, [...first, attempt(2, 'claude'), kept(2, 'old'), kept(2, 'c2')]);
  await write(journal, RUN, [attempt(3, 'claude')]);
  await write(journal, FORK, [forked(RUN, 4), attempt(2, 'codex')]);
  await write(journal, FORK, [notes('attempt-2', { kind: 'not-committed', message: 'no room' })]);
  const commit = async (run: RunId, nth: number): Promise<unknown> => {
    const found = await committedWork(journal, HOME)(run, nth);
    return found.kind === 'committed' ? [found.workspace.run, found.commit] : found;
  };
  assert.deepEqual(await commit(RUN, 1), [RUN, 'c1']);
  assert.deepEqual(await commit(RUN, 2), [RUN, 'c2']);
  assert.deepEqual(await commit(RUN, 3), { kind: 'in-project' });
  assert.deepEqual(await commit(FORK, 1), [RUN, 'c1']);
  assert.deepEqual(await commit(FORK, 2), { kind: 'not-committed', message: 'no room' });
  assert.equal((await committedBefore(journal, HOME, FORK, '/p'))?.commit, 'c2');
  assert.equal(await committedBefore(journal, HOME, RUN, '/p'), undefined);
});

test('the run of a step starts with the work that its workflow names, and so does its fork', async () => {
  const journal = new MemoryJournal();
  const startsFrom = { run: 'c000000000', tree: 1, commit: 'c7', content: 't7' };
  const submission = submitted('fix it', { settings: { startsFrom } });
  await write(journal, RUN, [submission, attempt(1, 'claude')]);
  const fork = { from: RUN, seq: 1, submission: submission.payload as never };
  await write(journal, FORK, [{ type: 'run.forked', payload: fork }]);
  const named = {
    workspace: { home: HOME, root: '/p', run: 'c000000000', attempt: 1 },
    commit: 'c7',
    isRequired: true,
  };
  assert.deepEqual(await committedBefore(journal, HOME, RUN, '/p'), named);
  assert.deepEqual(await committedBefore(journal, HOME, FORK, '/p'), named);
  await write(journal, RUN, [kept(1, 'c8')]);
  assert.equal((await committedBefore(journal, HOME, FORK, '/p'))?.commit, 'c8');
});

test('the commit of the newest attempt of a long run is found without reading the whole run', async () => {
  const journal = new CountingJournal();
  const many = Array.from({ length: 4000 }, (_, n) => [attempt(n + 1, 'claude'), kept(n + 1, 'c')]);
  await write(journal, RUN, [submitted(), ...many.flat()]);
  await committedWork(journal, HOME)(RUN, 4000);
  assert.ok(journal.read <= 1000, `${journal.read} facts were read`);
});
