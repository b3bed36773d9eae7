/**
 * Schema of a workflow file. Every key is optional, because a workflow that extends another sets only what differs.
 * `src/workflow-files/` merges the files and checks what they mean together.
 */
import { z } from 'zod';
import type { JsonSchema } from './json-schema.ts';
import { roleName, TOKEN_BUDGET_DEFAULT, tokenBudget } from './role-file.ts';
import { amount, duration, KEYS, matching, text, whole } from './schema-fields.ts';

const NAME = 'a name of up to 64 lowercase letters, digits, _ and -';
/** A template whose name begins with `_` is only extended, and never run. */
const workflowName = matching(/^[a-z_][a-z0-9_-]{0,63}$/, NAME);
export function isWorkflowName(name: string): boolean {
  return workflowName.safeParse(name).success;
}

const stepName = matching(/^(?!x-)[a-z][a-z0-9_-]{0,63}$/, `${NAME} that starts with a letter`);
const gateName = matching(
  /^[a-zA-Z0-9][a-zA-Z0-9 _.:-]{0,63}$/,
  'the name of a gate: up to 64 letters, digits, spaces and _ . : -',
);
const line = text(1, 500, 'text of 1 to 500 characters');
const flag = z.boolean({ error: 'true or false' });

function names<Item extends z.ZodType>(item: Item, max: number, what: string) {
  const error = `a list of up to ${max} ${what}`;
  return z.array(item, { error }).max(max, { error });
}

export const RETRY_POLICIES = ['default', 'aggressive', 'conservative'] as const;

const RetryPolicyFile = z.strictObject(
  {
    max_attempts: whole(1, 20).optional().describe('How often it runs, the first time included.'),
    initial_delay: duration('0s', '1h').optional().describe('The wait before the second time.'),
    multiplier: amount(1, 10).optional().describe('By how much each wait is longer.'),
    max_delay: duration('0s', '24h').optional().describe('The longest wait.'),
    jitter: amount(0, 1).optional().describe('The share by which a wait may differ.'),
    on_failure: z
      .enum(['fail', 'ask_human', 'degrade'], { error: 'one of fail, ask_human, degrade' })
      .optional()
      .describe(
        'After the last time: fail goes to on_fail, ask_human asks you, degrade tries a simpler form of the task. Default: fail.',
      ),
  },
  KEYS,
);

const outputPath = matching(
  /^[A-Za-z_][\w-]*(?:\.[\w-]+){0,9}$/,
  'the path of a field in the answer, such as issues.0.file',
);

export const STEP_KINDS = ['role', 'review', 'gate', 'human', 'command', 'commit'] as const;

