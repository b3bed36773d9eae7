import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { FeatureView } from '../../protocol/views/feature-view.ts';
import { stackOfFeature } from './stack-of-feature.ts';

type Phases = FeatureView['phases'];

/** By phase, the names of its components. */
function featureOf(phases: Readonly<Record<string, readonly string[]>>, landed: string) {
  return {
    ...{ feature: 'P1T1', branch: 'ai/P1T1-a' },
    phases: Object.entries(phases).map(([id, names]) => ({
      ...{ id, title: `phase ${id}`, state: 'complete' },
      components: names.map((name) => ({ id: name, title: `part ${name}` })),
    })) as unknown as Phases,
    landed: landed.split('').map((id, nth) => ({ id, commit: `c${nth + 1}`, at: nth })),
  };
}

describe('the branches of stacked pull requests', () => {
  test('end with the last commit of each phase, and lie on each other', () => {
    const stack = stackOfFeature(featureOf({ one: ['a', 'b'], two: ['c'] }, 'bac'));
    assert.deepEqual(stack, [
      {
        ...{ branch: 'ai/P1T1-a-ph1', tip: 'c2', base: null, title: 'P1T1 one: phase one' },
        components: ['part b', 'part a'],
      },
      {
        ...{ branch: 'ai/P1T1-a-ph2', tip: 'c3', base: 'ai/P1T1-a-ph1' },
        ...{ title: 'P1T1 two: phase two', components: ['part c'] },
      },
    ]);
  });

  test('leave out a phase of which nothing has landed', () => {
    const stack = stackOfFeature(featureOf({ one: ['a'], two: ['b'], three: ['c'] }, 'ac'));
    assert.deepEqual(
      stack.map(({ branch, base }) => [branch, base]),
      [
        ['ai/P1T1-a-ph1', null],
        ['ai/P1T1-a-ph3', 'ai/P1T1-a-ph1'],
      ],
    );
  });

  test('are refused if the phases have landed mixed', () => {
    assert.throws(
      () => stackOfFeature(featureOf({ one: ['a', 'b'], two: ['c'] }, 'acb')),
      (error) => isRefusal(error) && /lie between those of other phases/.test(error.message),
    );
  });

  test('are none if nothing has landed', () => {
    assert.deepEqual(stackOfFeature(featureOf({ one: ['a'] }, '')), []);
  });
});
