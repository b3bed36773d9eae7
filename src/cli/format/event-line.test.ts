import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatMoment } from '../../base/format-time.ts';
import type { Json } from '../../base/json.ts';
import { seededRandom } from '../../base/random.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import type { NewEvent, StoredEvent } from '../../protocol/event.ts';
import type { Signal } from '../../protocol/signal.ts';
import type { CliContext } from '../cli-context.ts';
import { formatClockTime } from '../../base/format-time.ts';
import { eventText, formatEvent, isQuietEvent } from './event-line.ts';
import { agent } from '../../../test/support/drive-attempts.ts';
import { runEvent } from '../../../test/support/run-event.ts';

const context: CliContext = {
  out: () => {},
  err: () => {},
  stdin: () => Promise.resolve(''),
  terminal: { isTty: false, width: 80, colour: false },
  cwd: '/',
  env: {},
  clock: new ManualClock(),
  random: seededRandom(1),
  pid: 1,
  node: 'node',
  ownerCommand: ['false'],
  version: '1.2.3',
  onInterrupt: () => () => {},
  onReaderGone: () => () => {},
  onKey: () => () => {},
};

const key = 'attempt-1';
const submission = { program: 'attempts', task: 'x', project: '/p', settings: {} };

function submitted(ids: readonly string[], more: object = {}): NewEvent {
  const chain = ids.map((id) => ({ ...agent(id) }));
  return runEvent({
    type: 'run.submitted',
    payload: { ...submission, settings: { chain, ...more } },
  });
}
const begun = { key, limits: [] };

function gateEnd(result: Readonly<Record<string, Json>>): NewEvent {
  const end = { kind: 'done', result: { name: 'test', ...result } } as const;
  return runEvent({ type: 'command.ended', payload: { key: 'gate-1-0', end } });
}

function said(signal: Signal): NewEvent {
  return { type: 'signal.received', payload: { signal } };
}

function step(command: string, input: Readonly<Record<string, Json>>): NewEvent {
  const payload = { key: `${command}-1`, command, input: { ...input }, limits: [] };
  return runEvent({ type: 'command.begun', payload });
}

function over(of: string, result: Readonly<Record<string, Json>>): NewEvent {
  return runEvent({ type: 'command.ended', payload: { key: of, end: { kind: 'done', result } } });
}

