/** A project and its files, as scripts read them: plan, init, trust, settings, roles, context, classify. */
import { z } from 'zod';
import { PlanAnswer } from '../protocol/answer.ts';
import { FindingState } from '../protocol/views/diagnosis.ts';
import { Evidence, anyJson, documentSchema, field, runId, time } from './document.ts';
import { commandError } from './error-document.ts';

export const PlanDocument = documentSchema('plan', 'The plan of an agent.', {
  run_id: runId,
  plan: field(PlanAnswer.nullable(), 'Null: the run ended without one.'),
  error: commandError,
});

export const PlannedFeatureDocument = documentSchema(
  'planned-feature',
  'A feature that agents have planned.',
  {
    run_id: runId,
    feature: field(z.string(), 'Such as P1T5.'),
    file: field(z.string().nullable(), 'The feature file. Null: the run ended without a plan.'),
    phases: z.int(),
    components: z.int(),
    expected_speedup: field(z.number(), 'Compared with one component after the other.'),
    runs_serially: field(z.boolean(), 'No two components can run side by side.'),
    risks: z.array(z.string()),
    started_run_id: field(runId.nullable(), 'The run that builds it. Null: it was not started.'),
    error: commandError,
  },
);

const command = z.array(z.string());

export const InitDocument = documentSchema('init', 'What init has found, written and tried.', {
  project: z.string(),
  detected: field(z.array(z.string()), 'What kind of project it is.'),
  agents: z.array(
    z.strictObject({
      id: z.string(),
      state: FindingState,
      found: z.string().nullable(),
      note: z.string().nullable(),
    }),
  ),
  chain: field(z.array(z.string()), 'The agents to try, in this order.'),
  setup: z
    .strictObject({ command, inputs: z.array(z.string()), network: z.array(z.string()) })
    .nullable(),
  gates: z.array(z.strictObject({ name: z.string(), command, reason: z.string() })),
  notes: z.array(z.string()),
  packs: field(z.array(z.string()), 'The role packs.'),
  config: field(z.string(), 'The text of .supervisor/config.yaml.'),
  files: z.array(
    z.strictObject({ path: z.string(), state: z.enum(['created', 'replaced', 'kept']) }),
  ),
  trusted: field(z.boolean().nullable(), 'Null: nothing was written.'),
  checks: z.array(
    z.strictObject({
      kind: z.enum(['setup', 'gate']),
      name: z.string(),
      command,
      state: z.enum(['started', 'passed', 'failed', 'unable', 'skipped']),
      duration_ms: z.number().nullable(),
      summary: z.string(),
      output_tail: z.string(),
      note: z.string(),
    }),
  ),
  exit_code: z.int(),
  error: commandError,
});

export const TrustDocument = documentSchema('trust', 'Whether you trust a project.', {
  project: z.string(),
  state: field(
    z.enum(['none', 'trusted', 'new', 'changed', 'revoked', 'not_trusted']),
    'none: there is nothing to trust. new, changed: not trusted as it is now. revoked: it was trusted until now.',
  ),
  hash: field(z.string().nullable(), 'The hash of its files.'),
  changes: field(
    z
      .array(
        z.strictObject({
          path: z.string(),
          change: z.enum(['added', 'changed', 'removed']),
          note: z.string(),
          diff: z.array(z.string()),
        }),
      )
      .nullable(),
    'What is not trusted yet. Only with --show.',
  ),
  error: commandError,
});

export const TrustedDocument = documentSchema('trusted', 'The projects that you trust.', {
  projects: z.array(
    z.strictObject({
      project: z.string(),
      hash: z.string(),
      trusted_at: time,
      files: z.int(),
    }),
  ),
});

export const SettingsDocument = documentSchema('settings', 'Every setting and its origin.', {
  settings: z.array(
    z.strictObject({
      key: field(z.string(), 'As in a file: attempt.grace.'),
      value: anyJson,
      origin: field(z.string(), 'file:line:column, a flag, or default.'),
    }),
  ),
  warnings: z.array(z.string()),
});

export const RolesDocument = documentSchema('roles', 'Every role and where it comes from.', {
  roles: z.array(
    z.strictObject({
      name: z.string(),
      level: z.enum(['project', 'user', 'package', 'community']),
      pack: z.string().nullable(),
      file: z.string(),
      description: field(z.string().nullable(), 'Null: its files are invalid.'),
      agent_cli: z.string().nullable(),
      strengths: z.array(z.string()),
    }),
  ),
  problems: field(z.array(z.string()), 'With file and line.'),
});

export const RolePackDocument = documentSchema(
  'role-pack',
  'A pack that was installed or removed.',
  {
    state: z.enum(['preview', 'done', 'removed', 'unchanged']),
    name: field(z.string(), 'The name of the pack that was asked for.'),
    packs: z.array(
      z.strictObject({
        name: z.string(),
        version: z.string(),
        author: z.string(),
        source: field(z.string(), 'Where it came from.'),
        pinned: field(z.string(), 'The hash of its archive, or its commit.'),
        replaces: field(z.string().nullable(), 'The version that was installed before.'),
        files: z.array(z.string()),
        commands: field(
          z.array(z.strictObject({ file: z.string(), key: z.string(), text: z.string() })),
          'What its files can make Supervisor run.',
        ),
      }),
    ),
  },
);
export type RolePackDocument = z.infer<typeof RolePackDocument>;

