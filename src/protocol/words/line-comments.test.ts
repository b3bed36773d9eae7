import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LineComment } from './line-comments.ts';
import { feedbackText, withComment } from './line-comments.ts';

const one: LineComment = { file: 'b.ts', line: 7, text: 'name it sum' };
const two: LineComment = { file: 'a.ts', line: 3, text: ' why? ' };

describe('comments on lines', () => {
  test('go back in the form that the command line uses, in the order of the files', () => {
    const all = [one, two].reduce(withComment, [] as readonly LineComment[]);
    assert.equal(
      feedbackText(all, ' And test it. '),
      'a.ts:3: why?\nb.ts:7: name it sum\nAnd test it.',
    );
  });
  test('replace an earlier one on the same line, and go away without text', () => {
    const changed = withComment([one], { ...one, text: 'name it total' });
    assert.deepEqual(changed, [{ ...one, text: 'name it total' }]);
    assert.deepEqual(withComment(changed, { ...one, text: ' ' }), []);
  });
});
