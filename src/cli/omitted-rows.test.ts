/** Commands that show a part say so, and how to see the rest (R11, R14). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../host/machine/system-clock.ts';
import type { NewEvent } from '../protocol/event.ts';
import { runStream } from '../protocol/event.ts';
import type { EarlierRun } from '../../test/support/cli-harness.ts';
import { inProcessCli } from '../../test/support/cli-harness.ts';

const NOW = systemClock.now();

const submitted: NewEvent = {
  type: 'run.submitted',
  payload: { program: 'gone', task: 'do it', project: '/p', settings: {} },
};
const ended: NewEvent = {
  type: 'run.ended',
  payload: { outcome: { kind: 'unverified', reason: 'done' } },
};

/** Runs of a program that is not here: those that go on stand still. */
function runs(from: number, count: number, ...facts: readonly NewEvent[]): readonly EarlierRun[] {
  return Array.from({ length: count }, (_, index) => {
    const stream = runStream((from + index).toString(16).padStart(10, '0'));
    return facts.map((event) => ({ stream, at: NOW - 1000, event }));
  }).flat();
}

describe('what is left out', { timeout: 300_000 }, () => {
  test('status shows all runs that go on, also the oldest, and says when it shows fewer', async () => {
    await using desk = await inProcessCli('', [
      ...runs(1, 30, submitted),
      ...runs(100, 25, submitted, ended),
    ]);
    const all = await desk.say(['status']);
    assert.deepEqual([all.out.trimEnd().split('\n').length, all.err], [30, '']);
    const with20 = await desk.say(['status', '--all']);
    assert.equal(with20.out.trimEnd().split('\n').length, 50);
    assert.match(with20.out, /0000000001/);
    assert.match(with20.err, /see more with: --limit/);
  });

  test('report has runs that go on, however old', async () => {
    await using desk = await inProcessCli('', [
      ...runs(1, 1, submitted),
      ...runs(100, 30, submitted, ended),
    ]);
    const { out } = await desk.say(['report', '--json']);
    const { going, unverified } = JSON.parse(out) as { going: unknown[]; unverified: unknown[] };
    assert.deepEqual([going.length, unverified.length], [1, 30]);
  });

  test('events shows a bounded number of facts and says how to go on', async () => {
    await using desk = await inProcessCli('', runs(1, 10, submitted, ended));
    const { out, err } = await desk.say(['events', '--limit', '7', '--json']);
    const facts = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number });
    assert.deepEqual([facts.length, facts.at(-1)?.id], [7, 7]);
    assert.equal(err, 'There are more than 7 facts. Go on with: supervisor events --after 7\n');
    const whole = await desk.say(['events', '--run', '0000000001', '--limit', '2', '--json']);
    assert.deepEqual([whole.out.trimEnd().split('\n').length, whole.err], [2, '']);
  });

  test('R14: events without --limit shows 10,000 facts at most, and says how to go on', async () => {
    await using desk = await inProcessCli('', runs(1, 5001, submitted, ended));
    const { out, err } = await desk.say(['events', '--json']);
    assert.equal(out.trimEnd().split('\n').length, 10_000);
    assert.equal(
      err,
      'There are more than 10000 facts. Go on with: supervisor events --after 10000\n',
    );
  });
});