export const RolesCheckDocument = documentSchema('roles-check', 'Whether all roles are valid.', {
  roles: field(z.int(), 'The number of roles.'),
  problems: field(z.array(z.string()), 'With file and line.'),
  error: commandError,
});

export const RoleFieldsDocument = documentSchema('role-fields', 'A role with all it inherits.', {
  role: z.string(),
  fields: z.array(
    z.strictObject({
      key: field(z.string(), 'As in a role file: context.token_budget.'),
      value: anyJson,
      origins: z.array(z.string()),
    }),
  ),
});

export const WorkflowsDocument = documentSchema(
  'workflows',
  'Every workflow and where it comes from.',
  {
    project_workflow: field(z.string().nullable(), 'What the configuration chooses.'),
    workflows: z.array(
      z.strictObject({
        name: z.string(),
        level: z.enum(['project', 'user', 'package', 'community']),
        file: z.string(),
        description: z.string(),
        steps: field(z.array(z.string()).nullable(), 'Null: it cannot be used here.'),
        problem: field(z.string().nullable(), 'Why it cannot be used here.'),
      }),
    ),
    problems: field(z.array(z.string()), 'Files with a wrong name.'),
  },
);

export const WorkflowsCheckDocument = documentSchema(
  'workflows-check',
  'Whether workflows are valid.',
  {
    workflows: field(z.array(z.string()), 'The names or files that were checked.'),
    problems: field(z.array(z.string()), 'With file and line.'),
    error: commandError,
  },
);

export const WorkflowStepsDocument = documentSchema(
  'workflow-steps',
  'A workflow as this project would run it.',
  {
    workflow: z.string(),
    description: z.string(),
    files: field(z.array(z.string()), 'The most distant one that it extends comes first.'),
    initial_step: z.string(),
    steps: z.array(
      z.strictObject({
        id: z.string(),
        kind: z.enum(['role', 'review', 'gate', 'human', 'command', 'commit']),
        description: z.string(),
        roles: z.array(z.string()),
        gates: field(z.array(z.string()), 'Of a commit: those that run before it.'),
        next: z.string().nullable(),
        on_fail: z.string().nullable(),
        on_reject: z.string().nullable(),
        human_approval: z.boolean(),
        required: z.boolean(),
        attempts_max: z.int(),
        timeout_ms: z.int(),
        outputs: z.array(z.string()),
      }),
    ),
    limits: z.strictObject({
      steps_max: z.int(),
      retries_max: z.int(),
      rounds_max: z.int(),
      tokens_default: field(
        z.int().nullable(),
        'The tokens of the prompt of a role without a budget of its own. null: the default of every role.',
      ),
      tokens_max: field(z.int().nullable(), 'The most tokens of any prompt. null: no limit.'),
    }),
    continuity: field(
      z.strictObject({ roles: z.array(z.string()), turns_max: z.int() }).nullable(),
      'Roles that continue the conversation of their last step, and how often in a row. null: none.',
    ),
    git: z.strictObject({
      branch_pattern: z.string().nullable(),
      auto_commit: z.boolean(),
    }),
    notes: field(z.array(z.string()), 'What differs from the files because of this project.'),
    fields: field(
      z.array(z.strictObject({ key: z.string(), value: anyJson, origin: z.string() })).nullable(),
      'Only with --origins: each value of the files, and its place.',
    ),
  },
);

const left = { part: z.string(), name: z.string(), reason: z.string() };

export const ContextDocument = documentSchema('context', 'What a role sees for a task.', {
  role: z.string(),
  targets: z.array(z.string()),
  text: z.string(),
  prompt: z.string(),
  tokens: field(z.int(), 'Of the whole prompt.'),
  frame_tokens: field(z.int(), 'Of the prompt without any context.'),
  budget: z.int(),
  usable_tokens: z.int(),
  tokenizer: z.string(),
  margin: z.number(),
  parts: z.array(
    z.strictObject({
      part: z.string(),
      tokens: z.int(),
      pieces: z.array(z.strictObject({ name: z.string(), tokens: z.int() })),
    }),
  ),
  dropped: field(z.array(z.strictObject(left)), 'It would have been included, without the limit.'),
  left_out: z.array(z.strictObject(left)),
});

export const ClassifyDocument = documentSchema('classify', 'How the end of an agent is judged.', {
  outcome: z.enum(['completed', 'failed', 'stopped']),
  type: z.string().nullable(),
  category: z.string().nullable(),
  recovery: z.string().nullable(),
  reason: z.string().nullable(),
  reset_at: time.nullable(),
  evidence: z.array(Evidence),
});
export type ClassifyDocument = z.infer<typeof ClassifyDocument>;