describe('the line of an event', () => {
  const cases: [event: NewEvent, words: string][] = [
    [runEvent({ type: 'run.submitted', payload: submission }), 'submitted for /p'],
    [submitted(['claude']), 'submitted for /p'],
    [submitted(['claude', 'codex']), 'submitted for /p with claude (fallback: codex)'],
    [submitted(['a', 'b', 'c']), 'submitted for /p with a (fallbacks: b, c)'],
    [submitted(['a', 'b'], { order: 'round-robin' }), 'submitted for /p'],
    [
      submitted(['a', 'b', 'c'], { fallbacks: { a: 'c' } }),
      'submitted for /p with a (fallback: c)',
    ],
    [
      step('baseline', { name: 'test', command: ['npm', 'test'] }),
      'gate test: npm test, on the base',
    ],
    [
      over('baseline-1', { kind: 'judged', outcome: { kind: 'passed', name: 'test' }, how: 'ran' }),
      '✔ gate test is green on the base',
    ],
    [
      over('baseline-1', {
        kind: 'judged',
        outcome: { kind: 'failed', name: 'test', exit: 2, tail: 'oops' },
        how: 'reused',
      }),
      '! gate test fails before the agent starts: exit 2 (judged by an earlier run). The run must fix it',
    ],
    [
      over('baseline-1', {
        kind: 'judged',
        outcome: { kind: 'failed', name: 'test', exit: 2, tail: 'oops', warns: true },
        how: 'ran',
      }),
      '! gate test fails before the agent starts: exit 2',
    ],
    [
      over('baseline-1', {
        kind: 'judged',
        outcome: { kind: 'unable', name: 'test', why: 'no sandbox' },
        how: 'ran',
      }),
      "✖ gate test can't run on the base",
    ],
    [
      step('gate', { name: 'test', command: ['npm', 'test'], known: { since: 2 } }),
      'gate test is not run again: no file changed since attempt 2',
    ],
    [
      runEvent({
        type: 'command.noted',
        payload: { key: 'attempt-1', note: { kind: 'committed', files: 1 } },
      }),
      'attempt-1: 1 changed file committed',
    ],
    [
      runEvent({
        type: 'command.noted',
        payload: { key: 'attempt-2', note: { kind: 'committed', files: 1 } },
      }),
      'attempt-2: committed, 1 changed file in all',
    ],
    [
      runEvent({
        type: 'command.noted',
        payload: { key: 'attempt-1', note: { kind: 'committed', files: 0 } },
      }),
      'attempt-1: no changed file to commit',
    ],
    [
      runEvent({
        type: 'command.noted',
        payload: { key, note: { kind: 'planned', inputs: ['a', 'b'] } },
      }),
      'attempt-1 depends on a, b',
    ],
    [
      runEvent({
        type: 'command.noted',
        payload: { key, note: { kind: 'network-use', reached: ['a.test:443'], refused: [] } },
      }),
      'attempt-1 reached a.test:443',
    ],
    [
      runEvent({
        type: 'command.noted',
        payload: {
          key,
          note: { kind: 'network-use', reached: [], refused: ['b.test:1 (not-allowed)'] },
        },
      }),
      'attempt-1 reached no host; blocked: b.test:1, because it is not on the list',
    ],
    [
      runEvent({ type: 'command.noted', payload: { key, note: { kind: 'damaged', key: 'k' } } }),
      'attempt-1: the stored setup was changed and is made again',
    ],
    [
      runEvent({
        type: 'command.noted',
        payload: {
          key,
          note: { kind: 'started', pid: 7, sandbox: 'docker', granted: ['file .env'] },
        },
      }),
      'attempt-1 runs as pid 7, in docker, with access to file .env',
    ],
    [
      runEvent({ type: 'run.forked', payload: { from: 'a000000000', seq: 3, submission } }),
      'continues run a000000000',
    ],
    [
      runEvent({
        type: 'command.begun',
        payload: { ...begun, command: 'attempt', input: { agent: { id: 'mine' } } },
      }),
      'attempt-1 begins with mine',
    ],
    [
      step('setup', { command: ['sh', '-c', 'npm ci && npm run build'] }),
      'setup-1: npm ci && npm run build',
    ],
    [
      {
        type: 'command.begun',
        payload: {
          ...begun,
          command: 'wait',
          input: { until: 0, reason: 'cooldown', why: 'a limit' },
        },
      },
      `attempt-1: waiting until ${formatMoment(0, context.clock.now())} (a limit)`,
    ],
    [
      { type: 'command.begun', payload: { ...begun, command: 'ask', input: { question: 'why?' } } },
      'attempt-1: question: why?',
    ],
    [
      runEvent({
        type: 'command.noted',
        payload: { key, note: { kind: 'started', pid: 7, sandbox: 'none' } },
      }),
      'attempt-1 runs as pid 7, not contained',
    ],
    [
      runEvent({
        type: 'command.noted',
        payload: { key, note: { kind: 'started', pid: 7, sandbox: 'bubblewrap' } },
      }),
      'attempt-1 runs as pid 7, in bubblewrap',
    ],
    [
      runEvent({
        type: 'command.noted',
        payload: { key, note: { kind: 'session', session: 'x' } },
      }),
      'attempt-1: the conversation is x',
    ],
    [{ type: 'command.cancelled', payload: { key, how: 'ask' } }, 'attempt-1 is asked to exit'],
    [{ type: 'command.cancelled', payload: { key, how: 'kill' } }, 'attempt-1 is killed'],
    [
      runEvent({ type: 'command.ended', payload: { key, end: { kind: 'interrupted' } } }),
      'attempt-1 was interrupted: the owner ended',
    ],
    [
      runEvent({ type: 'command.ended', payload: { key, end: { kind: 'defect', message: 'oh' } } }),
      'attempt-1 failed with an internal error: oh',
    ],
    [
      runEvent({
        type: 'command.ended',
        payload: {
          key,
          end: { kind: 'done', result: { kind: 'completed', summary: 'two\nlines\u001B[2J' } },
        },
      }),
      'attempt-1 completed: two lines\\x1b[2J',
    ],
    [
      runEvent({ type: 'command.ended', payload: { key, end: { kind: 'done', result: {} } } }),
      'attempt-1 ended',
    ],
    [
      runEvent({
        type: 'command.begun',
        payload: { ...begun, command: 'gate', input: { name: 'test', command: ['npm', 'test'] } },
      }),
      'gate test: npm test',
    ],
    [
      runEvent({
        type: 'command.noted',
        payload: {
          key,
          note: { kind: 'judges', commit: '0123456789abcdef', restored: ['package.json'] },
        },
      }),
      'attempt-1 checks commit 0123456789ab, with package.json from before the work',
    ],
    [gateEnd({ kind: 'passed' }), '✔ test'],
    [
      gateEnd({ kind: 'passed', unprotected: ['it starts bazel'] }),
      '✔ test; not protected: it starts bazel',
    ],
    [
      gateEnd({ kind: 'passed', tests: [{ path: 'a.test.js', how: 'skips' }] }),
      '✔ test, with these tests of the base: a.test.js (skipped)',
    ],
    [
      gateEnd({
        kind: 'passed',
        counted: { passed: 12, failed: 0, skipped: 1, runners: ['jest', 'node:test'] },
      }),
      '✔ test: 12 tests passed, 1 skipped (jest, node:test)',
    ],
    [
      gateEnd({ kind: 'passed', notCounted: 'Supervisor has no reporter for rspec' }),
      '✔ test; not counted: Supervisor has no reporter for rspec',
    ],
    [
      gateEnd({
        kind: 'failed',
        exit: 0,
        tail: '',
        reported: ['the test run of jest ended early'],
      }),
      '✖ test: the test run of jest ended early',
    ],
    [
      gateEnd({ kind: 'passed', restored: ['a', 'b'] }),
      '✔ test; the gate also ran with a, b from before the work, because these files decide its verdict',
    ],
    [gateEnd({ kind: 'unable', why: 'no sandbox' }), '✖ test could not run: no sandbox'],
    [
      gateEnd({ kind: 'failed', exit: 1, tail: 'one\n\u001B[2Jtwo\n' }),
      '✖ test (exit 1)\n          one\n          \\x1b[2Jtwo',
    ],
    [gateEnd({ kind: 'failed', exit: 2, tail: '', warns: true }), '! test (exit 2) (warning)'],
    [
      gateEnd({ kind: 'failed', exit: 2, tail: '', warns: true, severity: 'info' }),
      'i test (exit 2) (info)',
    ],
    [
      gateEnd({ kind: 'failed', exit: 2, tail: '', severity: 'info' }),
      'i test (exit 2) (info, must be fixed)',
    ],
    [
      gateEnd({ kind: 'failed', exit: 2, tail: '', severity: 'warning' }),
      '! test (exit 2) (must be fixed)',
    ],
    [gateEnd({ kind: 'unable', why: 'it was skipped', skippedFor: 'lint' }), '✖ test skipped'],
    [
      step('gate', { name: 'test', command: ['npm', 'test'], skippedFor: 'lint' }),
      'gate test is not run: gate lint, on which it depends, is red',
    ],
    [
      gateEnd({
        kind: 'failed',
        exit: 1,
        tail: '',
        failures: [{ name: 'cart › adds', file: 'cart.js', line: 4, message: '3 is not 4' }],
      }),
      '✖ test (exit 1); first: cart › adds (cart.js:4): 3 is not 4',
    ],
    [
      gateEnd({ kind: 'passed', coverage: { percent: 85.2, changedPercent: 90 } }),
      '✔ test: coverage 85.2 % (90 % of the changed lines)',
    ],
    [
      gateEnd({ kind: 'passed', proof: { kind: 'seeing', noticed: 'a.js:1: x', missed: [] } }),
      '✔ test: noticed a mutant (a.js:1: x)',
    ],
    [
      gateEnd({ kind: 'passed', proof: { kind: 'blind', missed: ['a.js:1: x', 'a.js:2: y'] } }),
      '✔ test; blind: it stayed green with 2 mutants of the changed lines (a.js:1: x; a.js:2: y)',
    ],
    [
      gateEnd({ kind: 'passed', proof: { kind: 'not-applicable', why: 'no code' } }),
      '✔ test; not tried with mutants: no code',
    ],
    [
      gateEnd({ kind: 'passed', cachedAtMs: 0 }),
      '✔ test; not run again: the same files were judged at 00:00',
    ],
    [
      gateEnd({ kind: 'unable', why: 'no sandbox', warns: true }),
      '! test could not run: no sandbox (warning)',
    ],
    [
      gateEnd({ kind: 'failed', exit: null, tail: 'ran longer than its limit of 1 s' }),
      '✖ test\n          ran longer than its limit of 1 s',
    ],
    [{ type: 'signal.received', payload: { signal: { kind: 'stop' } } }, 'a person stops the run'],
    [said({ kind: 'start-life', life: 2 }), 'life 2 starts'],
    [
      said({ kind: 'end-life', because: 'a sibling failed' }),
      'the supervisor ends this life: a sibling failed',
    ],
    [said({ kind: 'restarts-exhausted', because: 'too often' }), 'restarts exhausted: too often'],
    [said({ kind: 'dismiss', because: 'enough' }), 'dismissed: enough'],
    [said({ kind: 'message', from: null, text: 'go on' }), 'message from a person: go on'],
    [
      said({ kind: 'message', from: 'bob', text: 'x'.repeat(300) }),
      `message from bob: ${'x'.repeat(199)}…`,
    ],
    [
      said({ kind: 'trigger', trigger: { kind: 'spinning', call: 'ls' } }),
      'trigger: the agent repeats the same call, ls',
    ],
    [
      said({ kind: 'issue', issue: { kind: 'slow', what: 'it is slow', choices: ['wait'] } }),
      'issue: slow, it is slow',
    ],
    [
      step('send-message', { to: 'parent', text: 'NOTE from ada: x' }),
      'send-message-1: message to parent: NOTE from ada: x',
    ],
    [step('claim-item', { dir: '/q' }), 'claim-item-1 reads the queue /q'],
    [
      step('release-item', { name: 'x.md', to: 'queue' }),
      'release-item-1: returns x.md to the queue',
    ],
    [
      over('claim-item-1', { kind: 'claimed', name: 'x.md', text: 'secret' }),
      'claim-item-1 claimed: x.md',
    ],
    [
      over('send-message-1', { kind: 'undeliverable', why: 'it is gone' }),
      'send-message-1 undeliverable: it is gone',
    ],
    [
      over('attempt-1', {
        kind: 'failed',
        reason: 'keys_missing',
        message:
          'codex can reach no model: it has no login. Set it, or log in, and run the command again from that shell. Then run: supervisor resume f87e6e5d6f',
      }),
      'attempt-1 failed: codex can reach no model: it has no login.',
    ],
    [
      { type: 'run.ended', payload: { outcome: { kind: 'failed', reason: 'it broke' } } },
      'failed: it broke',
    ],
    [
      { type: 'run.ended', payload: { outcome: { kind: 'blocked', reason: 'setup\none\ntwo' } } },
      'blocked: setup\n          one\n          two',
    ],
    [
      { type: 'run.ended', payload: { outcome: { kind: 'unverified', reason: 'one\ntwo' } } },
      'unverified: one two',
    ],
    [
      { type: 'owner.started', payload: { pid: 7, version: '1.2.3' } },
      'an owner started (pid 7, version 1.2.3)',
    ],
    [{ type: 'owner.stopped', payload: { reason: 'idle' } }, 'the owner stopped: idle'],
    [
      { type: 'apply.begun', payload: { run: 'a', commit: 'b', branch: null, files: 2 } },
      'run a: applying 2 files to the project',
    ],
    [
      { type: 'apply.begun', payload: { run: 'a', commit: 'b', branch: 'try', files: 2 } },
      'run a: applying 2 files to the branch try',
    ],
    [
      { type: 'apply.ended', payload: { run: 'a', commit: 'b', how: 'applied 2 files' } },
      'run a: applied 2 files',
    ],
    [
      { type: 'notification.ended', payload: { run: 'a', seq: 3, how: 'not delivered: late' } },
      'run a: notification: not delivered: late',
    ],
  ];
  for (const [event, words] of cases) {
    test(words, () => {
      const stored = { ...event, id: 1, stream: 'run/a', seq: 1, v: 1, at: 61_540 };
      assert.equal(formatEvent(context, stored, 60_000), `    1.5s  ${words}\n`);
      assert.equal(
        formatEvent(context, stored, 'clock'),
        `${formatClockTime(61_540, context.clock.now())}  ${words}\n`,
      );
    });
  }
});

