/** Packs the context of a step, and writes its prompt. */
import { truncate } from '../../base/text.ts';
import { readPinnedParts } from '../../brief/brief-parts.ts';
import { ContextCache } from '../../context/context-cache.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import type { PrepareStepInput } from '../../protocol/contracts/workflow-contract.ts';
import type { PinnedRole, PinnedWorkflow } from '../../protocol/workflow-definition.ts';
import { renderProgramPrompt } from '../../prompts/render-program-prompt.ts';
import { findSecretsIn } from '../../redaction/find-secrets.ts';
import { Redactor } from '../../redaction/redactor.ts';
import { contextCommands } from '../runs/context-commands.ts';
import {
  budgetedContext,
  plannedFiles,
  scopedStrategy,
  stepFeedback,
  stepPlan,
  stepTask,
} from './step-prompt.ts';

export type StepPromptOptions = {
  readonly host: ExecutionHost;
  readonly workflow: Pick<PinnedWorkflow, 'definition' | 'targets'>;
  readonly pinned: PinnedRole;
  /** The folder with the work of earlier steps. Absent: the project itself is read. */
  readonly work?: string;
  /** The variables whose values the prompt must not contain. */
  readonly secrets: readonly Readonly<Record<string, string | undefined>>[];
};

/** In characters, of the task in a conversation that knows it already. */
const TASK_CHARS_MAX = 20_000;

/** What an agent reads in a conversation that it continues: what is new, without the role and the context. */
export function composeContinuedPrompt(
  input: PrepareStepInput,
  {
    workflow,
    pinned: { settings },
    secrets,
  }: Pick<StepPromptOptions, 'workflow' | 'pinned' | 'secrets'>,
): Promise<string> {
  const step = workflow.definition.steps[input.step];
  const prompt = renderProgramPrompt('workflow/continue', {
    task: truncate(stepTask(input, step), TASK_CHARS_MAX),
    results: stepPlan(input.outputs) ?? '',
    feedback: stepFeedback(input.feedback) ?? '',
  });
  return redactorFor(settings, secrets).redact(prompt);
}

function redactorFor(
  { agent, chain = [agent] }: PinnedRole['settings'],
  secrets: StepPromptOptions['secrets'],
): Redactor {
  return new Redactor(findSecretsIn(...secrets, ...chain.map(({ env }) => env)));
}

export async function composeStepPrompt(
  input: PrepareStepInput,
  { host, workflow, pinned: { role: pinnedParts, settings }, work, secrets }: StepPromptOptions,
): Promise<string> {
  const step = workflow.definition.steps[input.step];
  const { role, strategy, templates } = readPinnedParts(pinnedParts);
  const { agent, chain = [agent] } = settings;
  const redactor = redactorFor(settings, secrets);
  const root = work ?? input.project;
  const plan = stepPlan(input.outputs);
  const feedback = stepFeedback(input.feedback);
  // Packing the context needs parsers and tokenizers, so they are loaded only on use.
  const { composeBrief } = await import('../../brief/prepare-brief.ts');
  const context = budgetedContext(role.context, strategy, workflow.definition.limits);
  const { prompt } = await composeBrief(
    {
      role: { ...role, context, config: { ...role.config, ...step?.config } },
      strategy: scopedStrategy(strategy, step?.kind === 'role' ? step.contextScope : 'project'),
      templates,
    },
    {
      root,
      clis: [...new Set(chain.map(({ cli }) => cli))],
      task: stepTask(input, step),
      targets: [],
      // An earlier step may have deleted a file that the user named.
      suggested: [...(workflow.targets ?? []), ...plannedFiles(input.outputs)],
      ...(plan === undefined ? {} : { plan }),
      ...(feedback === undefined ? {} : { feedback }),
      redact: (text) => redactor.redact(text),
      cache: new ContextCache(),
      runCommand: contextCommands(host, root, settings.sandbox, work === undefined ? [] : [root]),
    },
  );
  return prompt;
}
