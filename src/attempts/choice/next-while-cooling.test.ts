/** R1: `next` on a run whose agents are all cooling down. An earlier release then wrote events without end. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { AttemptsHarness } from '../../../test/support/attempts-harness.ts';
import { settle } from '../../testing/fakes/manual-clock.ts';
import {
  failed,
  driveAttempts,
  settingsFor,
  START_MS,
} from '../../../test/support/drive-attempts.ts';
import { runEvent } from '../../../test/support/run-event.ts';

const HOUR = 3_600_000;
const RUN = '0123456789' as RunId;
const CIRCLES = 5000;

/** The events of such a run: it waits, `next` arrives, and wait after wait begins and is cancelled. */
function storm(): readonly NewRunEvent[] {
  const { events } = driveAttempts({
    settings: settingsFor(['a', 'b']),
    attempts: [failed('rate_limited', { resetMs: HOUR })],
    cooling: { 'b::::::': 2 * HOUR },
    says: { 'wait-1': 'next' },
  });
  const until = START_MS + 2 * HOUR;
  const waits = (nth: number): NewRunEvent => ({
    type: 'command.begun',
    payload: {
      key: `wait-${nth}`,
      command: 'wait',
      input: { until, reason: 'cooldown', why: 'x' },
      limits: [],
    },
  });
  const place = events.findIndex(
    ({ type, payload }) => type === 'command.begun' && 'key' in payload && payload.key === 'wait-2',
  );
  const checked = events.find(
    (event) => event.type === 'command.ended' && event.payload.key === 'check-availability-2',
  );
  assert.ok(place > 0 && checked?.type === 'command.ended');
  const circles = Array.from({ length: CIRCLES }, (_, nth): readonly NewRunEvent[] => [
    waits(nth + 2),
    { type: 'command.cancelled', payload: { key: `wait-${nth + 2}`, how: 'ask' } },
    runEvent({
      type: 'command.ended',
      payload: { key: `wait-${nth + 2}`, end: { kind: 'done', result: { cancelled: true } } },
    }),
    runEvent({
      type: 'command.begun',
      payload: {
        key: `check-availability-${nth + 4}`,
        command: 'check-availability',
        input: {},
        limits: [],
      },
    }),
    {
      type: 'command.ended',
      payload: { ...checked.payload, key: `check-availability-${nth + 4}` },
    },
  ]);
  return [...events.slice(0, place), ...circles.flat(), waits(CIRCLES + 2)];
}

describe('a journal with a `next` that arrived while every agent was cooling down', () => {
  for (const kind of ['stop', 'kill'] as const)
    test(`is opened, gets no more events, and a ${kind} ends the run`, async () => {
      await using stage = new AttemptsHarness();
      const journal = new MemoryJournal(stage.disk);
      const settings = { ...settingsFor(['a', 'b']) };
      const submission = { program: 'attempts', task: 'x', project: '/app', settings };
      const facts: NewRunEvent[] = [
        runEvent({ type: 'run.submitted', payload: submission }),
        ...storm(),
      ];
      await journal.append(runStream(RUN), 0, facts, at(START_MS));
      await stage.open();
      await settle(20);
      assert.equal(stage.disk.events.length, facts.length);
      await stage.engine.signal(RUN, { kind });
      await settle(20);
      const outcome = (await stage.engine.get(RUN))?.outcome?.kind;
      assert.equal(outcome, kind === 'kill' ? 'killed' : 'cancelled');
      assert.deepEqual(stage.defects, []);
    });
});
