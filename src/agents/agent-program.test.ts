import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { readTurnNotes } from '../attempts/turn-notes.ts';
import { at } from '../base/clock.ts';
import type { Json } from '../base/json.ts';
import type { NewRunEvent } from '../protocol/event.ts';
import type { Signal } from '../protocol/signal.ts';
import { FAILURE_REASONS } from '../protocol/failure-reason.ts';
import type { LongLivedSettings } from '../protocol/long-lived-agent.ts';
import type { AgentHappening } from '../../test/support/agent-program-harness.ts';
import { AgentProgramHarness } from '../../test/support/agent-program-harness.ts';
import { failed } from '../../test/support/drive-attempts.ts';
import { AGENT_SETTINGS } from '../../test/support/drive-agent.ts';
import { agentProgram } from './agent-program.ts';
import type { AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';
import { runEvent } from '../../test/support/run-event.ts';

const RUNS = 400;

const word = fc.constantFrom('restart', 'dismiss', 'continue', 'stop', 'ignore', 'blue');

const signal: fc.Arbitrary<Signal> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('start-life'), life: fc.integer({ min: 1, max: 6 }) }),
  },
  fc.constantFrom<Signal>(
    { kind: 'retry-now' },
    { kind: 'next' },
    { kind: 'end-life', because: 'a sibling' },
    { kind: 'restarts-exhausted', because: 'too often' },
    { kind: 'message', from: 'bob', text: 'hello' },
    { kind: 'message', from: null, text: 'x'.repeat(60_000) },
    { kind: 'trigger', trigger: { kind: 'over-budget' } },
    { kind: 'trigger', trigger: { kind: 'spinning', call: 'ls' } },
    { kind: 'trigger', trigger: { kind: 'wrong-changeset', feedback: 'no' } },
    { kind: 'trigger', trigger: { kind: 'gang', failed: 3 } },
    { kind: 'trigger', trigger: { kind: 'asks-to-abort', reason: 'why' } },
    { kind: 'issue', issue: { kind: 'slow', what: 'is slow', choices: ['restart', 'ignore'] } },
  ),
);

const ending: fc.Arbitrary<Signal> = fc.constantFrom<Signal>(
  { kind: 'stop' },
  { kind: 'kill' },
  { kind: 'dismiss', because: 'enough' },
);

const outcome: fc.Arbitrary<AttemptOutcome> = fc.oneof(
  fc
    .constantFrom(
      'DONE',
      'so far',
      'NOTE: x\nDONE',
      '{"status":"waiting"}',
      '{"status":"abort","reason":"r"}',
    )
    .map((text): AttemptOutcome => ({
      ...{ kind: 'completed', summary: text, session: 's' },
      turnNotes: readTurnNotes(text),
    })),
  fc.constantFrom(...FAILURE_REASONS).map((reason) => failed(reason)),
  fc.constant<AttemptOutcome>({ kind: 'stopped' }),
);

const life: fc.Arbitrary<Partial<LongLivedSettings>> = fc.record({
  kind: fc.constantFrom('root', 'mortal', 'drone', 'monitor'),
  parent: fc.constantFrom(null, 'p'),
  commitments: fc.constantFrom(AGENT_SETTINGS.commitments, [
    { description: 'a', assertion: ['a'], by: 'parent', timeoutMs: 1 } as const,
    { description: 'b', assertion: ['b'], by: 'parent', timeoutMs: 1 } as const,
  ]),
  onDone: fc.constantFrom('dismiss', 'wait', 'next'),
  queue: fc.constantFrom(
    null,
    { dir: '/q', onEmpty: 'idle' } as const,
    { dir: '/q', onEmpty: 'hibernate' } as const,
    { dir: '/q', onEmpty: 'terminate' } as const,
  ),
  flags: fc.record({
    perseverance: fc.boolean(),
    userPresent: fc.boolean(),
  }),
});

