import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { QueueSignal } from '../../plan/merge-holds.ts';
import type { FeatureView } from '../../protocol/views/feature-view.ts';
import { whyRefused } from './check-queue-signal.ts';

const STATES = { A: 'merging', B: 'complete', C: 'implementing', D: 'merging' } as const;
const VIEW = {
  phases: [
    {
      components: Object.entries(STATES).map(([id, state]) => ({ id, name: `one.${id}`, state })),
    },
  ],
  ...{ held: { all: false, components: ['D'] }, queue: ['A'] },
} as unknown as FeatureView;

describe('a signal to a merge queue', () => {
  type Row = readonly [QueueSignal['action'], string | null, refused: string | undefined];
  const rows: readonly Row[] = [
    ['hold', null, undefined],
    ['release', null, 'The merge queue is not held.'],
    ['skip', null, 'Only one component can be skipped, not the whole queue.'],
    ['hold', 'A', undefined],
    ['hold', 'C', undefined],
    ['hold', 'D', 'one.D is held already.'],
    ['hold', 'B', 'one.B is complete, so it is not merged any more.'],
    ['release', 'A', 'one.A is not held.'],
    ['release', 'D', undefined],
    ['skip', 'A', undefined],
    ['skip', 'D', undefined],
    ['skip', 'C', 'one.C is implementing, and not in the merge queue.'],
    ['skip', 'X', 'The feature has no component X.'],
  ];
  for (const [action, component, refused] of rows)
    test(`${action} ${component ?? 'all'}: ${refused ?? 'is accepted'}`, () =>
      assert.equal(whyRefused(VIEW, { kind: 'merge-queue', action, component }), refused));
  test('is refused if the queue is held already', () =>
    assert.equal(
      whyRefused(
        { ...VIEW, held: { all: true, components: [] } },
        { kind: 'merge-queue', action: 'hold', component: null },
      ),
      'The merge queue is held already.',
    ));
});
