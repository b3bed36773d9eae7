/** Features as scripts read them: phases, components, and what can run side by side. */
import { z } from 'zod';
import type { FeatureView } from '../protocol/views/feature-view.ts';
import {
  NODE_RESULTS,
  ROLLED_UP_NAMES,
  SHOWN_STATE_NAMES,
} from '../protocol/views/feature-view.ts';
import { documentSchema, field, runId, time, toIso } from './document.ts';
import type { ErrorFields } from './error-document.ts';
import { commandError } from './error-document.ts';

const componentId = field(z.string(), 'Such as P1T5-PH1-C1.');

const FeatureComponent = z.strictObject({
  id: componentId,
  name: field(z.string(), 'The phase and the name, such as backend.model.'),
  title: z.string(),
  task: z.string(),
  node: field(
    z.enum(['gate', 'human', 'branch', 'round', 'merge']).nullable(),
    'What it does in a graph without agents. Null: agents build it, or it has interfaces.',
  ),
  only_if: field(
    z.array(z.strictObject({ node: componentId, is: z.enum(['yes', 'no']) })),
    'Branches that have to say so, or else it is skipped.',
  ),
  role: field(z.string().nullable(), 'Null: the role of the workflow.'),
  project: field(z.string().nullable(), 'Its project. Null: the feature is about one.'),
  files: field(z.array(z.string()), 'What it owns.'),
  touches: field(z.array(z.string()), 'All that it may change: its files, and more.'),
  locks: field(z.array(z.string()), 'Interface files that Supervisor writes and locks itself.'),
  uses: field(z.array(z.string()), 'Interface files that it builds on.'),
  depends_on: field(z.array(componentId), 'What its file names.'),
  waits_for: field(z.array(componentId), 'The same, and what the order of the phases adds.'),
});

export const FeatureDocument = documentSchema(
  'feature',
  'A feature, and which of its components can run side by side.',
  {
    id: field(z.string(), 'Such as P1T5.'),
    title: z.string(),
    description: z.string(),
    workflow: field(z.string().nullable(), 'Null: that of the project.'),
    projects: field(
      z.array(
        z.strictObject({
          name: z.string(),
          path: field(z.string(), 'As the file has it.'),
          depends_on: field(z.array(z.string()), 'Projects whose components come first.'),
        }),
      ),
      'The projects that it spans. Empty: it is about one.',
    ),
    phases: z.array(
      z.strictObject({
        id: field(z.string(), 'Such as P1T5-PH1.'),
        name: z.string(),
        title: z.string(),
        gate: z.enum(['all-complete', 'interfaces-locked']),
        components: z.array(FeatureComponent),
      }),
    ),
    capacity: field(z.int(), 'How many components may be at work at the same time.'),
    batches: field(z.array(z.array(componentId)), 'What would run side by side, in order.'),
    expected_speedup: field(
      z.number(),
      'How many times as fast as one after the other, if all components took the same time.',
    ),
    overlaps: field(
      z.array(
        z.strictObject({
          components: z.array(componentId),
          patterns: field(z.array(z.string()), 'One of each component.'),
        }),
      ),
      'Pairs that never run at the same time, because both may change the same files.',
    ),
  },
);

export const DependenciesDocument = documentSchema(
  'dependencies',
  'Dependencies between the components of a feature, by the imports of their files.',
  {
    feature: field(z.string(), 'Such as P1T5.'),
    file: z.string(),
    files_read: z.int(),
    dependencies: z.array(
      z.strictObject({
        component: componentId,
        depends_on: componentId,
        state: field(
          z.enum(['suggested', 'added', 'external', 'known', 'cycle']),
          'known: the feature has it. cycle: the other one waits for this one.',
        ),
        imports: z.array(z.strictObject({ from: z.string(), to: z.string() })),
      }),
    ),
  },
);

export const FeaturesCheckDocument = documentSchema(
  'features-check',
  'Whether feature files are valid.',
  {
    files: field(z.array(z.string()), 'The files that were checked.'),
    problems: field(z.array(z.string()), 'With file and line.'),
    error: commandError,
  },
);

const rolledUp = field(
  z.enum(ROLLED_UP_NAMES),
  'complete: all of it is. failed: a part of it has failed. stopped: the run ended before.',
);

