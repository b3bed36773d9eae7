import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt, ended, notes, submitted } from '../../../test/support/run-history-fixture.ts';
import { failed, recordsOf, turn, turns } from '../../../test/support/turn-script.ts';
import { at } from '../../base/clock.ts';
import { runStream } from '../../protocol/streams.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { HealthyRuns } from './healthy-runs.ts';

test('only runs that succeeded teach what healthy work looks like', async () => {
  const journal = new MemoryJournal(new MemoryDisk());
  const write = (run: string, loops: number, outcome: 'succeeded' | 'failed'): Promise<unknown> => {
    const seen = recordsOf(turns(loops, () => turn(failed('make')))).map((record) =>
      notes('attempt-1', { kind: 'turn', turn: record }),
    );
    const begun = [submitted('x'), attempt(1, 'main', { kind: 'first' })];
    return journal.append(runStream(run), 0, [...begun, ...seen, ended(outcome, '')], at(0));
  };
  await write('0000000001', 4, 'succeeded');
  await write('0000000002', 9, 'failed');
  const healthy = new HealthyRuns(journal);
  const loops = async (): Promise<readonly number[]> =>
    (await healthy.read()).map(({ peaks }) => peaks['loop.repeats']);
  assert.deepEqual(await loops(), [4]);
  await write('0000000003', 5, 'succeeded');
  assert.deepEqual(new Set(await loops()), new Set([4, 5]));
});
