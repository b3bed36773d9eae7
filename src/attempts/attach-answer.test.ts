import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AnswerKind } from '../protocol/answer.ts';
import { attachAnswer } from './attach-answer.ts';
import type { AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';

const generic = {
  status: 'SUCCESS',
  action_taken: 'fixed it',
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
  const { failure, ...unclassified } = rest;
  assert.equal(failure?.reason, rest.reason);
  return unclassified;
}

describe('an attempt whose role asks for an answer', () => {
  const cases: [why: string, as: AnswerKind, given: object, expected: object][] = [
    [
      'the answer is stored',
      'generic',
      generic,
      { kind: 'completed', summary: 'SUCCESS: fixed it' },
    ],
    [
      'the summary of a plan counts its phases and components',
      'plan',
      plan,
      { kind: 'completed', summary: 'COMPLETE: 0 phases, 0 components' },
    ],
    [
      'a review that rejects the work is a completed attempt',
      'review',
      review,
      { kind: 'completed', summary: 'REJECTED: 1 issue' },
    ],
    [
      'an answer with the status BLOCKED blocks the attempt',
      'generic',
      { ...generic, status: 'BLOCKED', blockers: ['no key', 'no time'] },
      { kind: 'failed', reason: 'blocked', message: 'the agent answers BLOCKED: no key; no time' },
    ],
    [
      'an answer with the status FAILED fails the attempt',
      'implementation',
      built,
      { kind: 'failed', reason: 'unknown', message: 'the agent answers FAILED: no compiler' },
    ],
  ];
  for (const [why, as, answer, expected] of cases)
    test(why, () => {
      const final = `Words.\n\`\`\`json\n${JSON.stringify(answer)}\n\`\`\``;
      assert.deepEqual(outcomeOf(final, as), { ...expected, answer });
    });

  test('fails if the answer does not fit the schema, with a message that a prompt can quote', () => {
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

  test('has a failure message of bounded length', () => {
    const keys = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`.repeat(100), 1]));
    const { message } = outcomeOf(JSON.stringify({ ...generic, ...keys }), 'generic');
    assert.equal(String(message).length, 2000);
  });
});

test('JSON of another form is a validation failure, and anything else is a parsing failure', () => {
  const categoryOf = (final: string): string | undefined => {
    const outcome = attachAnswer({ kind: 'completed', summary: '' }, final, 'generic');
    return outcome.kind === 'failed' ? outcome.failure?.category : undefined;
  };
  assert.equal(categoryOf(JSON.stringify({ ...generic, more: 1 })), 'validation');
  assert.equal(categoryOf('```json\n{"status": 1}\n```'), 'validation');
  assert.equal(categoryOf('```json\n{"status": \n```'), 'parsing');
  assert.equal(categoryOf('it is done'), 'parsing');
});
