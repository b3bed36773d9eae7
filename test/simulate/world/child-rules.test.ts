import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NewEvent } from '../../../src/protocol/event.ts';
import { EVENT_VERSION } from '../../../src/protocol/event.ts';
import { PINNED_DEFAULTS } from '../../support/pinned-defaults.ts';
import { runEvent } from '../../support/run-event.ts';
import { CHILD_RULES } from './child-rules.ts';
import type { Fact, WorldRecord } from './record.ts';

type Line = readonly [run: 'p' | 'c', event: NewEvent, elapsedMs?: number];

const RESULT = { kind: 'succeeded', reason: 'done' } as const;
const SPENT = { tokens: 9, usd: 0, calls: 1 };

function submitted(parent?: object): NewEvent {
  const settings = { ...PINNED_DEFAULTS, agent: { id: 'a', cli: 'a' } };
  const payload = { program: 'attempts', task: 't', project: '/p', settings };
  return runEvent({
    type: 'run.submitted',
    payload: { ...payload, ...(parent === undefined ? {} : { parent }) },
  });
}

const starts = runEvent({
  type: 'command.begun',
  payload: { key: 's-1', command: 'run', input: { run: 'c', submission: {} }, limits: [] },
});
const spends = runEvent({
  type: 'command.noted',
  payload: { key: 'attempt-1', command: 'attempt', note: { kind: 'spent', ...SPENT } },
});
const ends = runEvent({ type: 'run.ended', payload: { outcome: RESULT } });
const child = submitted({ run: 'p', key: 's-1', depth: 1 });

function gets(result: object): NewEvent {
  const end = { kind: 'done', result: { run: 'c', outcome: RESULT, spent: SPENT, ...result } };
  return runEvent({ type: 'command.ended', payload: { key: 's-1', command: 'run', end } });
}

function broken(...lines: readonly Line[]): readonly string[] {
  const seqs = { p: 0, c: 0 };
  const facts: readonly Fact[] = lines.map(([run, event, elapsedMs = 0], index) => {
    seqs[run] += 1;
    const place = { id: index + 1, stream: `run/${run}`, seq: seqs[run], v: EVENT_VERSION };
    return { ...event, ...place, at: elapsedMs, elapsedMs };
  });
  const record = { facts, troubles: [] } as unknown as WorldRecord;
  return CHILD_RULES.flatMap(({ name, breaches }) => (breaches(record).length > 0 ? [name] : []));
}

const LATE_MS = 1_000_000;

describe('a rule about child runs', () => {
  test('holds for a parent and its child', () => {
    assert.deepEqual(
      broken(
        ['p', submitted()],
        ['p', starts],
        ['c', child],
        ['c', spends],
        ['c', ends],
        ['p', gets({})],
        ['p', ends],
      ),
      [],
    );
  });

  const cancelled = runEvent({ type: 'command.cancelled', payload: { key: 's-1', how: 'cancel' } });
  const breaches: [why: string, name: string, lines: readonly Line[]][] = [
    [
      'a child that began before its command was recorded',
      'a command starts one child at most, and is on record before it',
      [
        ['p', submitted()],
        ['c', child],
        ['p', starts],
        ['c', ends],
        ['p', gets({ spent: undefined })],
        ['p', ends],
      ],
    ],
    [
      'a parent that ended first',
      'no child outlives its parent',
      [
        ['p', submitted()],
        ['p', starts],
        ['c', child],
        ['p', ends],
        ['c', ends],
      ],
    ],
    [
      'another outcome than that of the child',
      'a parent has the outcome of its child',
      [
        ['p', submitted()],
        ['p', starts],
        ['c', child],
        ['c', ends],
        ['p', gets({ outcome: { kind: 'failed', reason: 'no' }, spent: undefined })],
        ['p', ends],
      ],
    ],
    [
      'a cancelled child that works on',
      'a cancelled child is stopped',
      [
        ['p', submitted()],
        ['p', starts],
        ['c', child],
        ['p', cancelled],
        ['c', ends, LATE_MS],
        ['p', gets({ spent: undefined }), LATE_MS],
        ['p', ends, LATE_MS],
      ],
    ],
    [
      'spending that the parent does not have',
      'money of a child counts once',
      [
        ['p', submitted()],
        ['p', starts],
        ['c', child],
        ['c', spends],
        ['c', ends],
        ['p', gets({ spent: undefined })],
        ['p', ends],
      ],
    ],
  ];
  for (const [why, name, lines] of breaches)
    test(`is broken by ${why}`, () => assert.deepEqual(broken(...lines), [name]));

  test('has a case here', () => {
    assert.deepEqual(
      CHILD_RULES.map(({ name }) => name),
      breaches.map(([, name]) => name),
    );
  });
});
