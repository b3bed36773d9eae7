/** Prepares the run of a step: packs its context from the work so far, and writes its prompt. */
import { defined } from '../../base/defined.ts';
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { readPinnedParts } from '../../brief/brief-parts.ts';
import type { BriefStore } from '../../brief/brief-store.ts';
import type { CommandRequest, Performer } from '../../engine/performer.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { workspacePortsFor } from '../../execution/environments/environment.ts';
import { describeRefusal } from '../../execution/refusal-outcome.ts';
import { workIn } from '../../execution/work-point.ts';
import type { PinnedBrief } from '../../protocol/pinned-settings.ts';
import type { Submission, WorkflowSubmission } from '../../protocol/run-submission.ts';
import { PLANNING_PROGRAM } from '../../protocol/planning.ts';
import { WORKFLOW_PROGRAM } from '../../protocol/run-submission.ts';
import type { PrepareStepResult } from '../../protocol/contracts/workflow-contract.ts';
import type { PinnedRole } from '../../protocol/workflow-definition.ts';
import type { BreakerStore } from '../../limits/breaker-store.ts';
import type { ContextTree } from '../../workspace/context-tree.ts';
import { checkOutContextTree } from '../../workspace/context-tree.ts';
import { composeContinuedPrompt, composeStepPrompt } from './compose-step-prompt.ts';
import type { EarlyPrompts } from './early-prompts.ts';
import { stepSubmission } from './step-submission.ts';

export type PrepareStepPorts = {
  readonly host: ExecutionHost;
  readonly store: Pick<BriefStore, 'save'>;
  readonly submissionOf: (run: RunId) => Promise<Submission | undefined>;
  /** Whether the circuit breaker of the step lets it begin. */
  readonly admit: BreakerStore['admit'];
  /** The variables whose values no prompt may contain. */
  readonly secretsOf: (run: RunId) => Readonly<Record<string, string | undefined>>;
  /** The prompts that were written with the submissions of their runs. */
  readonly early?: Pick<EarlyPrompts, 'take'>;
};

type Request = CommandRequest<'prepare-step'>;

export function prepareStepPerformer(ports: PrepareStepPorts): Performer<'prepare-step'> {
  return {
    command: 'prepare-step',
    perform: async (request) => {
      const submission = await ports.submissionOf(request.run);
      if (submission?.program !== WORKFLOW_PROGRAM && submission?.program !== PLANNING_PROGRAM)
        throw new Error(`run ${request.run} has no steps`);
      try {
        const admission = await admitted(request, ports);
        if (admission.kind === 'open') return { kind: 'breaker-open', why: admission.why };
        const prepared = await prepare(
          request,
          { ...submission, program: WORKFLOW_PROGRAM },
          ports,
        );
        const isCounted = admission.isCounted && prepared.kind === 'prepared';
        return isCounted ? { ...prepared, isCounted: true } : prepared;
      } catch (error) {
        // What can't be prepared is an outcome; anything else thrown is a defect.
        if (error instanceof Refusal) return { kind: 'refused', why: describeRefusal(error) };
        throw error;
      }
    },
  };
}

function admitted({ run, input }: Request, { admit }: PrepareStepPorts): ReturnType<typeof admit> {
  const { project, step, breaker } = input;
  if (breaker === undefined) return Promise.resolve({ kind: 'pass', isCounted: false });
  const { workflow, isForced } = breaker;
  return admit({ project, workflow, step }, { run, isForced });
}

async function prepare(
  request: Request,
  submission: WorkflowSubmission,
  ports: PrepareStepPorts,
): Promise<PrepareStepResult> {
  const { input } = request;
  const pinned = submission.settings.workflow.roles[input.role];
  if (pinned === undefined)
    return { kind: 'refused', why: `the workflow has no role ${JSON.stringify(input.role)}` };
  const { role } = readPinnedParts(pinned.role);
  const brief: PinnedBrief = {
    role: role.name,
    hash:
      ports.early?.take(request.run, input) ??
      (await ports.store.save(await composePrompt(request, submission, pinned, ports))),
    answer: role.answer,
    allowedTools: role.allowedTools.length === 0 ? null : role.allowedTools,
  };
  const { workflow } = submission.settings;
  const secrets = [ports.secretsOf(request.run)];
  const { continues } = input;
  const continued = continues && {
    ...continues,
    prompt: await composeContinuedPrompt(input, { workflow, pinned, secrets }),
  };
  return {
    kind: 'prepared',
    submission: stepSubmission(submission, input, pinned, brief, continued),
  };
}

async function composePrompt(
  request: Request,
  { settings: { workflow } }: WorkflowSubmission,
  pinned: PinnedRole,
  { host, secretsOf }: PrepareStepPorts,
): Promise<string> {
  await using tree = await openWork(request, host);
  const work = defined({ work: tree?.folder });
  const secrets = [secretsOf(request.run)];
  return await composeStepPrompt(request.input, { host, workflow, pinned, secrets, ...work });
}

/** Null: no step has changed anything yet, so the project itself is read. */
async function openWork(request: Request, host: ExecutionHost): Promise<ContextTree | null> {
  const { project, work } = request.input;
  if (work === null) return null;
  const git = workspacePortsFor(host, request);
  const { workspace, commit } = await workIn(project, work, host.stateDir, git);
  return checkOutContextTree(workspace, commit, git);
}
