/**
 * The prompts of first steps, written while git still answers what the project is. The step then finds its prompt, and
 * needs no time of its own. They are in memory only: the step of a run that another owner resumes writes its prompt.
 */
import type { Clock, Instant } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { canonicalJson } from '../../base/json.ts';
import type { BriefStore } from '../../brief/brief-store.ts';
import { refusalOr } from '../../execution/refusal-outcome.ts';
import type { PrepareStepInput } from '../../protocol/contracts/workflow-contract.ts';
import type { WorkflowSubmission } from '../../protocol/run-submission.ts';
import { workflowProgram } from '../../workflow/workflow-program.ts';
import type { StepPromptOptions } from './compose-step-prompt.ts';
import { composeStepPrompt } from './compose-step-prompt.ts';

/** The prompt of a step, by its hash in the store, and what it was written for. */
export type EarlyPrompt = { readonly input: PrepareStepInput; readonly hash: string };

/** A step that had to wait reads the project as it is then. */
const FRESH_MS = 10_000;
const RUNS_MAX = 1000;

export class EarlyPrompts {
  readonly #clock: Pick<Clock, 'elapsedMs'>;
  readonly #kept = new Map<RunId, { readonly prompts: EarlyPrompt[]; readonly sinceMs: number }>();

  constructor(clock: Pick<Clock, 'elapsedMs'>) {
    this.#clock = clock;
  }

  keep(run: RunId, prompts: readonly EarlyPrompt[]): void {
    if (prompts.length === 0) return;
    this.#kept.set(run, { prompts: [...prompts], sinceMs: this.#clock.elapsedMs() });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > RUNS_MAX && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** The hash of the prompt for exactly this input, once. Undefined: the step has to write it. */
  take(run: RunId, input: PrepareStepInput): string | undefined {
    const kept = this.#kept.get(run);
    if (kept === undefined) return undefined;
    const at = kept.prompts.findIndex((one) => isSame(one.input, input));
    const [found] = at === -1 ? [] : kept.prompts.splice(at, 1);
    if (kept.prompts.length === 0) this.#kept.delete(run);
    return this.#clock.elapsedMs() - kept.sinceMs > FRESH_MS ? undefined : found?.hash;
  }
}

function isSame(one: PrepareStepInput, other: PrepareStepInput): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

export type EarlyPromptPorts = Pick<StepPromptOptions, 'host' | 'secrets'> & {
  readonly store: Pick<BriefStore, 'save'>;
};

/** Writes the prompts with which the workflow begins. A prompt that is refused is left out: its step says why. */
export async function writeEarlyPrompts(
  submission: WorkflowSubmission,
  now: Instant,
  { store, ...ports }: EarlyPromptPorts,
): Promise<readonly EarlyPrompt[]> {
  const { workflow } = submission.settings;
  const written: EarlyPrompt[] = [];
  for (const move of workflowProgram.next(workflowProgram.start(submission), now, 0)) {
    if (move.kind !== 'perform' || move.command !== 'prepare-step') continue;
    const { input } = move;
    const pinned = workflow.roles[input.role];
    if (pinned === undefined) continue;
    const prompt = composeStepPrompt(input, { ...ports, workflow, pinned });
    const hash = await refusalOr(prompt.then((text) => store.save(text)));
    if (!(hash instanceof Refusal)) written.push({ input, hash });
  }
  return written;
}