const STEP_FIELDS = {
  kind: z
    .enum(STEP_KINDS, { error: `one of ${STEP_KINDS.join(', ')}` })
    .optional()
    .describe('What the step does. Default: it follows from role, roles, gates or command.'),
  type: z
    .enum(['orchestrator_gate', 'human_gate'], { error: 'orchestrator_gate or human_gate' })
    .optional()
    .describe('The older name of kind: orchestrator_gate is gate, and human_gate is human.'),
  gate_type: z
    .literal('orchestrator', { error: 'orchestrator' })
    .optional()
    .describe('The same as type: orchestrator_gate.'),
  description: line.optional().describe('One sentence about the step.'),
  role: roleName.optional().describe('The role that does the step.'),
  roles: names(roleName, 10, 'roles').optional().describe('The roles that review, side by side.'),
  parallel: flag.optional().describe('Says that the roles work side by side, which they do.'),
  agree: z
    .enum(['all', 'any', 'majority'], { error: 'one of all, any, majority' })
    .optional()
    .describe('How many of the roles must approve. Default: all.'),
  gates: names(gateName, 20, 'gates')
    .optional()
    .describe(
      'Gates of the project, by name or by what they check: test, lint, type_check, integration, ci.',
    ),
  command: text(1, 4000, 'a command line')
    .optional()
    .describe('A command line that checks the work; "git commit" makes it a commit step.'),
  allowed_writes: names(line, 100, 'patterns')
    .optional()
    .describe('For kind command: patterns of the files that the command may change.'),
  gate: text(1, 200, 'text')
    .optional()
    .describe(
      'The verdict that lets the work pass, read from the answer: BOTH_APPROVED, BOTH_PASSED, structured_json_only.',
    ),
  next: stepName.optional().describe('The step after this one. Default: the workflow ends here.'),
  on_fail: stepName
    .optional()
    .describe('The step that continues if this one failed. Default: you are asked.'),
  on_reject: stepName
    .optional()
    .describe('The step that continues if the work is rejected. Default: as if the step failed.'),
  max_retries: whole(0, 20)
    .optional()
    .describe('How often the step is repeated. Default: limits.step_max_retries for a gate.'),
  retry_policy: z
    .union([z.string({ error: 'text' }), RetryPolicyFile], {
      error: `the name of a policy (${RETRY_POLICIES.join(', ')}), or its keys`,
    })
    .optional()
    .describe('How a failed step is repeated. Default: by what the role answers with.'),
  timeout: duration('1s', '7d')
    .optional()
    .describe('How long the step may take. Default: limits.step_timeout.'),
  human_approval: flag
    .optional()
    .describe('Whether you approve its result before the next step. Default: false.'),
  outputs: z
    .union([names(stepName, 50, 'names'), z.record(stepName, outputPath, KEYS)], {
      error: 'a list of names, or names with the path of each in the answer',
    })
    .optional()
    .describe('Values that later steps may use as ${step.name}.'),
  config: z
    .record(z.string(), z.unknown(), KEYS)
    .optional()
    .describe('Values for the prompt of the step, such as coverage: 90.'),
  context_scope: z
    .enum(['project', 'component', 'component_only'], { error: 'one of project, component' })
    .optional()
    .describe('What the role sees: the project, or only the files of its component.'),
  pull_request: z
    .union([flag, z.strictObject({ draft: flag.optional().describe('Default: true.') }, KEYS)], {
      error: 'true, false, or the key draft',
    })
    .optional()
    .describe('For kind commit: whether a pull request is opened. Default: false.'),
  position: matching(/^(?:after|before) [a-z][a-z0-9_-]{0,63}$/, '"after STEP" or "before STEP"')
    .optional()
    .describe('Inserts the step into the chain, after or before another one.'),
  required: flag
    .optional()
    .describe(
      'true: the step cannot be disabled. false: if it fails, it is skipped. Default: neither.',
    ),
  terminal: flag.optional().describe('Says that the workflow ends with this step.'),
};
const StepFile = z.strictObject(STEP_FIELDS, KEYS);
export type StepFile = z.infer<typeof StepFile>;

const stepsSection = z.record(stepName, StepFile, KEYS);
const disableSection = names(stepName, 50, 'steps');

export const CONTINUED_STEPS_DEFAULT = 3;

const ContinuityFile = z.strictObject(
  {
    default_mode: z
      .literal('fresh', { error: 'fresh: every other role begins a new conversation' })
      .optional()
      .describe('Only fresh is accepted: every other role begins a new conversation.'),
    allow_continuation: flag
      .optional()
      .describe('false: every step begins a new conversation. Default: true.'),
    max_continuation_turns: whole(1, 10)
      .optional()
      .describe(
        `How many steps in a row continue one conversation. Default: ${CONTINUED_STEPS_DEFAULT}.`,
      ),
    continuation_roles: names(roleName, 20, 'roles')
      .optional()
      .describe('Roles that plan or investigate. Default: planner and investigator.'),
  },
  KEYS,
);
export type ContinuityFile = z.infer<typeof ContinuityFile>;