const happening: fc.Arbitrary<AgentHappening> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('says' as const), signal }) },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant('ends' as const),
      nth: fc.nat(5),
      how: fc.constantFrom('done', 'done', 'done', 'done', 'interrupted', 'defect'),
      outcome,
      answer: word,
      other: fc.constantFrom<Record<string, Json>>(
        { kind: 'passed', name: 'a' },
        { kind: 'failed', name: 'a', exit: 1, tail: 'red' },
        { kind: 'claimed', name: 'x.md', text: 'do x' },
        { kind: 'empty' },
        { kind: 'refused', why: 'no' },
        { kind: 'cancelled' },
      ),
    }),
  },
);

describe('any life', () => {
  test('keeps its rules, whatever happens', () => {
    fc.assert(
      fc.property(life, fc.array(happening, { maxLength: 60 }), (settings, happenings) => {
        const harness = new AgentProgramHarness(settings);
        for (const one of happenings) {
          const wanted = harness.advance();
          if (harness.isOver()) return;
          const isParked = wanted.some(({ kind }) => kind === 'park');
          assert.ok(isParked || harness.ledger.open.length > 0, 'it is never stuck');
          harness.happen(one);
          harness.check();
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('ends on request, and starts no turn after that', () => {
    fc.assert(
      fc.property(
        life,
        fc.array(happening, { maxLength: 40 }),
        ending,
        fc.array(happening, { maxLength: 40 }),
        (settings, before, end, after) => {
          const harness = new AgentProgramHarness(settings);
          for (const one of before) {
            harness.advance();
            if (harness.isOver()) return;
            harness.happen(one);
          }
          harness.advance();
          if (harness.isOver()) return;
          const begun = harness.begun.length;
          harness.write({ type: 'signal.received', payload: { signal: end } });
          for (const one of after) {
            harness.advance();
            if (harness.isOver()) break;
            harness.happen(one);
          }
          for (let left = 0; left < 200 && !harness.isOver(); left += 1) {
            harness.advance();
            if (harness.isOver()) break;
            harness.happen({
              ...{ kind: 'ends', nth: 0, how: 'done', answer: 'blue', other: {} },
              outcome: { kind: 'stopped' },
            });
          }
          assert.ok(harness.isOver(), 'it ends');
          const since = harness.begun.slice(begun);
          const last = new Set(['finalize', 'release-item', 'send-message']);
          assert.deepEqual(
            since.filter((command) => !last.has(command)),
            [],
          );
        },
      ),
      { numRuns: RUNS },
    );
  });

  test('survives facts that make no sense', () => {
    const key = fc.constantFrom(
      'attempt-1',
      'gate-1',
      'ask-1',
      'send-message-1',
      'issue-1',
      'release-item-1',
      'x',
    );
    const command = fc.constantFrom(
      'attempt',
      'gate',
      'ask',
      'send-message',
      'release-item',
      'claim-item',
      'wait',
      'odd',
    );
    const nonsense: fc.Arbitrary<NewRunEvent> = fc.oneof(
      fc.oneof(signal, ending).map((one): NewRunEvent => ({
        ...{ type: 'signal.received', payload: { signal: one } },
      })),
      fc.tuple(key, command).map(([one, what]): NewRunEvent =>
        runEvent({
          type: 'command.begun',
          payload: {
            key: one,
            command: what,
            input: one === 'issue-1' ? { issue: 1 } : {},
            limits: [],
          },
        }),
      ),
      fc.tuple(key, fc.string()).map(([one, message]): NewRunEvent =>
        runEvent({
          type: 'command.ended',
          payload: { key: one, end: { kind: 'defect', message } },
        }),
      ),
      outcome.map((result): NewRunEvent =>
        runEvent({
          type: 'command.ended',
          payload: { key: 'attempt-1', end: { kind: 'done', result: { ...result } } },
        }),
      ),
      fc.tuple(key, fc.string()).map(([one, session]): NewRunEvent =>
        runEvent({
          type: 'command.noted',
          payload: { key: one, note: { kind: 'session', session } },
        }),
      ),
    );
    fc.assert(
      fc.property(life, fc.array(nonsense, { maxLength: 40 }), (settings, events) => {
        const harness = new AgentProgramHarness(settings);
        for (const event of events) {
          harness.write(event);
          agentProgram.next(harness.state, at(0), 0.5);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
