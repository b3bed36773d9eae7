import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { AttemptOutcome } from '../attempts/attempt.ts';
import { saidIn } from '../attempts/said.ts';
import { at } from '../base/clock.ts';
import type { Json } from '../base/json.ts';
import type { Ledger } from '../engine/ledger.ts';
import { EMPTY_LEDGER, foldLedger, freshMoves } from '../engine/ledger.ts';
import type { Move } from '../engine/program.ts';
import type { NewEvent, Signal, StoredEvent } from '../protocol/event.ts';
import { EVENT_VERSION } from '../protocol/event.ts';
import { FAILURE_REASONS } from '../protocol/failure.ts';
import type { AgentState, LifeSettings } from '../protocol/life.ts';
import { AGENT_STATES } from '../protocol/life.ts';
import { failed } from '../testing/play-attempts.ts';
import { LIFE, lifeSubmission } from '../testing/play-life.ts';
import { lifeProgram } from './life-program.ts';
import type { LifeState } from './life-state.ts';
import { isAlive, mainStep } from './life-state.ts';
import { canEnter } from './states.ts';

const RUNS = 400;

const word = fc.constantFrom('restart', 'dismiss', 'continue', 'stop', 'ignore', 'blue');

const signal: fc.Arbitrary<Signal> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('live'), life: fc.integer({ min: 1, max: 6 }) }),
  },
  fc.constantFrom<Signal>(
    { kind: 'retry-now' },
    { kind: 'next' },
    { kind: 'halt', because: 'a sibling' },
    { kind: 'spent', because: 'too often' },
    { kind: 'message', from: 'bob', text: 'hello' },
    { kind: 'message', from: null, text: 'x'.repeat(60_000) },
    { kind: 'trigger', trigger: { kind: 'over-budget' } },
    { kind: 'trigger', trigger: { kind: 'spinning', call: 'ls' } },
    { kind: 'trigger', trigger: { kind: 'wrong-changeset', feedback: 'no' } },
    { kind: 'trigger', trigger: { kind: 'gang', failed: 3 } },
    { kind: 'trigger', trigger: { kind: 'asks-to-abort', reason: 'why' } },
    { kind: 'matter', matter: { kind: 'slow', what: 'is slow', choices: ['restart', 'ignore'] } },
  ),
) as fc.Arbitrary<Signal>;

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
      said: saidIn(text),
    })),
  fc.constantFrom(...FAILURE_REASONS).map((reason) => failed(reason)),
  fc.constant<AttemptOutcome>({ kind: 'stopped' }),
);

const life: fc.Arbitrary<Partial<LifeSettings>> = fc.record({
  kind: fc.constantFrom('root', 'mortal', 'drone', 'monitor'),
  parent: fc.constantFrom(null, 'p'),
  commitments: fc.constantFrom(LIFE.commitments, [
    { description: 'a', assertion: ['a'], by: 'itself', timeoutMs: 1 } as const,
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
    background: fc.boolean(),
    perseverance: fc.boolean(),
    userPresent: fc.boolean(),
  }),
});

/** What happens next: somebody says something, or something that goes on comes to an end. */
type Happening =
  | { readonly kind: 'says'; readonly signal: Signal }
  | {
      readonly kind: 'ends';
      readonly nth: number;
      readonly how: 'done' | 'lost' | 'defect';
      readonly outcome: AttemptOutcome;
      readonly answer: string;
      readonly other: Record<string, Json>;
    };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('says' as const), signal }) },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant('ends' as const),
      nth: fc.nat(5),
      how: fc.constantFrom('done', 'done', 'done', 'done', 'lost', 'defect'),
      outcome,
      answer: word,
      other: fc.constantFrom<Record<string, Json>>(
        { kind: 'passed', name: 'a' },
        { kind: 'failed', name: 'a', exit: 1, tail: 'red' },
        { kind: 'taken', name: 'x.md', text: 'do x' },
        { kind: 'empty' },
        { kind: 'refused', why: 'no' },
        { kind: 'called-off' },
      ),
    }),
  },
);

