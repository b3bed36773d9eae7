/** The work of runs and the files that they leave, as scripts read them. */
import { z } from 'zod';
import type { Discarded, RunArtifacts, WorkDiff } from '../protocol/api.ts';
import type { Leftover, PrunePlan, Pruned } from '../protocol/views/prune-view.ts';
import type { CheckpointView } from '../protocol/views/checkpoint-view.ts';
import { checkpointName } from '../protocol/views/checkpoint-view.ts';
import { STEP_STATES } from '../protocol/views/workflow-view.ts';
import { AppliedWork, appliedWork } from './apply-result.ts';
import { documentSchema, field, runId, time, toIso } from './document.ts';
import { ErrorFields, commandError, simpleError } from './error-document.ts';

export const DiffDocument = documentSchema('diff', 'The changes of a run.', {
  run_id: runId,
  commit: field(z.string(), 'The commit that holds the work.'),
  text: field(
    z.string().nullable(),
    'A unified diff. It comes from an agent: escape it before you show it. Null: the run changed no file.',
  ),
  files_left_out: field(z.int(), 'Files that are too large for the text.'),
  files: z.array(
    z.strictObject({
      path: z.string(),
      added: field(z.int().nullable(), 'Added lines. Null: the file is not text.'),
      removed: field(z.int().nullable(), 'Removed lines. Null: the file is not text.'),
    }),
  ),
  approvals: field(
    z.array(
      z.strictObject({
        path: z.string(),
        needs: field(z.enum(['settings', 'executing', 'tests']), 'The flag: --include-…'),
        reason: z.string(),
      }),
    ),
    'The changes that apply takes only with a flag.',
  ),
  applied: field(AppliedWork.nullable(), 'How the work came into the project. Null: it did not.'),
});

export function diffDocument(run: string, diff: WorkDiff): z.infer<typeof DiffDocument> {
  return {
    schema: 'supervisor.diff/1',
    run_id: run,
    commit: diff.commit,
    text: diff.files.length === 0 ? null : diff.text,
    files_left_out: diff.leftOut,
    files: diff.files,
    approvals: diff.approvals.map(({ path, needs, why }) => ({ path, needs, reason: why })),
    applied: appliedWork(diff.applied),
  };
}

export const CheckpointsDocument = documentSchema(
  'checkpoints',
  'The steps of a workflow that a run can continue from, oldest first.',
  {
    run_id: runId,
    checkpoints: z.array(
      z.strictObject({
        name: field(z.string(), 'What --from and --at take, such as implement#2.'),
        step: z.string(),
        kind: field(z.string(), 'The kind of the step, such as role or gate.'),
        visit: field(z.int(), 'Which visit of the step it is, from 1.'),
        began_at: time,
        outcome: z.enum(STEP_STATES),
        git_sha_before: field(
          z.string().nullable(),
          "A commit of Supervisor's own repository: the work that the step begins with. Null: none yet.",
        ),
        git_sha: field(z.string().nullable(), 'The same for the work after the step.'),
        files: field(z.int(), 'How many files the work changes after the step.'),
        context: z.strictObject({
          feedback: field(z.string().nullable(), 'What the step was told. Null: nothing.'),
          outputs: field(z.array(z.string()), 'The names of the values that earlier steps left.'),
        }),
      }),
    ),
  },
);

export function checkpointsDocument(
  run: string,
  all: readonly CheckpointView[],
): z.infer<typeof CheckpointsDocument> {
  return {
    schema: 'supervisor.checkpoints/1',
    run_id: run,
    checkpoints: all.map((one) => ({
      name: checkpointName(one),
      step: one.step,
      kind: one.kind,
      visit: one.visit,
      began_at: toIso(one.at),
      outcome: one.outcome,
      git_sha_before: one.before,
      git_sha: one.after,
      files: one.files,
      context: {
        feedback: one.feedback === '' ? null : one.feedback,
        outputs: [...one.outputs],
      },
    })),
  };
}

