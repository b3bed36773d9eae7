import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AnswerKind } from '../protocol/answer.ts';
import { attachAnswer } from './attach-answer.ts';
import type { AttemptOutcome } from '../protocol/attempt-contract.ts';

const generic = {
  status: 'SUCCESS',
  action_taken: 'mended it',
  files_modified: ['a.ts'],
  review_status: null,
  blockers: null,
  next_step: null,
};
const plan = {
  status: 'COMPLETE',
  phases: [],
  dependencies: [],
  estimated_components: 0,
  risks: [],
};
const built = {
  status: 'FAILED',
  files_created: [],
  files_modified: [],
  tests_written: [],
  blockers: ['no compiler'],
};
const review = {
  status: 'REJECTED',
  issues: [{ severity: 'high', description: 'wrong' }],
  suggestions: [],
  security_concerns: [],
};

function outcomeOf(final: string, as: AnswerKind): Record<string, unknown> {
  const outcome: AttemptOutcome = attachAnswer(
    { kind: 'completed', summary: 'words', session: 's1' },
    final,
    as,
  );
  assert.ok(outcome.kind !== 'stopped');
  assert.equal(outcome.session, 's1');
  const { session: _, ...rest } = outcome;
  if (rest.kind !== 'failed') return rest;
  const { failure, ...told } = rest;
  assert.equal(failure?.reason, rest.reason);
  return told;
}

describe('an attempt whose role asks for an answer', () => {
  const cases: [why: string, as: AnswerKind, given: object, expected: object][] = [
    [
      'its answer is taken down',
      'generic',
      generic,
      { kind: 'completed', summary: 'SUCCESS: mended it' },
    ],
    [
      'a plan is counted',
      'plan',
      plan,
      { kind: 'completed', summary: 'COMPLETE: 0 phases, 0 components' },
    ],
    [
      'a review that rejects is a review',
      'review',
      review,
      { kind: 'completed', summary: 'REJECTED: 1 issue' },
    ],
    [
      'one that is blocked needs a person',
      'generic',
      { ...generic, status: 'BLOCKED', blockers: ['no key', 'no time'] },
      { kind: 'failed', reason: 'blocked', message: 'it answers BLOCKED: no key; no time' },
    ],
    [
      'one that has failed says so itself',
      'implementation',
      built,
      { kind: 'failed', reason: 'unknown', message: 'it answers FAILED: no compiler' },
    ],
  ];
  for (const [why, as, answer, expected] of cases)
    test(why, () => {
      const final = `Words.\n\`\`\`json\n${JSON.stringify(answer)}\n\`\`\``;
      assert.deepEqual(outcomeOf(final, as), { ...expected, answer });
    });

  test('has failed when the answer does not fit, in words to be given back', () => {
    const final = JSON.stringify({ ...generic, status: 'GREAT' });
    assert.deepEqual(outcomeOf(final, 'generic'), {
      kind: 'failed',
      reason: 'invalid_output',
      message: [
        'Your answer could not be used as a result of the kind "generic":',
        '- status: expected one of SUCCESS, NEEDS_REVISION, BLOCKED',
        'Answer again. End with one block that begins with ```json and holds JSON that fits the schema, and nothing after it.',
      ].join('\n'),
    });
  });

  test('is not told more than a message may hold', () => {
    const keys = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`.repeat(100), 1]));
    const { message } = outcomeOf(JSON.stringify({ ...generic, ...keys }), 'generic');
    assert.equal(String(message).length, 2000);
  });
});

test('JSON of another form is a fault of validation, anything else one of parsing', () => {
  const categoryOf = (final: string): string | undefined => {
    const outcome = attachAnswer({ kind: 'completed', summary: '' }, final, 'generic');
    return outcome.kind === 'failed' ? outcome.failure?.category : undefined;
  };
  assert.equal(categoryOf(JSON.stringify({ ...generic, more: 1 })), 'validation');
  assert.equal(categoryOf('```json\n{"status": 1}\n```'), 'validation');
  assert.equal(categoryOf('```json\n{"status": \n```'), 'parsing');
  assert.equal(categoryOf('it is done'), 'parsing');
});
