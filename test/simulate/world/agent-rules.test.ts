/** Tests of the invariants about long-lived agents: each gets a history that it must reject. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NewEvent } from '../../../src/protocol/event.ts';
import type { Signal } from '../../../src/protocol/signal.ts';
import { EVENT_VERSION } from '../../../src/protocol/event.ts';
import type { LongLivedSettings } from '../../../src/protocol/long-lived-agent.ts';
import { agentTestSubmission } from '../../support/drive-agent.ts';
import type { SimulatedAgent } from './agent-facts.ts';
import { illegalMoves } from './agent-rules.ts';
import { AGENT_INVARIANTS, INVARIANTS } from './invariants.ts';
import type { WorldRecord } from './record.ts';
import { runEvent } from '../../support/run-event.ts';

/** The facts of one agent, one a minute. Facts of the tree are in their own stream. */
function story(events: readonly NewEvent[], life: Partial<LongLivedSettings> = {}): WorldRecord {
  const first: NewEvent = { type: 'run.submitted', payload: agentTestSubmission(life) };
  const facts = [first, ...events].map((event, index) => ({
    ...event,
    id: index + 1,
    stream: event.type.startsWith('tree.') ? 'tree' : 'run/aaaaaaaaaa',
    seq: index + 1,
    v: EVENT_VERSION,
    at: index * 60_000,
    elapsedMs: index * 60_000,
  }));
  const none = { troubles: [], laid: [], queue: [], eras: [{ fromMs: 0, offsetMs: 0 }] };
  return { ...none, facts } as Partial<WorldRecord> as WorldRecord;
}

function output(signal: Signal): NewEvent {
  return { type: 'signal.received', payload: { signal } };
}

const live = (life: number): NewEvent => output({ kind: 'start-life', life });

function turn(number: number, life: number, received = ''): NewEvent {
  const input = { prompt: received, why: { kind: 'turn', life, cause: 'go-on' } };
  const key = `attempt-${number}`;
  return runEvent({
    type: 'command.begun',
    payload: { key, command: 'attempt', input, limits: [] },
  });
}

function ended(key: string, result: Record<string, unknown>): NewEvent {
  return runEvent({ type: 'command.ended', payload: { key, end: { kind: 'done', result } } });
}

function spends(usd: number): NewEvent {
  const note = { kind: 'spent', usd, tokens: 1, calls: 1, settled: [] };
  return runEvent({ type: 'command.noted', payload: { key: 'attempt-1', note } });
}

const crashed = (number: number): NewEvent =>
  ended(`attempt-${number}`, { kind: 'failed', reason: 'crashed', message: 'boom' });
const completed = ended('attempt-1', {
  kind: 'completed',
  summary: '',
  turnNotes: { statusLine: 'x' },
});
const letter = output({ kind: 'message', from: null, text: 'letter 1.' });
const gate: NewEvent = runEvent({
  type: 'command.begun',
  payload: { key: 'gate-1', command: 'gate', input: {}, limits: [] },
});
const restarted: Extract<NewEvent, { type: 'tree.restarting' }> = {
  type: 'tree.restarting',
  payload: { supervisor: 'app-000000', child: 'bbbbbbbbbb', at: 0, restarts: [0], streak: 1 },
};
const idle = Array.from({ length: 30 }, () => output({ kind: 'pause' }));
const dollars = (usd: number): Partial<LongLivedSettings> => ({
  grant: {
    ...{ writes: [], reads: [], hosts: [], capabilities: [] },
    budget: { usd, tokens: null, calls: null, wallMs: null },
  },
});

function breaches(rule: string, record: WorldRecord): number {
  const found = INVARIANTS.find(({ name }) => name === rule) ?? assert.fail(`no rule ${rule}`);
  return found.breaches(record).length;
}

const asks = (number: number): NewEvent => ({
  type: 'command.begun',
  payload: { key: `ask-${number}`, command: 'ask', input: { question: 'may I?' }, limits: [] },
});
const again: NewEvent = {
  ...restarted,
  payload: { ...restarted.payload, child: 'aaaaaaaaaa' },
};
const tests = { description: 'tests', assertion: ['true'], by: 'parent', timeoutMs: 1 } as const;
const claims = ended('attempt-1', {
  kind: 'completed',
  summary: '',
  turnNotes: { statusLine: 'DONE' },
});
const proves = (name: string): NewEvent => ended('gate-1', { kind: 'passed', name });

/** An agent with two dollars, and a child that requests `usd`. */
function family(usd: number): WorldRecord {
  const parent = story([live(1)], dollars(2));
  const child = story([], { ...dollars(usd), parent: 'aaaaaaaaaa' });
  const facts = child.facts.map((fact) => ({ ...fact, id: 3, stream: 'run/cccccccccc' }));
  return { ...parent, facts: [...parent.facts, ...facts] };
}