test('a message to an agent has one line, once the agent has read it', () => {
  const command = { key: 'message-2f8544af-1', command: 'deliver-message' };
  const ended = (result: object): StoredEvent => {
    const end = { kind: 'done', result: { ...result } };
    return stored({ type: 'command.ended', payload: { ...command, end } });
  };
  const input = { message: { id: '2f8544af' }, attempt: 'attempt-1' };
  const all = [
    stored({ type: 'command.begun', payload: { ...command, input } }),
    stored({ type: 'command.noted', payload: { ...command, note: { kind: 'sent' } } }),
    ended({ kind: 'seen', request: 2, times: 1 }),
  ];
  assert.deepEqual(all.filter((event) => !isQuietEvent(event)).map(eventText), [
    'the agent has read message 2f8544af',
  ]);
  assert.equal(
    eventText(ended({ kind: 'undelivered', why: 'the attempt ended first' })),
    'the agent has not read message 2f8544af: the attempt ended first',
  );
});

function stored(event: Parameters<typeof runEvent>[0]): StoredEvent {
  return { ...runEvent(event), id: 1, stream: 'run-0123456789', seq: 1, v: 1, at: 0 };
}

test('what happens around the run of a step is quiet, unless it fails', () => {
  const ended = (command: string, result: object): boolean => {
    const end = { kind: 'done', result: { ...result } };
    const event = runEvent({ type: 'command.ended', payload: { key: 'k', command, end } });
    return isQuietEvent({ ...event, id: 1, stream: 'run-0123456789', seq: 1, v: 1, at: 0 });
  };
  assert.equal(ended('prepare-step', { kind: 'prepared' }), true);
  assert.equal(ended('prepare-step', { kind: 'refused', why: 'the work is gone' }), false);
  assert.equal(ended('collect-step', { answer: null, failure: null }), true);
});