const SettingsFile = z.strictObject(
  {
    parallel_reviews: flag
      .optional()
      .describe('false: the roles of a review work one after another. Default: true.'),
    require_tests: flag
      .optional()
      .describe('true: refused if the project has no gate that a step of it runs.'),
    human_approval: flag
      .optional()
      .describe('true: you approve before each commit. false: no step asks for approval.'),
    security_review: flag
      .optional()
      .describe(
        'true: refused without a review by a security role. false: such steps are left out.',
      ),
    dual_review: flag
      .optional()
      .describe('true: refused unless two roles review the same work and both must approve.'),
    auto_pr: flag
      .optional()
      .describe('true: commit steps open a draft pull request. false: none does.'),
    require_changelog: flag
      .optional()
      .describe('true: roles that write code are asked for an entry in the changelog.'),
    skip_edge_cases: flag
      .optional()
      .describe('true: roles that write code are asked for the main case only.'),
    continuity: ContinuityFile.optional().describe(
      'Which roles continue the conversation of their last step. Default: none.',
    ),
    audit_trail: z
      .literal(true, { error: 'true: the journal records every step, and cannot be turned off' })
      .optional()
      .describe('Only true is accepted: the journal always records every step.'),
  },
  KEYS,
);
export type WorkflowSettings = z.infer<typeof SettingsFile>;

const seconds = (max: number) => whole(0, max);
const LimitsFile = z.strictObject(
  {
    workflow_max_steps: whole(1, 500)
      .optional()
      .describe('How many steps may begin in all, repeated ones included. Default: 50.'),
    step_max_retries: whole(0, 20).optional().describe('How often a step is repeated. Default: 3.'),
    max_rounds: whole(0, 50)
      .optional()
      .describe('How often work may go back to an earlier step. Default: 10.'),
    step_timeout: duration('1s', '7d')
      .optional()
      .describe('How long a step may take, without waits. Default: 1h.'),
    step_timeout_seconds: whole(1, 604_800).optional().describe('The same, in seconds.'),
    retry_base_delay_seconds: seconds(3600)
      .optional()
      .describe('The first wait of a step without retry_policy. Default: that of its policy.'),
    retry_max_delay_seconds: seconds(86_400)
      .optional()
      .describe('The longest wait of such a step. Default: that of its policy.'),
    retry_exponential_base: amount(1, 10)
      .optional()
      .describe('By how much each wait of such a step is longer. Default: that of its policy.'),
    default_token_budget: tokenBudget
      .optional()
      .describe(
        `The tokens of the prompt of a role that sets no context.token_budget. Default: ${TOKEN_BUDGET_DEFAULT}.`,
      ),
    max_token_budget: tokenBudget
      .optional()
      .describe('The most tokens of any prompt, whatever its role sets. Default: no limit.'),
  },
  KEYS,
);
export type WorkflowLimitsFile = z.infer<typeof LimitsFile>;

/** One workflow file without notes (`x-*`) and nulls, or all files of a workflow merged. */
export const WorkflowFile = z.strictObject(
  {
    name: workflowName.optional().describe('The name; it must match the file name.'),
    extends: workflowName
      .optional()
      .describe(
        'The workflow that this one extends. Its own name means the one that it overrides.',
      ),
    description: line.optional().describe('One sentence about the workflow.'),
    initial_step: stepName.optional().describe('Where it begins. Default: its first step.'),
    steps: stepsSection.prefault({}).describe('The steps, by name.'),
    overrides: stepsSection.optional().describe('Changes of inherited steps; the same as steps.'),
    disable: disableSection.optional().describe('Steps to leave out. Links go past them.'),
    settings: SettingsFile.prefault({}).describe('Rules for all steps.'),
    hooks: z
      .strictObject(
        {
          pre_commit: names(gateName, 20, 'gates')
            .optional()
            .describe('Gates that must be green on what is committed.'),
        },
        KEYS,
      )
      .prefault({})
      .describe('Gates at fixed moments.'),
    limits: LimitsFile.prefault({}).describe('Bounds of the whole workflow.'),
  },
  KEYS,
);
export type WorkflowFile = z.infer<typeof WorkflowFile>;

export function workflowFileJsonSchema(): JsonSchema {
  return z.toJSONSchema(WorkflowFile, { io: 'input' }) as JsonSchema;
}

/** `workflow` of a configuration file: which workflow the project uses, and what differs in it. */
export const ChosenWorkflow = z.strictObject(
  {
    template: workflowName
      .optional()
      .describe('The workflow of this project. Default: .supervisor/workflow.yaml, if it exists.'),
    overrides: stepsSection.optional().describe('Steps to change or to add. Default: none.'),
    disable: disableSection.optional().describe('Steps to leave out. Default: none.'),
  },
  KEYS,
);