/** One fact may be a whole way: who says that it is done and has promised nothing is verified at once. */
const ON_THE_WAY: readonly AgentState[] = ['working', 'verifying', 'done'];

function isReached(from: AgentState, to: AgentState, steps = 3): boolean {
  if (canEnter(from, to)) return true;
  if (steps === 1) return false;
  return ON_THE_WAY.some((by) => canEnter(from, by) && isReached(by, to, steps - 1));
}

/** The engine in small: it writes what follows, and begins a key once. */
class Stage {
  state: LifeState & { readonly [key: string]: Json };
  ledger: Ledger = EMPTY_LEDGER;
  readonly begun: string[] = [];
  livesSaid = 0;
  #seq = 1;

  constructor(settings: Partial<LifeSettings>) {
    this.state = lifeProgram.start(lifeSubmission(settings));
  }

  write(event: NewEvent): void {
    const place = { id: this.#seq, stream: 'run/a', seq: (this.#seq += 1), v: EVENT_VERSION };
    const stored: StoredEvent = { ...place, at: this.#seq * 1000, ...event };
    const before = this.state;
    this.state = lifeProgram.fold(before, stored);
    this.ledger = foldLedger(this.ledger, stored);
    const [from, to] = [before.state, this.state.state];
    assert.ok(
      from === to || isReached(from, to),
      `${from} became ${to} by ${JSON.stringify(event)}`,
    );
    assert.deepEqual(JSON.parse(JSON.stringify(this.state)) as Json, this.state);
  }

  /** Until there is nothing new to do. */
  advance(): readonly Move[] {
    for (let decisions = 0; decisions < 100; decisions += 1) {
      const wanted = lifeProgram.next(this.state, at(this.#seq * 1000), 0.5);
      const fresh = freshMoves(this.ledger, wanted);
      if (fresh.length === 0) return wanted;
      for (const move of fresh) this.#follow(move);
      if (this.ledger.ended) return [];
      this.check();
    }
    throw new Error('it decides without end');
  }

  happen(one: Happening): void {
    if (one.kind === 'says') {
      const isNext = one.signal.kind === 'live' && one.signal.life === this.state.lives + 1;
      if (isNext && !isAlive(this.state) && this.state.closing === null) this.livesSaid += 1;
      return this.write({ type: 'signal.received', payload: { signal: one.signal } });
    }
    const step = this.ledger.open[one.nth % Math.max(1, this.ledger.open.length)];
    if (step === undefined) return;
    const isOurs = step.command === 'ask' || step.command === 'wait';
    if (one.how !== 'done' && !isOurs)
      return this.#end(
        step.key,
        one.how === 'lost' ? { kind: 'lost' } : { kind: 'defect', message: 'm' },
      );
    const results: Record<string, object> = {
      attempt: one.outcome,
      ask: { answer: one.answer },
      wait: {},
    };
    this.#end(step.key, { kind: 'done', result: { ...(results[step.command] ?? one.other) } });
  }

  check(): void {
    const { state } = this;
    assert.ok(AGENT_STATES.includes(state.state));
    assert.equal(state.lives, this.livesSaid, 'no life begins unless it was said');
    const turns = this.ledger.open.filter(({ command }) => command === 'attempt');
    assert.ok(turns.length <= 1, 'one turn at a time');
    const main = state.open.filter((one) => mainStep({ open: [one] }) !== undefined);
    assert.ok(main.length <= 1, 'one thing at a time');
    assert.equal(state.open.length, this.ledger.open.length);
    assert.ok(state.leaving === null || main.length === 1, 'what nobody holds has been left');
    assert.ok(state.inbox.length <= 100 && state.outbox.length <= 100);
    assert.ok(state.matters.length <= 20);
  }

  #follow(move: Move): void {
    switch (move.kind) {
      case 'perform':
      case 'wait':
      case 'ask': {
        const command = move.kind === 'perform' ? move.command : move.kind;
        const isBirth = command === 'attempt' || command === 'setup';
        assert.ok(!isBirth || isAlive(this.state), 'nothing begins without a life');
        this.begun.push(command);
        const input = move.kind === 'perform' ? move.input : {};
        return this.write({
          type: 'command.begun',
          payload: { key: move.key, command, input, limits: [] },
        });
      }
      case 'cancel': {
        this.write({ type: 'command.cancelled', payload: { key: move.key, how: move.how } });
        const step = this.ledger.open.find(({ key }) => key === move.key);
        if (step?.command === 'ask' || step?.command === 'wait')
          this.#end(move.key, { kind: 'done', result: { cancelled: true } });
        return;
      }
      case 'finish':
        assert.equal(this.ledger.open.length, 0, 'it ends with nothing open');
        return this.write({ type: 'run.ended', payload: { outcome: move.outcome } });
      case 'stand':
    }
  }

  #end(key: string, end: Extract<NewEvent, { type: 'command.ended' }>['payload']['end']): void {
    this.write({ type: 'command.ended', payload: { key, end } });
  }
}

describe('any life', () => {
  test('keeps its rules, whatever happens', () => {
    fc.assert(
      fc.property(life, fc.array(happening, { maxLength: 60 }), (settings, happenings) => {
        const stage = new Stage(settings);
        for (const one of happenings) {
          const wanted = stage.advance();
          if (stage.ledger.ended) return;
          const stands = wanted.some(({ kind }) => kind === 'stand');
          assert.ok(stands || stage.ledger.open.length > 0, 'it is never stuck');
          stage.happen(one);
          stage.check();
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('comes to its end when it is told to, and begins no turn after that', () => {
    fc.assert(
      fc.property(
        life,
        fc.array(happening, { maxLength: 40 }),
        ending,
        fc.array(happening, { maxLength: 40 }),
        (settings, before, end, after) => {
          const stage = new Stage(settings);
          for (const one of before) {
            stage.advance();
            if (stage.ledger.ended) return;
            stage.happen(one);
          }
          stage.advance();
          if (stage.ledger.ended) return;
          const begun = stage.begun.length;
          stage.write({ type: 'signal.received', payload: { signal: end } });
          for (const one of after) {
            stage.advance();
            if (stage.ledger.ended) break;
            stage.happen(one);
          }
          for (let left = 0; left < 200 && !stage.ledger.ended; left += 1) {
            stage.advance();
            if (stage.ledger.ended) break;
            stage.happen({
              ...{ kind: 'ends', nth: 0, how: 'done', answer: 'blue', other: {} },
              outcome: { kind: 'stopped' },
            });
          }
          assert.ok(stage.ledger.ended, 'it ends');
          const since = stage.begun.slice(begun);
          const last = new Set(['finalize', 'put', 'tell']);
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
    const key = fc.constantFrom('attempt-1', 'gate-1', 'ask-1', 'tell-1', 'matter-1', 'put-1', 'x');
    const command = fc.constantFrom('attempt', 'gate', 'ask', 'tell', 'put', 'take', 'wait', 'odd');
    const nonsense: fc.Arbitrary<NewEvent> = fc.oneof(
      fc.oneof(signal, ending).map((one): NewEvent => ({
        ...{ type: 'signal.received', payload: { signal: one } },
      })),
      fc.tuple(key, command).map(([one, what]): NewEvent => ({
        type: 'command.begun',
        payload: { key: one, command: what, input: {}, limits: [] },
      })),
      fc.tuple(key, fc.jsonValue()).map(([one, result]): NewEvent => ({
        type: 'command.ended',
        payload: { key: one, end: { kind: 'done', result: { kind: 'completed', result } } },
      })),
      fc.tuple(key, outcome).map(([one, result]): NewEvent => ({
        type: 'command.ended',
        payload: { key: one, end: { kind: 'done', result: { ...result } } },
      })),
      fc.tuple(key, fc.jsonValue()).map(([one, session]): NewEvent => ({
        type: 'command.noted',
        payload: { key: one, note: { kind: 'session', session } as Record<string, unknown> },
      })),
    );
    fc.assert(
      fc.property(life, fc.array(nonsense, { maxLength: 40 }), (settings, events) => {
        const stage = new Stage(settings);
        for (const event of events) {
          stage.write(event);
          lifeProgram.next(stage.state, at(0), 0.5);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
