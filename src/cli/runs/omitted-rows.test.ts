/** A command that shows only a part says so, and how to see the rest (R11, R14). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../host/machine/system-clock.ts';
import type { NewEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import type { EarlierRun } from '../../../test/support/cli-harness.ts';
import { ReportDocument } from '../../public-json/reading-documents.ts';
import { inProcessCli } from '../../../test/support/cli-harness.ts';
import { runEvent } from '../../../test/support/run-event.ts';

const NOW = systemClock.now();

const submitted: NewEvent = runEvent({
  type: 'run.submitted',
  payload: { program: 'gone', task: 'do it', project: '/p', settings: {} },
});
const ended: NewEvent = {
  type: 'run.ended',
  payload: { outcome: { kind: 'unverified', reason: 'done' } },
};

/** Runs of a program that this release does not have: they stay active and do nothing. */
function runs(from: number, count: number, ...facts: readonly NewEvent[]): readonly EarlierRun[] {
  return Array.from({ length: count }, (_, index) => {
    const stream = runStream((from + index).toString(16).padStart(10, '0'));
    return facts.map((event) => ({ stream, at: NOW - 1000, event }));
  }).flat();
}

describe('omitted rows', { timeout: 300_000 }, () => {
  test('status shows all active runs, even the oldest, and says if it shows fewer', async () => {
    await using cli = await inProcessCli('', [
      ...runs(1, 30, submitted),
      ...runs(100, 25, submitted, ended),
    ]);
    const all = await cli.say(['status']);
    assert.deepEqual([all.out.trimEnd().split('\n').length, all.err], [30, '']);
    const with20 = await cli.say(['status', '--all']);
    assert.equal(with20.out.trimEnd().split('\n').length, 50);
    assert.match(with20.out, /0000000001/);
    assert.match(with20.err, /Show more with: --limit/);
  });

  test('report includes active runs, even old ones', async () => {
    await using cli = await inProcessCli('', [
      ...runs(1, 1, submitted),
      ...runs(100, 30, submitted, ended),
    ]);
    const { out } = await cli.say(['report', '--json']);
    const { active, unverified } = ReportDocument.parse(JSON.parse(out));
    assert.deepEqual([active.length, unverified.length], [1, 30]);
  });

  test('events -n shows the last events in order, and with --after the first ones after it', async () => {
    await using cli = await inProcessCli('', runs(1, 10, submitted, ended));
    const idsOf = (out: string): readonly number[] =>
      out
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: number }).id);
    const newest = await cli.say(['events', '-n', '7', '--json']);
    // The last one is the start of the owner of this test.
    assert.deepEqual(idsOf(newest.out), [15, 16, 17, 18, 19, 20, 21]);
    assert.equal(
      newest.err,
      'Only the last 7 events are shown. Show all from the first with: supervisor events --after 0\n',
    );
    const oldest = await cli.say(['events', '--after', '0', '-n', '7', '--json']);
    assert.deepEqual(idsOf(oldest.out), [1, 2, 3, 4, 5, 6, 7]);
    assert.equal(
      oldest.err,
      'There are more than 7 events. Show the next ones with: supervisor events --after 7\n',
    );
    const one = await cli.say(['events', '--run', '0000000001', '-n', '1', '--raw']);
    assert.equal((JSON.parse(one.out) as { seq: number }).seq, 2);
    assert.match(one.err, /^Only the last 1 event is shown\. .*--run 0000000001 --after 0\n$/);
    const whole = await cli.say(['events', '--run', '0000000001', '--limit', '2', '--json']);
    assert.deepEqual([whole.out.trimEnd().split('\n').length, whole.err], [2, '']);
  });

  test('R14: events without --limit shows at most 10,000 events and says how to see the others', async () => {
    await using cli = await inProcessCli('', runs(1, 5001, submitted, ended));
    const { out, err } = await cli.say(['events', '--json']);
    assert.equal(out.trimEnd().split('\n').length, 10_000);
    assert.equal(
      err,
      'Only the last 10000 events are shown. Show all from the first with: supervisor events --after 0\n',
    );
  });
});
