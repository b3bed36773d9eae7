/** The texts that a step gives its agent beside the role: the task, what earlier steps answered, and the feedback. */
import type { Json } from '../../base/json.ts';
import { isRecord } from '../../base/json.ts';
import { truncate } from '../../base/text.ts';
import type { ContextStrategy } from '../../context/strategy.ts';
import type {
  DegradationLevel,
  PrepareStepInput,
  StepFeedback,
} from '../../protocol/contracts/workflow-contract.ts';
import type { WorkflowLimits, WorkflowStep } from '../../protocol/workflow-definition.ts';
import type { Role } from '../../roles/role.ts';
import { TOKEN_BUDGET_DEFAULT } from '../../settings/role-file.ts';

const OUTPUT_CHARS_MAX = 20_000;
const SUGGESTED_MAX = 50;

const LEVELS: Readonly<Record<DegradationLevel, string>> = {
  full: '',
  core: 'Earlier tries failed. Do only what is essential to the task, and leave edge cases and extras out.',
  minimal:
    'Earlier tries failed. Write only stubs that compile, with a comment at each place that is not done yet.',
};

/** The task of the step: the whole task, and the part of it that the step is about. */
export function stepTask(
  { task, level }: Pick<PrepareStepInput, 'task' | 'level'>,
  step: Pick<WorkflowStep, 'id' | 'description' | 'config'> | undefined,
): string {
  const about = step === undefined || step.description === '' ? '' : `: ${step.description}`;
  const part = step === undefined ? '' : `Your part is the step ${step.id}${about}.`;
  const texts = [task, part, describeConfig(step?.config ?? {}), LEVELS[level]];
  return texts.filter((text) => text !== '').join('\n\n');
}

/** What the files of the workflow ask of this step, such as `coverage: 90`. */
function describeConfig(config: WorkflowStep['config']): string {
  const lines = Object.entries(config).map(([name, value]) => `${name}: ${describeValue(value)}`);
  return lines.length === 0 ? '' : ['For this step:', ...lines].join('\n');
}

/** What earlier steps answered, by `step.name`. Undefined: nothing. */
export function stepPlan(outputs: PrepareStepInput['outputs']): string | undefined {
  const named = Object.entries(outputs).filter(([name]) => name.includes('.'));
  if (named.length === 0) return undefined;
  const text = named.map(([name, value]) => `${name}:\n${describeValue(value)}`).join('\n\n');
  return truncate(text, OUTPUT_CHARS_MAX);
}

function describeValue(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Undefined: the step runs for the first time. */
export function stepFeedback(feedback: StepFeedback | null): string | undefined {
  if (feedback === null) return undefined;
  const { visit, from, text } = feedback;
  return `The step ${from} sent the work back. You are here for the ${ordinal(visit)} time.\n\n${text}`;
}

function ordinal(number: number): string {
  return { 2: 'second', 3: 'third' }[number] ?? `${number}th`;
}

/** The files of the components of a plan, wherever it is among the values. */
export function plannedFiles(outputs: PrepareStepInput['outputs']): readonly string[] {
  const files = Object.values(outputs).flatMap((value) => filesIn(value, 0));
  return [...new Set(files)].slice(0, SUGGESTED_MAX);
}

const DEPTH_MAX = 6;

function filesIn(value: Json | undefined, depth: number): readonly string[] {
  if (depth > DEPTH_MAX) return [];
  if (Array.isArray(value)) return value.flatMap((one: Json) => filesIn(one, depth + 1));
  if (!isRecord(value)) return [];
  const { files, phases, components } = value as Readonly<Record<string, Json | undefined>>;
  const own = Array.isArray(files) ? files.filter((one) => typeof one === 'string') : [];
  return [...own, ...filesIn(phases, depth + 1), ...filesIn(components, depth + 1)];
}

/** What its role and its strategy set comes first, then the default of the workflow. Its maximum bounds all of them. */
export function budgetedContext(
  context: Role['context'],
  { tokenBudget }: Pick<ContextStrategy, 'tokenBudget'>,
  {
    tokensDefault = TOKEN_BUDGET_DEFAULT,
    tokensMax = Infinity,
  }: Pick<WorkflowLimits, 'tokensDefault' | 'tokensMax'>,
): Role['context'] {
  const wanted = context.tokenBudget ?? tokenBudget ?? tokensDefault;
  return { ...context, tokenBudget: Math.min(wanted, tokensMax) };
}

const WIDE_PARTS: ReadonlySet<string> = new Set(['related', 'tree', 'documents']);

/** A step of one component sees the files that it is about, and not the rest of the project. */
export function scopedStrategy(
  strategy: ContextStrategy,
  scope: 'project' | 'component',
): ContextStrategy {
  if (scope === 'project') return strategy;
  return { ...strategy, steps: strategy.steps.filter(({ part }) => !WIDE_PARTS.has(part)) };
}
