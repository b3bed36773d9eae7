import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FeatureComponentView, FeatureView } from '../../protocol/views/feature-view.ts';
import type { CliContext } from '../cli-context.ts';
import { formatFeatureRun, formatFeatureRuns, formatProgress } from './feature-run-text.ts';
import { formatMerges } from './merge-queue-text.ts';

const context = {
  terminal: { isTty: false, width: 80, colour: false },
} as unknown as CliContext;

const component = (
  name: string,
  more: Partial<FeatureComponentView> = {},
): FeatureComponentView => ({
  ...{ id: `P1T1-PH1-C${name === 'a' ? 1 : 2}`, name: `one.${name}`, title: name },
  ...{ state: 'pending', tries: 0, run: null, why: '', question: null, commit: null },
  result: null,
  project: null,
  ...{ declared: [], waitsFor: [], files: [], undeclared: [], unchanged: [] },
  ...more,
});

const view = (
  components: readonly FeatureComponentView[],
  more: Partial<FeatureView> = {},
): FeatureView => ({
  ...{ run: 'd86c57e7ac', feature: 'P1T1', title: 'A feature', branch: 'ai/x', capacity: 2 },
  state: 'in_progress',
  phases: [{ id: 'P1T1-PH1', title: 'one', state: 'in_progress', components: [...components] }],
  ...{ landed: [], queue: [], held: { all: false, components: [] }, conflicts: [], paused: false },
  projects: [],
  rest: null,
  outcome: null,
  ...more,
});

const LANDED = component('a', {
  ...{ state: 'complete', tries: 1, run: 'aaaaaaaaaa', commit: 'c0ffee00c0ffee00' },
  ...{ files: ['a', 'b'], undeclared: ['b'], unchanged: ['docs/'] },
});
const REOPENED = component('b', {
  ...{ state: 'implementing', tries: 2, run: 'bbbbbbbbbb', why: 'conflict in shared.txt' },
});

describe('the run of a feature on the screen', () => {
  test('has each component with its state, and files that were not declared', () =>
    assert.equal(
      formatFeatureRun(
        context,
        view([LANDED, REOPENED], {
          landed: [{ id: LANDED.id, commit: 'c0ffee', at: 0 }],
          rest: { soonestMs: 60_000, latestMs: 150_000, of: 1, waitsUntil: 3_600_000 },
        }),
      ),
      `P1T1  A feature
P1T1-PH1  one
  ✔  P1T1-PH1-C1  one.a  complete      commit c0ffee00c0
     ! changed files that it did not declare: b
     - declared and did not change: docs/
  ●  P1T1-PH1-C2  one.b  implementing  run bbbbbbbbbb, try 2, conflict in shared.txt
1 of 2 components on the branch ai/x
About 1m00s to 2m30s left, by the 1 component that landed so far
  with a wait for a quota window of its agents until 1970-01-01T01:00:00.000Z
`,
    ));

  test('prints only what has changed', () => {
    const before = view([component('a'), component('b')]);
    assert.equal(formatProgress(context, undefined, before), '');
    assert.equal(
      formatProgress(context, before, view([component('a'), REOPENED])),
      '● one.b: implementing (run bbbbbbbbbb, try 2, conflict in shared.txt)\n',
    );
    assert.equal(formatProgress(context, before, before), '');
  });

  test('shows the merge queue in its order', () => {
    const landed = [{ id: LANDED.id, commit: 'c0ffee00c0ffee00', at: 0 }];
    assert.equal(
      formatMerges(context, view([LANDED, REOPENED], { landed, queue: [REOPENED.id] })),
      'ai/x\n  1  landed   c0ffee00c0  one.a, 2 files\n  2  merging  one.b\n',
    );
    assert.match(formatMerges(context, view([])), /Nothing was merged yet/);
    const held = view([LANDED, REOPENED], {
      ...{ landed, held: { all: true, components: [REOPENED.id] } },
      conflicts: [{ components: [LANDED.id, REOPENED.id], file: 'list.txt' }],
    });
    assert.equal(
      formatMerges(context, held),
      `ai/x
  1  landed   c0ffee00c0  one.a, 2 files
     held     one.b
! one.a and one.b may be in conflict: both change list.txt
The queue is held. Release it with: supervisor merges release d86c57e7ac
`,
    );
  });

  test('lists features', () => {
    assert.match(formatFeatureRuns(context, []), /^No feature was started here/);
    assert.match(
      formatFeatureRuns(context, [view([LANDED, REOPENED])]),
      /^d86c57e7ac {2}P1T1 +in_progress {2}0\/2 +A feature$/m,
    );
  });
});
