/** The counts of monitors survive the death of their owner. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { MONITOR_STREAM } from '../../src/protocol/streams.ts';
import { ViolationsRecord } from '../../src/protocol/monitor-record.ts';
import { eventually } from '../support/eventually.ts';
import { CliHarness } from './cli-process-harness.ts';

const WITHIN_MS = 120_000;
const PUSH = JSON.stringify({ name: 'bash', input: { command: 'git push' } });
const CONFIG = JSON.stringify({
  agents: [{ id: 'scripted:uses-tools', cli: 'scripted', args: ['100000', '20', PUSH] }],
  tree: {
    children: [
      {
        name: 'pusher',
        assignment: 'push',
        agent: 'scripted:uses-tools',
        health: { on_spin: 'none' },
        violations: [{ name: 'no-push', action: 'log', command: ['git', 'push'] }],
      },
    ],
  },
});

/** How often the rule was broken, each time that it was reported. */
function reportedCounts(events: readonly StoredEvent[]): readonly number[] {
  return events.flatMap((event) =>
    event.type === 'signal.received' && event.payload.signal.kind === 'violation'
      ? [event.payload.signal.times]
      : [],
  );
}

/** The stored count, each time that it was written. */
function counted(events: readonly StoredEvent[]): readonly number[] {
  return events.flatMap((event) =>
    event.stream === MONITOR_STREAM &&
    event.type === 'monitor.noted' &&
    event.payload.monitor === 'violations'
      ? [ViolationsRecord.parse(event.payload.memory).broken['no-push'] ?? 0]
      : [],
  );
}

test(
  'the activity of an agent still counts under the next owner',
  { timeout: WITHIN_MS },
  async () => {
    await using harness = await CliHarness.create(CONFIG);
    await harness.run(['up', '--detach']);
    const broken = (times: number): Promise<void> =>
      eventually(
        `${times} violations`,
        async () => reportedCounts(await harness.events()).some((one) => one >= times),
        WITHIN_MS,
      );
    await broken(32);
    await harness.killOwner();
    await harness.run(['up', '--detach']);
    await broken(128);
    const events = await harness.events();
    const expected = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64, 128];
    assert.deepEqual(reportedCounts(events).slice(0, expected.length), expected);
    const growing = counted(events);
    assert.deepEqual(
      growing,
      growing.toSorted((a, b) => a - b),
    );
  },
);
