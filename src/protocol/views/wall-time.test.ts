import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NewRunEvent } from '../event.ts';
import { EVENT_VERSION } from '../event.ts';
import { runStream } from '../streams.ts';
import { runEvent } from '../../../test/support/run-event.ts';
import type { WallTime } from './wall-time.ts';
import { foldWallTime, wallBegunAt, wallSpentMs } from './wall-time.ts';

type At = readonly [at: number, event: NewRunEvent];

function begun(key: string, command: string, input: object = {}): NewRunEvent {
  return runEvent({ type: 'command.begun', payload: { key, command, input } });
}

function ended(key: string): NewRunEvent {
  return runEvent({ type: 'command.ended', payload: { key, end: { kind: 'interrupted' } } });
}

const attempt = begun('attempt-1', 'attempt');
const cooldown = begun('wait-1', 'wait', { reason: 'cooldown' });
const question = begun('ask-1', 'ask', { question: 'which?' });
const ofBudget = begun('ask-1', 'ask', { question: '?', choices: ['continue', 'stop'] });

function fold(events: readonly At[], isTimeSpent = false): WallTime | undefined {
  const head = { id: 1, stream: runStream('0123456789'), seq: 1, v: EVENT_VERSION };
  return events.reduce<WallTime | undefined>(
    (time, [at, event]) => foldWallTime(time, { ...head, at, ...event }, isTimeSpent),
    undefined,
  );
}

describe('the time of a run', () => {
  const cases: [why: string, events: readonly At[], spentAt1000: number][] = [
    ['does not count before its first attempt', [[100, begun('setup-1', 'setup')]], 0],
    ['counts from its first attempt on', [[400, attempt]], 600],
    ['counts from its first child, for a workflow', [[400, begun('step-1', 'run')]], 600],
    [
      'does not begin again with the next attempt',
      [
        [400, attempt],
        [500, ended('attempt-1')],
        [900, begun('attempt-2', 'attempt')],
      ],
      600,
    ],
    [
      'does not count a wait for a limit',
      [
        [400, attempt],
        [500, cooldown],
        [800, ended('wait-1')],
      ],
      300,
    ],
    [
      'stands still during a wait',
      [
        [400, attempt],
        [500, cooldown],
      ],
      100,
    ],
    [
      'counts the wait before a retry',
      [
        [400, attempt],
        [500, begun('wait-1', 'wait', { reason: 'retry' })],
      ],
      600,
    ],
    [
      'does not count a question',
      [
        [400, attempt],
        [500, question],
        [900, ended('ask-1')],
      ],
      200,
    ],
    [
      'counts two waits at once as one',
      [
        [400, attempt],
        [500, question],
        [600, cooldown],
        [700, ended('ask-1')],
        [900, ended('wait-1')],
      ],
      200,
    ],
    [
      'does not count a question about money',
      [
        [400, attempt],
        [500, ofBudget],
        [900, ended('ask-1')],
      ],
      200,
    ],
  ];
  for (const [why, events, spent] of cases)
    test(why, () => assert.equal(wallSpentMs(fold(events), 1000), spent));

  test('counts a question about the time budget, because its answer adds that time', () => {
    const events: readonly At[] = [
      [400, attempt],
      [500, ofBudget],
      [900, ended('ask-1')],
    ];
    assert.equal(wallSpentMs(fold(events, true), 1000), 600);
  });

  test('begins earlier by the time of the runs that it continues, and later by its waits', () => {
    const time = fold([
      [400, attempt],
      [500, cooldown],
      [800, ended('wait-1')],
    ]);
    const before = { wallMs: 50 };
    assert.equal(
      wallBegunAt({ submittedAt: 0, budget: { time: time ?? assert.fail(), before } }),
      650,
    );
    assert.equal(wallBegunAt({ submittedAt: 200, budget: { before } }), 150);
  });
});