const cases: [rule: string, why: string, record: WorldRecord, breaches: number][] = [
  ...(
    [
      ['a turn of its own life', [live(1), turn(1, 1)], 0],
      ['a turn of the life before', [live(1), turn(1, 1), crashed(1), live(2), turn(2, 1)], 1],
      ['a turn before its first life', [turn(1, 1)], 1],
    ] as const
  ).map(([why, events, count]): (typeof cases)[number] => [
    'an agent has one life at a time, numbered without gaps',
    why,
    story(events),
    count,
  ]),
  ...(
    [
      ['it begins again', [live(1), turn(1, 1), crashed(1), live(2), ...idle], 0],
      ['it is not started', idle, 1],
      ['it is not restarted', [live(1), turn(1, 1), crashed(1), ...idle], 1],
    ] as const
  ).map(([why, events, count]): (typeof cases)[number] => [
    'an agent that is down is restarted, exhausted, or over',
    why,
    story(events),
    count,
  ]),
  ...(
    [
      ['told once', [live(1), letter, turn(1, 1, 'letter 1.'), completed, turn(2, 1)], 0],
      ['not told', [live(1), letter, turn(1, 1), completed], 1],
      [
        'told again',
        [live(1), letter, turn(1, 1, 'letter 1.'), completed, turn(2, 1, 'letter 1.')],
        1,
      ],
    ] as const
  ).map(([why, events, count]): (typeof cases)[number] => [
    'a message is delivered in the next turn, and again only if that turn failed',
    why,
    story(events),
    count,
  ]),
  [
    'no agent spends more than its cap and what a person added',
    'within its budget',
    story([live(1), turn(1, 1), spends(2)], dollars(2)),
    0,
  ],
  [
    'no agent spends more than its cap and what a person added',
    'a dollar more',
    story([live(1), turn(1, 1), spends(3)], dollars(2)),
    1,
  ],
  [
    'a restart is on record before the life that it begins',
    'not counted, and the restart of another agent does not count',
    story([live(1), turn(1, 1), crashed(1), restarted, live(2)]),
    1,
  ],
  [
    'a queue item is never lost, and never with two agents',
    'it is with the done ones',
    { ...story([]), laid: ['/app/tasks/a'], queue: ['/app/tasks/done/a'] },
    0,
  ],
  [
    'a queue item is never lost, and never with two agents',
    'it is gone',
    { ...story([]), laid: ['/app/tasks/a'], queue: [] },
    1,
  ],
  ...(['tests', 'something else'] as const).map((name, count): (typeof cases)[number] => [
    'no agent is done with an unverified commitment',
    `it was shown ${name}`,
    story([live(1), turn(1, 1), claims, gate, proves(name)], { commitments: [tests] }),
    count,
  ]),
  ...([1, 2] as const).map((times): (typeof cases)[number] => [
    'a person is asked a question once, and the number is bounded',
    `${times} times`,
    story([live(1), ...Array.from({ length: times }, (_, nth) => asks(nth + 1))]),
    times - 1,
  ]),
  ...([3, 4] as const).map((times): (typeof cases)[number] => [
    'no agent is restarted more often than its rules allow',
    `${times} times of 3`,
    story(Array.from({ length: times }, () => again)),
    times - 3,
  ]),
  [
    'an exhausted agent restarts only on request',
    'without a request',
    story([
      live(1),
      turn(1, 1),
      crashed(1),
      output({ kind: 'restarts-exhausted', because: 'enough' }),
      live(2),
    ]),
    1,
  ],
  [
    'no agent outlives its parent',
    'that one is missing',
    story([live(1), turn(1, 1), ...idle], { parent: 'bbbbbbbbbb' }),
    1,
  ],
  ['no child gets more than its parent has left', 'as much as there is', family(2), 0],
  ['no child gets more than its parent has left', 'more than that', family(5), 1],
  [
    'nothing begins after a stop',
    'a dismissed agent is checked',
    story([live(1), output({ kind: 'dismiss', because: 'enough' }), gate]),
    1,
  ],
];

describe('a world with agents', () => {
  for (const [rule, why, record, count] of cases)
    test(`${rule}: ${why}`, () => assert.equal(breaches(rule, record), count));

  test('each of its invariants has a case here', () => {
    const named = new Set(cases.map(([rule]) => rule));
    const states = 'an agent makes only legal transitions'; // below
    assert.deepEqual(
      AGENT_INVARIANTS.map(({ name }) => name).filter((name) => !named.has(name)),
      [states],
    );
  });

  test('no agent makes an illegal transition', () => {
    const step = (from: string, to: string, fact: NewEvent = letter): readonly string[] =>
      illegalMoves({
        run: 'a',
        life: { commitments: [{}], flags: { perseverance: true } },
        steps: [{ fact, from, to, after: { ending: { outcome: null } } }],
      } as unknown as SimulatedAgent);
    assert.deepEqual(step('working', 'verifying'), []);
    // Halted while it read its queue (seed 9001670).
    const taken = ended('claim-item-2', { kind: 'claimed', name: 'first-1', text: 'first-1' });
    assert.deepEqual(step('done', 'failed-reaped', taken), []);
    const rejected = output({
      kind: 'trigger',
      trigger: { kind: 'wrong-changeset', feedback: 'no' },
    });
    assert.deepEqual(step('done', 'failed-reaped', rejected), []);
    for (const [from, to] of [
      ['working', 'done'],
      ['dismissed-reaped', 'working'],
      ['done', 'failed-reaped'],
      ['working', 'waiting-wakeup'],
    ] as const)
      assert.equal(step(from, to).length, 1, `${from} to ${to}`);
  });
});
