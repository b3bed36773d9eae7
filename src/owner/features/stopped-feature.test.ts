import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeatureView } from '../../protocol/views/feature-view.ts';
import { COMPONENT_STATE_NAMES } from '../../protocol/views/feature-view.ts';
import { withStopped } from './stopped-feature.ts';

test('a component of a feature that has ended is stopped, unless it ended or never began', () => {
  const view = {
    state: 'in_progress',
    phases: [
      { id: 'one', title: 'One', state: 'complete', components: [] },
      {
        ...{ id: 'two', title: 'Two', state: 'in_progress' },
        components: COMPONENT_STATE_NAMES.map((state) => ({ id: state, state })),
      },
    ],
  } as unknown as FeatureView;
  const { state, phases } = withStopped(view);
  assert.deepEqual(
    [state, ...phases.map((phase) => phase.state)],
    ['stopped', 'complete', 'stopped'],
  );
  assert.deepEqual(
    phases[1]?.components.map((one) => [one.id, one.state]),
    [
      ['pending', 'pending'],
      ['implementing', 'stopped'],
      ['testing', 'stopped'],
      ['review', 'stopped'],
      ['merging', 'stopped'],
      ['complete', 'complete'],
      ['failed', 'failed'],
    ],
  );
});