export const FeatureRunDocument = documentSchema('feature-run', 'How far a feature is.', {
  run_id: runId,
  feature: field(z.string(), 'Such as P1T5.'),
  title: z.string(),
  branch: field(z.string(), 'The integration branch. Each component is one commit on it.'),
  projects: field(
    z.array(
      z.strictObject({
        name: z.string(),
        path: z.string(),
        merge_queue: field(z.array(componentId), 'The first one is being merged.'),
      }),
    ),
    'The projects that it spans, each with such a branch. Empty: it is about one.',
  ),
  capacity: z.int(),
  state: rolledUp,
  phases: z.array(
    z.strictObject({
      id: z.string(),
      title: z.string(),
      state: rolledUp,
      components: z.array(
        z.strictObject({
          id: componentId,
          name: z.string(),
          title: z.string(),
          project: field(z.string().nullable(), 'Its project. Null: the feature is about one.'),
          state: field(
            z.enum(SHOWN_STATE_NAMES),
            'testing: the gates judge its merged work. review: a person decides what follows. stopped: the run ended before.',
          ),
          tries: field(z.int(), 'How many runs were started for it.'),
          run_id: field(runId.nullable(), 'The last of them.'),
          reason: field(z.string(), 'Why it waits, was reopened or has failed.'),
          result: field(
            z.enum(NODE_RESULTS).nullable(),
            'How its node of a graph ended, or skipped. Null: agents build it, or it has not ended.',
          ),
          question: field(z.string().nullable(), 'The key of the open question about it.'),
          commit: field(z.string().nullable(), 'On the integration branch.'),
          waits_for: field(z.array(componentId), 'What must be complete before it starts.'),
          declared: field(z.array(z.string()), 'Paths and patterns that it may change.'),
          files: field(z.array(z.string()), 'What it has changed so far.'),
          unchanged: field(z.array(z.string()), 'What it declared and did not change.'),
          undeclared_files: field(z.array(z.string()), 'What it changed and did not declare.'),
        }),
      ),
    }),
  ),
  merges: field(
    z.array(z.strictObject({ id: componentId, commit: z.string(), landed_at: time })),
    'The components on the branch of their project, in the order in which they landed.',
  ),
  merge_queue: field(
    z.array(componentId),
    'The first one is being merged. If it spans projects: those of all queues.',
  ),
  held: field(
    z.strictObject({
      all: field(z.boolean(), 'The whole queue stands still.'),
      components: field(z.array(componentId), 'Their work is held back, and others pass it.'),
    }),
    'What a person holds back.',
  ),
  conflicts: field(
    z.array(z.strictObject({ components: z.array(componentId), file: z.string() })),
    'Components at work that change the same file, so their work may not fit together.',
  ),
  rest: field(
    z
      .strictObject({
        soonest_ms: z.number(),
        latest_ms: z.number(),
        waits_until: field(
          time.nullable(),
          'The last reset of a quota window that it has to wait for. Null: none.',
        ),
      })
      .nullable(),
    'How long the rest may take, by the components that have landed. Null: it is not known.',
  ),
  paused: z.boolean(),
  outcome: field(z.string().nullable(), 'How the run ended. Null: it has not.'),
  reason: z.string().nullable(),
  error: commandError,
});

export const FeatureRunsDocument = documentSchema('feature-runs', 'The runs of features.', {
  features: z.array(
    z.strictObject({
      run_id: runId,
      feature: z.string(),
      title: z.string(),
      state: rolledUp,
      outcome: field(z.string().nullable(), 'How the run ended. Null: it has not.'),
      components: z.int(),
      landed: z.int(),
      branch: z.string(),
    }),
  ),
});

export function featureRunDocument(
  view: FeatureView,
  error: ErrorFields | null,
): z.infer<typeof FeatureRunDocument> {
  const { run, feature, title, branch, capacity, state, phases, landed, queue, outcome } = view;
  const { held, conflicts, rest, paused } = view;
  return {
    schema: 'supervisor.feature-run/1',
    ...{ run_id: run, feature, title, branch, capacity, state },
    projects: view.projects.map(({ queue: own, ...one }) => ({ ...one, merge_queue: own })),
    phases: phases.map(({ components, ...phase }) => ({
      ...phase,
      components: components.map(({ run: last, why, undeclared, waitsFor, ...component }) => ({
        ...component,
        run_id: last,
        waits_for: waitsFor,
        reason: why,
        undeclared_files: undeclared,
      })),
    })),
    merges: landed.map(({ id, commit, at }) => ({ id, commit, landed_at: toIso(at) })),
    merge_queue: queue,
    ...{ held, conflicts, paused },
    rest: rest && {
      soonest_ms: rest.soonestMs,
      latest_ms: rest.latestMs,
      waits_until: rest.waitsUntil === null ? null : toIso(rest.waitsUntil),
    },
    outcome: outcome?.kind ?? null,
    reason: outcome?.reason ?? null,
    error,
  };
}

export function featureRunsDocument(
  views: readonly FeatureView[],
): z.infer<typeof FeatureRunsDocument> {
  return {
    schema: 'supervisor.feature-runs/1',
    features: views.map(({ run, feature, title, state, outcome, phases, landed, branch }) => ({
      ...{ run_id: run, feature, title, state, outcome: outcome?.kind ?? null, branch },
      components: phases.reduce((sum, { components }) => sum + components.length, 0),
      landed: landed.length,
    })),
  };
}
