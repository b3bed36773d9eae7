/** Random histories for property tests: calls that callers of a journal make, right or wrong. */
import * as fc from 'fast-check';
import type { NewEvent } from '../../src/protocol/event.ts';
import { OWNER_STREAM, runStream } from '../../src/protocol/streams.ts';

type DraftAppend = {
  readonly stream: string;
  /** How far the caller's expected seq is off; 0 is right. */
  readonly off: number;
  readonly events: readonly NewEvent[];
};

export type JournalCall =
  | (DraftAppend & { readonly kind: 'append'; readonly at: number })
  | { readonly kind: 'append-all'; readonly appends: readonly DraftAppend[]; readonly at: number }
  | { readonly kind: 'snapshot'; readonly stream: string; readonly seq: number }
  | { readonly kind: 'rebuild' }
  | { readonly kind: 'reopen' };

const text = fc.string({ unit: 'binary', maxLength: 12 });
const key = fc.constantFrom('one', 'two', 'three');
const json = fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });

const SHOWN_INPUT = { question: '?', reason: 'cooldown', why: 'a limit', until: 1000 };

/** A journal reads no payload: any JSON will do. */
const draft = fc.oneof(
  fc
    .record({ program: text, task: text, project: fc.constantFrom('/a', '/b'), settings: json })
    .map((payload) => ({ type: 'run.submitted' as const, payload })),
  fc
    .record({
      key,
      command: fc.constantFrom('work', 'wait', 'ask'),
      input: json,
      limits: fc.array(text, { maxLength: 2 }),
    })
    // A view shows these fields of a question and of a wait, so every input has them.
    .map((payload) => ({
      type: 'command.begun' as const,
      payload: { ...payload, input: { ...SHOWN_INPUT, ...payload.input } },
    })),
  fc
    .record({ key, command: text, note: json })
    .map((payload) => ({ type: 'command.noted' as const, payload })),
  fc
    .record({ key, how: fc.constantFrom('ask' as const, 'kill' as const) })
    .map((payload) => ({ type: 'command.cancelled' as const, payload })),
  fc
    .record({
      key,
      command: text,
      end: fc.oneof(
        fc.record({ kind: fc.constant('done' as const), result: json }),
        fc.constant({ kind: 'interrupted' as const }),
        fc.record({ kind: fc.constant('defect' as const), message: text }),
      ),
    })
    .map((payload) => ({ type: 'command.ended' as const, payload })),
  fc
    .constantFrom('stop' as const, 'kill' as const, 'retry-now' as const)
    .map((kind) => ({ type: 'signal.received' as const, payload: { signal: { kind } } })),
  fc.constantFrom('succeeded' as const, 'failed' as const).map((kind) => ({
    type: 'run.ended' as const,
    payload: { outcome: { kind, reason: 'because' } },
  })),
);

/** Only values that survive JSON: no `-0`, no object without a prototype. */
const event = draft.map((value) => JSON.parse(JSON.stringify(value)) as NewEvent);

const stream = fc.constantFrom(runStream('a'), runStream('b'), runStream('c'), OWNER_STREAM);

const draftAppend = {
  stream,
  off: fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.constantFrom(-1, 1) },
  ),
  events: fc.array(event, { maxLength: 4 }),
};
const time = fc.double({ min: 0, max: 1e13, noNaN: true });

/** Calls in rounds: the calls of one round are made without waiting for one another. */
export const history: fc.Arbitrary<readonly (readonly JournalCall[])[]> = fc.array(
  fc.array(
    fc.oneof(
      {
        weight: 12,
        arbitrary: fc.record({ kind: fc.constant('append' as const), ...draftAppend, at: time }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('append-all' as const),
          appends: fc.uniqueArray(fc.record(draftAppend), {
            ...{ minLength: 1, maxLength: 3 },
            selector: (one) => one.stream,
          }),
          at: time,
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('snapshot' as const), stream, seq: fc.nat(20) }),
      },
      { weight: 1, arbitrary: fc.constant({ kind: 'rebuild' as const }) },
      { weight: 1, arbitrary: fc.constant({ kind: 'reopen' as const }) },
    ),
    { minLength: 1, maxLength: 5 },
  ),
  { maxLength: 12 },
);
