import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunId } from './ids.ts';
import {
  childRunId,
  commandKey,
  newRunId,
  parseAgentId,
  parseCommandKey,
  parseRunId,
} from './ids.ts';
import { seededRandom } from './random.ts';

describe('which texts are ids', () => {
  const cases: [parse: (text: string) => string | undefined, good: string[], bad: string[]][] = [
    [
      parseRunId,
      ['0123456789', 'abcdef0000'],
      ['', '012345678', '01234567890', 'ABCDEF0000', 'g000000000', '0123456789\n', '../0123456'],
    ],
    [
      parseAgentId,
      ['a', 'claude', 'Claude-2.1:opus_x', 'a'.repeat(64)],
      ['', '1a', '-a', 'a b', 'a/b', 'a'.repeat(65), 'a\n'],
    ],
    [
      parseCommandKey,
      ['a', 'attempt-1', 's0/0-1', 'gate.lint', 'a'.repeat(128)],
      ['', '1', '-1', 'A', 'a b', 'a_b', '__proto__', 'a'.repeat(129), 'a\n'],
    ],
  ];
  for (const [parse, good, bad] of cases) {
    test(`case 46: ${parse.name} accepts valid ids and refuses others`, () => {
      assert.deepEqual(good.map(parse), good);
      assert.deepEqual(
        bad.map(parse),
        bad.map(() => undefined),
      );
    });
  }

  test('an invalid key that the program builds itself is a defect', () => {
    assert.equal(commandKey('attempt-1'), 'attempt-1');
    assert.throws(() => commandKey('Attempt 1'), TypeError);
  });
});

test('a new run id is valid, repeatable with a seed, and practically unique', () => {
  const random = seededRandom(1);
  const ids = Array.from({ length: 1000 }, () => newRunId(random));
  assert.deepEqual(ids.map(parseRunId), ids);
  assert.equal(new Set(ids).size, 1000);
  assert.equal(newRunId(seededRandom(1)), ids[0]);
  assert.deepEqual(
    [newRunId(() => 0), newRunId(() => 1 - Number.EPSILON)],
    ['0000000000', 'ffffffffff'],
  );
});

test('the id of a child is a run id that depends on its parent and its key alone', () => {
  const one = '0123456789' as RunId;
  const other = 'abcdef0000' as RunId;
  const ids = [
    childRunId(one, commandKey('step-1')),
    childRunId(one, commandKey('step-2')),
    childRunId(other, commandKey('step-1')),
  ];
  assert.equal(new Set(ids).size, 3);
  assert.deepEqual(ids.map(parseRunId), ids);
  assert.equal(childRunId(one, commandKey('step-1')), ids[0]);
});
