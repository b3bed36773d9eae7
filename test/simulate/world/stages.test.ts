/** Tests of the invariants about setups, about gates on the base and about pauses. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../../src/base/clock.ts';
import { commandKey } from '../../../src/base/ids.ts';
import { PINNED_DEFAULTS } from '../../support/pinned-defaults.ts';
import type { NewEvent } from '../../../src/protocol/event.ts';
import { EVENT_VERSION } from '../../../src/protocol/event.ts';
import { ATTEMPT_RULES } from './attempt-rules.ts';
import { brokenPauses } from './pauses.ts';
import type { Fact, WorldRecord } from './record.ts';
import { runEvent } from '../../support/run-event.ts';

/** The facts of one run whose project has a setup, one a second. */
function story(...events: readonly NewEvent[]): WorldRecord {
  return storyOf(submitted, ...events);
}

function storyOf(...events: readonly NewEvent[]): WorldRecord {
  const facts = events.map((event, index) => ({
    ...event,
    id: index + 1,
    stream: 'run/r',
    seq: index + 1,
    v: EVENT_VERSION,
    at: at(index * 1000),
    elapsedMs: index * 1000,
  }));
  return { facts: facts as readonly Fact[] } as WorldRecord;
}

const submitted: NewEvent = runEvent({
  type: 'run.submitted',
  payload: {
    program: 'attempts',
    task: 't',
    project: '/p',
    settings: {
      ...PINNED_DEFAULTS,
      agent: { id: 'a', cli: 'a' },
      interruptionsMax: 0,
      setup: { command: ['npm', 'ci'] },
    },
  },
});
const over: NewEvent = {
  type: 'run.ended',
  payload: { outcome: { kind: 'unverified', reason: 'done' } },
};

function signal(kind: 'pause' | 'unpause' | 'stop'): NewEvent {
  return { type: 'signal.received', payload: { signal: { kind } } };
}

function begun(name: string, command: string): NewEvent {
  return runEvent({
    type: 'command.begun',
    payload: { key: commandKey(name), command, input: {}, limits: [] },
  });
}

function setup(kind: 'ready' | 'failed' | 'interrupted', nth = 1): readonly NewEvent[] {
  const key = commandKey(`setup-${nth}`);
  const end =
    kind === 'interrupted' ? ({ kind } as const) : ({ kind: 'done', result: { kind } } as const);
  return [begun(key, 'setup'), runEvent({ type: 'command.ended', payload: { key, end } })];
}

const first = begun('attempt-1', 'attempt');

describe('a pause', () => {
  const cases: [why: string, events: readonly NewEvent[], breaches: number][] = [
    ['is kept', [first, signal('pause'), signal('unpause'), over], 0],
    ['is broken by a command that begins', [signal('pause'), first, signal('unpause'), over], 1],
    ['is not broken by a question', [signal('pause'), begun('ask-1', 'ask')], 0],
    ['is broken by an end', [first, signal('pause'), over], 1],
    ['ends with a stop', [first, signal('pause'), signal('stop'), over], 0],
  ];
  for (const [why, events, breaches] of cases)
    test(why, () => assert.equal(brokenPauses(story(...events)).length, breaches));
});

describe('a setup', () => {
  const rule = ATTEMPT_RULES.find(({ name }) => name.includes('its setup'));
  const cases: [why: string, events: readonly NewEvent[], breaches: number][] = [
    ['comes first', [...setup('ready'), first, over], 0],
    [
      'that was interrupted is repeated',
      [...setup('interrupted'), ...setup('ready', 2), first, over],
      0,
    ],
    ['was left out', [first, over], 1],
    ['failed, and an attempt begins', [...setup('failed'), first, over], 1],
    ['is ready, and repeated', [...setup('ready'), ...setup('ready', 2), over], 1],
    ['was interrupted too often', [...setup('interrupted'), ...setup('interrupted', 2), over], 1],
  ];
  for (const [why, events, breaches] of cases)
    test(why, () => assert.equal(rule?.breaches(story(...events)).length, breaches));
});

describe('a baseline', () => {
  const gates = [{ name: 'test', command: ['npm', 'test'], timeoutMs: 1000 }];
  const settings = { ...PINNED_DEFAULTS, agent: { id: 'a', cli: 'a' }, interruptionsMax: 0, gates };
  const gated = runEvent({
    type: 'run.submitted',
    payload: {
      program: 'attempts',
      task: 't',
      project: '/p',
      settings: { ...settings, baseline: true },
    },
  });
  const judged = (
    kind: 'passed' | 'failed' | 'unable' | 'interrupted',
    nth = 1,
  ): readonly NewEvent[] => {
    const key = commandKey(`baseline-${nth}`);
    const result = { kind: 'judged', outcome: { kind, name: 'test', tail: 'b' }, content: 'base' };
    const end = kind === 'interrupted' ? ({ kind } as const) : ({ kind: 'done', result } as const);
    return [begun(key, 'baseline'), runEvent({ type: 'command.ended', payload: { key, end } })];
  };
  const left = (content: string, nth = 1): NewEvent =>
    runEvent({
      type: 'command.noted',
      payload: { key: `attempt-${nth}`, note: { kind: 'committed', content } },
    });
  const gate = (nth: number, known?: object): NewEvent =>
    runEvent({
      type: 'command.begun',
      payload: {
        key: commandKey(`gate-${nth}-0`),
        command: 'gate',
        input: known === undefined ? {} : { known },
        limits: [],
      },
    });
  const onBase = { since: 'base', place: 0, outcome: { kind: 'failed', tail: 'b' } };
  const cases: [why: string, events: readonly NewEvent[], breaches: number][] = [
    ['comes first', [...judged('passed'), first, over], 0],
    ['is red, and the run continues', [...judged('failed'), first, over], 0],
    ['was left out', [first, over], 1],
    ["can't run, and an attempt begins", [...judged('unable'), first, over], 1],
    ['is done, and repeated', [...judged('passed'), ...judged('passed', 2), first, over], 1],
    [
      'that was interrupted is repeated',
      [...judged('interrupted'), ...judged('passed', 2), first],
      0,
    ],
    ['was interrupted too often', [...judged('interrupted'), ...judged('interrupted', 2)], 1],
    [
      'is red, and runs again on the same files',
      [...judged('failed'), first, left('base'), gate(1)],
      1,
    ],
    ['is red, and is known', [...judged('failed'), first, left('base'), gate(1, onBase)], 0],
    ['is red, and other files are judged', [...judged('failed'), first, left('one'), gate(1)], 0],
    [
      'is green, and the gate did not run',
      [...judged('passed'), first, left('base'), gate(1, onBase)],
      1,
    ],
  ];
  const rules = ATTEMPT_RULES.filter(({ name }) => /the base|same files/.test(name));
  for (const [why, events, breaches] of cases)
    test(why, () => {
      const record = storyOf(gated, ...events);
      assert.equal(rules.flatMap((rule) => rule.breaches(record)).length, breaches);
    });
});
