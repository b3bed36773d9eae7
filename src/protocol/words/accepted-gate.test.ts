import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedTrailers, addAccepted, describeAccepted, personName } from './accepted-gate.ts';

const accepted = [
  { gate: 'test', by: 'ada' },
  { gate: 'lint', by: 'bob' },
];

test('accepted gates are named with the person who accepted them', () => {
  assert.equal(
    describeAccepted(accepted),
    'gate test is red, accepted by ada; gate lint is red, accepted by bob',
  );
  assert.deepEqual(acceptedTrailers(accepted), [
    'Supervisor-Accepted: red gate test, by ada',
    'Supervisor-Accepted: red gate lint, by bob',
  ]);
});

test('a gate that is accepted again is listed once, with the last person', () =>
  assert.deepEqual(addAccepted(accepted, { gate: 'test', by: 'cyd' }), [
    { gate: 'lint', by: 'bob' },
    { gate: 'test', by: 'cyd' },
  ]));

test('a fact without a name is of a person', () =>
  assert.deepEqual(
    [personName(undefined), personName(null), personName('ada')],
    ['a person', 'a person', 'ada'],
  ));
