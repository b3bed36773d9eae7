import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StoredEventSchema } from './event.ts';
import { OWNER_STREAM, runOfStream, runStream } from './streams.ts';

const BREAKER = { project: '/app', workflow: 'small', step: 'implement' };
const head = { id: 1, stream: 'run/0123456789', seq: 1, v: 1, at: 5 };
const submission = { program: 'p', task: 't', project: '/p', settings: { deep: [{ a: null }] } };

const GOOD: readonly (readonly [type: string, payload: unknown])[] = [
  ['run.submitted', submission],
  ['run.forked', { from: '0123456789', seq: 3, submission }],
  ['command.begun', { key: 'a', command: 'attempt', input: { n: 1 }, limits: ['x'] }],
  ['command.noted', { key: 'a', command: 'attempt', note: {} }],
  ['command.cancelled', { key: 'a', how: 'kill' }],
  ['command.ended', { key: 'a', command: 'attempt', end: { kind: 'done', result: {} } }],
  ['command.ended', { key: 'a', command: 'attempt', end: { kind: 'interrupted' } }],
  ['command.ended', { key: 'a', command: 'attempt', end: { kind: 'defect', message: 'x' } }],
  ['signal.received', { signal: { kind: 'stop' } }],
  ['signal.received', { signal: { kind: 'answer', key: 'a', answer: 'yes' } }],
  ['run.ended', { outcome: { kind: 'blocked', reason: 'x' } }],
  ['owner.started', { pid: 1, version: '0.1.0' }],
  ['owner.stopped', { reason: 'idle' }],
  ['apply.begun', { run: 'a', commit: 'b', branch: null, files: 1 }],
  ['prune.begun', { before: 1, runs: 1 }],
  ['prune.ended', { runs: 1, bytes: 1, remaining: 0 }],
  ['apply.ended', { run: 'a', commit: 'b', how: 'applied 1 file' }],
  ['cooldown.set', { identity: 'a::::', agent: 'a', run: 'b', until: 1, reason: 'HTTP 429' }],
  ['cooldown.cleared', { identities: ['a::::'] }],
  ['breaker.failed', { ...BREAKER, run: 'b', failure: 'c', reason: 'crashed' }],
  ['breaker.probed', { ...BREAKER, run: 'b' }],
  ['breaker.closed', BREAKER],
  [
    'schedule.added',
    { name: 'a', cron: '0 2 * * *', timeZone: 'UTC', missed: 'run', runRequest: { task: 'x' } },
  ],
  ['schedule.removed', { name: 'a' }],
  ['schedule.begun', { name: 'a', due: 1 }],
  ['schedule.started', { name: 'a', due: 1, run: 'b' }],
  ['schedule.refused', { name: 'a', due: 1, why: 'no key' }],
  ['schedule.skipped', { name: 'a', due: 1, because: 'missed' }],
  ['notification.begun', { run: 'a', seq: 3, about: 'ended' }],
  ['notification.ended', { run: 'a', seq: 3, how: 'delivered' }],
  ['monitor.noted', { monitor: 'gang', subject: 'a', memory: { unasked: 1 }, unsent: [] }],
  ['monitor.snapshot', { all: [{ monitor: 'gang', subject: 'a', memory: null, unsent: [] }] }],
];

describe('an event that comes over a wire', () => {
  for (const [type, payload] of GOOD) {
    test(`${type} ${JSON.stringify(payload)} is accepted unchanged`, () => {
      const event = { ...head, type, payload };
      assert.deepEqual(StoredEventSchema.parse(event), event);
    });
  }

  const bad: [why: string, event: unknown][] = [
    ['nothing', undefined],
    ['null', null],
    ['a text', 'run.ended'],
    ['no type', { ...head, payload: {} }],
    ['an unknown type', { ...head, type: 'run.danced', payload: {} }],
    ['a type that every object has', { ...head, type: 'toString', payload: {} }],
    ['a type that names the prototype', { ...head, type: '__proto__', payload: {} }],
    ['a type that is not text', { ...head, type: 3, payload: {} }],
    ['a newer version', { ...head, v: 2, type: 'owner.stopped', payload: { reason: 'x' } }],
    ['half a seq', { ...head, seq: 1.5, type: 'owner.stopped', payload: { reason: 'x' } }],
    ['no time', { ...head, at: Number.NaN, type: 'owner.stopped', payload: { reason: 'x' } }],
    ['no payload', { ...head, type: 'owner.stopped' }],
    ['more than is known', { ...head, type: 'owner.stopped', payload: { reason: 'x', by: 'y' } }],
    [
      'an unknown signal',
      { ...head, type: 'signal.received', payload: { signal: { kind: 'go' } } },
    ],
    [
      'an unknown end',
      { ...head, type: 'command.ended', payload: { key: 'a', end: { kind: 'x' } } },
    ],
    [
      'a reason that is too long',
      {
        ...head,
        type: 'run.ended',
        payload: { outcome: { kind: 'failed', reason: 'x'.repeat(2001) } },
      },
    ],
    [
      'what is not JSON',
      { ...head, type: 'command.noted', payload: { key: 'a', note: { f: () => 1 } } },
    ],
  ];
  for (const [why, event] of bad) {
    test(`${why}: refused`, () => assert.equal(StoredEventSchema.safeParse(event).success, false));
  }
});

test('a run stream has its run, and the stream of the owner has none', () => {
  assert.equal(runOfStream(runStream('0123456789')), '0123456789');
  assert.equal(runOfStream(OWNER_STREAM), undefined);
});