export const DiscardDocument = documentSchema('discard', 'Workspaces that were deleted.', {
  workspaces: z.array(
    z.strictObject({
      run_id: runId,
      state: field(
        z.enum(['deleted', 'kept']),
        'kept: a ref cannot hold some of the work, so the workspace stays.',
      ),
      ref: field(z.string(), "The ref of Supervisor's own repository that keeps the work."),
      folder: field(z.string().nullable(), 'Where the workspace is, if it stays.'),
    }),
  ),
  errors: field(
    z.array(z.strictObject({ run: z.string(), error: ErrorFields })),
    'The runs for which it failed, as they were named.',
  ),
  error: commandError,
});
type DiscardDocument = z.infer<typeof DiscardDocument>;

export function discardDocument(
  all: readonly (Discarded & { readonly run: string })[],
  errors: DiscardDocument['errors'],
): DiscardDocument {
  const kept = all.filter(({ kind }) => kind !== 'gone').map(({ run }) => run);
  const keptError =
    kept.length === 0
      ? null
      : simpleError(
          'workspace.not-deleted',
          `A ref cannot hold some of the work of ${kept.join(', ')}, so the workspace stays.`,
          `Review it with: supervisor diff ${kept[0] ?? 'RUN'}`,
        );
  return {
    schema: 'supervisor.discard/1',
    workspaces: all.map(({ run, kind, ref, left }) => ({
      run_id: run,
      state: kind === 'gone' ? 'deleted' : 'kept',
      ref,
      folder: left?.folder ?? null,
    })),
    errors,
    error: errors[0]?.error ?? keptError,
  };
}

export const ArtifactsDocument = documentSchema('artifacts', 'Files that agents delivered.', {
  run_id: runId,
  copied_to: field(z.string().nullable(), 'The folder of --out.'),
  files: z.array(z.strictObject({ attempt: z.string(), path: z.string(), bytes: z.int() })),
  refused: z.array(z.strictObject({ attempt: z.string(), path: z.string(), reason: z.string() })),
});

export function artifactsDocument(
  run: string,
  { files, refused }: RunArtifacts,
  to: string | undefined,
): z.infer<typeof ArtifactsDocument> {
  return {
    schema: 'supervisor.artifacts/1',
    run_id: run,
    copied_to: to ?? null,
    files,
    refused: refused.map(({ attempt, path, why }) => ({ attempt, path, reason: why })),
  };
}

const LeftoverFile = z.strictObject({
  kind: z.enum(['workspace', 'home', 'output', 'brief']),
  path: z.string(),
  bytes: z.int(),
});

export const PruneDocument = documentSchema('prune', 'Files of old runs on the disk.', {
  before: field(time, 'Only runs and lives that ended before.'),
  bytes: z.int(),
  runs: z.array(
    z.strictObject({
      run_id: runId,
      task: z.string(),
      ended_at: time,
      files: z.array(LeftoverFile),
    }),
  ),
  agents: field(
    z.array(
      z.strictObject({
        run_id: runId,
        task: z.string(),
        lives: z.int(),
        files: z.array(LeftoverFile),
      }),
    ),
    'Earlier lives of active long-lived agents.',
  ),
  briefs: z.array(LeftoverFile),
  deleted: field(
    z
      .strictObject({
        runs: z.int(),
        agents: z.int(),
        briefs: z.int(),
        bytes: z.int(),
        remaining: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
      })
      .nullable(),
    'Null: nothing was deleted.',
  ),
  error: commandError,
});

export function pruneDocument(
  plan: PrunePlan,
  pruned: Pruned | null,
  error: ErrorFields | null = null,
): z.infer<typeof PruneDocument> {
  return {
    schema: 'supervisor.prune/1',
    before: toIso(plan.before),
    bytes: plan.bytes,
    runs: plan.runs.map(({ run, task, endedAt, leftovers }) => ({
      run_id: run,
      task,
      ended_at: toIso(endedAt),
      files: leftovers.map(leftover),
    })),
    agents: plan.agents.map(({ run, task, lives, leftovers }) => ({
      run_id: run,
      task,
      lives,
      files: leftovers.map(leftover),
    })),
    briefs: plan.briefs.map(leftover),
    deleted:
      pruned === null
        ? null
        : {
            runs: pruned.runs,
            agents: pruned.agents,
            briefs: pruned.briefs,
            bytes: pruned.bytes,
            remaining: pruned.remaining.map(({ path, why }) => ({ path, reason: why })),
          },
    error,
  };
}

function leftover({ kind, path, bytes }: Leftover): z.infer<typeof LeftoverFile> {
  return { kind, path, bytes };
}
