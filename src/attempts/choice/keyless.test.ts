/** Agents that lack their key: the run waits for it, or another agent of the chain works. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, driveAttempts, failed, settingsFor } from '../../../test/support/drive-attempts.ts';
import { drivenTable } from '../../../test/support/driven-table.ts';

const HOUR = 3_600_000;
/** It did not start: nothing was classified. */
const keyless = { kind: 'failed', reason: 'keys_missing', message: 'keys_missing' } as const;
/** Its login expired while it worked. */
const expired = failed('keys_missing', { session: 's' });
const two = settingsFor(['a', 'b']);
const ASKS = 'asks: keys_missing';

drivenTable('an agent that lacks its key', [
  ['waits for a person', { attempts: [keyless] }, ['a', ASKS]],
  [
    'starts when a person has given the key',
    { attempts: [keyless, done], answers: ['retry'] },
    ['a', ASKS, 'a at 1 s', 'unverified: done'],
  ],
  [
    'waits again if the key is still missing',
    { attempts: [keyless, keyless, done], answers: ['retry', 'retry'] },
    ['a', ASKS, 'a at 1 s', ASKS, 'a at 2 s', 'unverified: done'],
  ],
  [
    'ends the run if a person does not give the key',
    { attempts: [keyless], answers: ['stop'] },
    ['a', ASKS, 'cancelled: stopped for lack of a key: keys_missing'],
  ],
  [
    'does not use up attempts: one of one is left',
    {
      settings: settingsFor(['a'], { attemptsMax: 1 }),
      attempts: [keyless, keyless, done],
      answers: ['retry', 'retry'],
    },
    ['a', ASKS, 'a at 1 s', ASKS, 'a at 2 s', 'unverified: done'],
  ],
  [
    'continues its own conversation after an interruption, and no other agent takes over',
    {
      settings: two,
      attempts: ['interrupted', keyless, done],
      answers: ['retry'],
    },
    ['a', 'a at 1 s', ASKS, 'a at 2 s', 'unverified: done'],
  ],
  [
    'is passed over for the next of the chain, if it has not begun',
    { settings: two, attempts: [keyless, done] },
    ['a', 'b at 1 s', 'unverified: done'],
  ],
  [
    'is asked for with --once: no other agent takes over',
    {
      settings: settingsFor(['a', 'b'], {}, { once: true }),
      attempts: [keyless, done],
      answers: ['retry'],
    },
    ['a', ASKS, 'a at 1 s', 'unverified: done'],
  ],
  [
    'is asked for when every other agent of the chain has failed',
    { settings: two, attempts: [keyless, failed('auth'), done], answers: ['retry'] },
    ['a', 'b at 1 s', ASKS, 'a at 2 s', 'unverified: done'],
  ],
  [
    'waits if no agent of the chain has its key',
    { settings: two, attempts: [keyless, keyless, done], answers: ['retry'] },
    ['a', 'b at 1 s', ASKS, 'a at 2 s', 'unverified: done'],
  ],
  [
    'is asked for instead of an end, if the other agent is limited for too long',
    {
      settings: settingsFor(['a', 'b'], { waitMaxMs: HOUR }),
      attempts: [keyless, done],
      cooling: { 'b::::::': 30 * HOUR },
      answers: ['retry'],
    },
    ['a', ASKS, 'a at 1 s', 'unverified: done'],
  ],
  [
    'and if the run has waited too long for the first agent already',
    {
      settings: settingsFor(['a', 'b'], { waitMaxMs: 1.5 * HOUR }),
      attempts: [keyless, done],
      cooling: { 'a::::::': HOUR, 'b::::::': 2 * HOUR },
      answers: ['retry'],
    },
    ['waits until 3600 s', 'a at 3600 s', ASKS, 'a at 3601 s', 'unverified: done'],
  ],
  [
    'gives way if the user wants the next agent',
    {
      settings: two,
      attempts: ['interrupted', keyless, done],
      says: { 'ask-1': 'next' },
    },
    ['a', 'a at 1 s', ASKS, 'asks ask-1', 'b at 2 s', 'unverified: done'],
  ],
  [
    'fixes a red gate once it has its key, and then counts as the same fix',
    {
      settings: settingsFor(['a'], { preset: 'step-feedback' }, { gates: [gate()] }),
      attempts: [done, keyless, done],
      gates: [{ kind: 'failed', name: 'check', tail: 'red', exit: 1 } as never],
      answers: ['retry'],
    },
    ['a', 'gate check', 'a at 1 s', ASKS, 'a at 2 s', 'gate check', 'succeeded: done'],
  ],
]);

drivenTable('an agent whose login expires while it works', [
  [
    'waits for a person, and then continues its conversation',
    { settings: two, attempts: [expired, done], answers: ['retry'] },
    ['a', ASKS, 'a at 1 s in s', 'unverified: done'],
  ],
  [
    'waits again if the login was not renewed',
    { attempts: [expired, keyless, done], answers: ['retry', 'retry'] },
    ['a', ASKS, 'a at 1 s in s', ASKS, 'a at 2 s in s', 'unverified: done'],
  ],
  [
    'ends the run if a person stops it',
    { attempts: [expired], answers: ['stop'] },
    ['a', ASKS, 'cancelled: stopped for lack of a key: keys_missing'],
  ],
  [
    'gives way if the user wants the next agent',
    { settings: two, attempts: [expired, done], says: { 'ask-1': 'next' } },
    ['a', ASKS, 'asks ask-1', 'b at 1 s', 'unverified: done'],
  ],
]);

test('an answer of a person to the agent reaches it, even if its key is missing in between', () => {
  const asks = failed('needs_input', { session: 's' });
  const { inputs } = driveAttempts({
    attempts: [asks, asks, keyless, done],
    answers: ['use tabs', 'retry'],
  });
  assert.equal(inputs.at(-1)?.resumePrompt, 'use tabs');
  assert.equal(inputs.at(-1)?.resume, 's');
});

test('the question says that it is about keys, so that a command that gives them can answer', () => {
  const { events } = driveAttempts({ attempts: [keyless] });
  const last = events.findLast(({ type }) => type === 'command.begun');
  assert.deepEqual(last?.payload, {
    key: 'ask-1',
    command: 'ask',
    input: { question: 'keys_missing', choices: ['retry', 'stop'], about: 'keys' },
    limits: [],
  });
});

function gate(): { name: string; command: string[]; timeoutMs: number } {
  return { name: 'check', command: ['true'], timeoutMs: 1000 };
}
