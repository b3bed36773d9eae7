/** What messages change in the attempt loop: which attempt reads which, and when the run ends. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gated, red } from '../../test/support/gated-attempts.ts';
import type { AttemptScript } from '../../test/support/drive-attempts.ts';
import { done, driveAttempts, failed, settingsFor } from '../../test/support/drive-attempts.ts';
import type { AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';
import type { MessageVerb, RunMessage } from '../protocol/run-message.ts';

function message(text: string, verb: MessageVerb = 'steer', rest: Partial<RunMessage> = {}) {
  const id = Buffer.from(text).toString('hex').padEnd(8, '0').slice(0, 8);
  return { id, verb, origin: 'person' as const, text, ...rest };
}

const inS1: AttemptOutcome = { kind: 'completed', summary: 'done', session: 's1' };
const stopped: AttemptOutcome = { kind: 'stopped' };

/** The moves, and after each attempt the message in its prompt. */
function told(script: AttemptScript): readonly string[] {
  const { trace, inputs } = driveAttempts(script);
  const read = inputs.map((input) => input.message?.text ?? '-');
  return [...trace.filter((move) => move !== 'looks'), `read: ${read.join(', ')}`];
}

const cases: [why: string, script: AttemptScript, expected: readonly string[]][] = [
  [
    'a message that an agent without a channel did not get is the prompt of another attempt in its conversation',
    { attempts: [inS1, done], tells: { 'attempt-1': [message('hi')] } },
    ['a', 'a at 1 s in s1', 'unverified: done', 'read: -, hi'],
  ],
  [
    'without a conversation, it ends the whole prompt',
    { attempts: [done, done], tells: { 'attempt-1': [message('hi', 'queue')] } },
    ['a', 'a at 1 s', 'unverified: done', 'read: -, hi'],
  ],
  [
    'one attempt reads one message, the oldest first',
    { attempts: [inS1, inS1, done], tells: { 'attempt-1': [message('one'), message('two')] } },
    ['a', 'a at 1 s in s1', 'a at 2 s in s1', 'unverified: done', 'read: -, one, two'],
  ],
  [
    'a more severe one comes first',
    {
      attempts: [inS1, inS1, done],
      tells: { 'attempt-1': [message('one'), message('two', 'queue', { severity: 9 })] },
    },
    ['a', 'a at 1 s in s1', 'a at 2 s in s1', 'unverified: done', 'read: -, two, one'],
  ],
  [
    'gates judge the work when the message is read, and not before',
    {
      settings: gated(['a']),
      attempts: [inS1, done],
      tells: { 'attempt-1': [message('hi')] },
    },
    ['a', 'a at 1 s in s1', 'gate test', 'gate lint', 'succeeded: done', 'read: -, hi'],
  ],
  [
    'a red gate has its own words, and the message has the turn after them',
    {
      settings: gated(['a']),
      attempts: [inS1, inS1, inS1],
      gates: [red],
      tells: { 'gate-1-0': [message('hi')] },
    },
    [
      ...['a', 'gate test', 'a at 1 s in s1', 'a at 2 s in s1', 'gate test', 'gate lint'],
      ...['succeeded: done', 'read: -, -, hi'],
    ],
  ],
  [
    'what steering noticed does not prolong a run, and goes with a prompt that is sent anyway',
    {
      settings: settingsFor(['a', 'b']),
      attempts: [failed('crashed'), done],
      tells: { 'attempt-1': [message('loop', 'steer', { origin: 'steering' })] },
    },
    ['a', 'b at 1 s', 'unverified: done', 'read: -, loop'],
  ],
  [
    'what steering noticed is moot when the agent is done',
    {
      attempts: [done],
      tells: { 'attempt-1': [message('loop', 'steer', { origin: 'steering' })] },
    },
    ['a', 'unverified: done', 'read: -'],
  ],
  [
    'an interrupt stops the attempt, and the next one reads it',
    {
      attempts: [done],
      notes: { 'attempt-1': [{ kind: 'session', session: 's1' }] },
      tells: { 'attempt-1': [message('no', 'interrupt')] },
    },
    ['a', 'asks attempt-1', 'a in s1', 'unverified: done', 'read: no'],
  ],
  [
    'an interrupt without a text asks a person, whose answer the agent gets',
    {
      attempts: [done],
      answers: ['use tabs'],
      tells: { 'attempt-1': [message('', 'interrupt')] },
    },
    [
      ...['a', 'asks attempt-1', 'asks: The turn of a was interrupted. What is it to do now?', 'a'],
      ...['unverified: done', 'read: -'],
    ],
  ],
  [
    'a run that may not ask continues after an interrupt without a text',
    {
      settings: settingsFor(['a'], { ask: false }),
      attempts: [done],
      tells: { 'attempt-1': [message('', 'interrupt')] },
    },
    ['a', 'asks attempt-1', 'a', 'unverified: done', 'read: -'],
  ],
  [
    'an attempt that is interrupted by the end of the owner has read nothing for certain',
    {
      attempts: [inS1, 'interrupted', done],
      tells: { 'attempt-1': [message('hi')] },
    },
    ['a', 'a at 1 s in s1', 'a at 2 s', 'unverified: done', 'read: -, hi, hi'],
  ],
  [
    'a message whose model call was refused is read by the next agent',
    {
      settings: settingsFor(['a', 'b']),
      attempts: [inS1, failed('rate_limited'), done],
      tells: { 'attempt-1': [message('hi')] },
    },
    [
      ...['a', 'a at 1 s in s1', 'cools a until 3602 s', 'b at 2 s', 'unverified: done'],
      'read: -, hi, hi',
    ],
  ],
  [
    'a message that the gateway has seen is not sent again',
    {
      attempts: [inS1, 'interrupted', done],
      tells: { 'attempt-1': [message('hi')] },
      notes: {
        'attempt-2': [{ kind: 'message-seen', message: '68690000', request: 1, times: 1 }],
      },
    },
    ['a', 'a at 1 s in s1', 'a at 2 s', 'unverified: done', 'read: -, hi, -'],
  ],
  [
    'the attempt for a message is not one of the attempts that a run may have',
    {
      settings: settingsFor(['a'], { attemptsMax: 1 }),
      attempts: [inS1, done],
      tells: { 'attempt-1': [message('hi')] },
    },
    ['a', 'a at 1 s in s1', 'unverified: done', 'read: -, hi'],
  ],
  [
    'a stop outranks every message',
    {
      attempts: [stopped],
      says: { 'attempt-1': 'stop' },
      tells: { 'attempt-1': [message('hi', 'interrupt')] },
    },
    ['a', 'asks attempt-1', 'cancelled: stopped by the user during attempt 1', 'read: '],
  ],
];

describe('the attempt loop with messages', () => {
  for (const [why, script, expected] of cases)
    test(why, () => assert.deepEqual(told(script), expected));
});
