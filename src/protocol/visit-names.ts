/** Names the commands of a workflow by the visit of their step, as a person knows it: `implement#2`. */
import type { Submission } from './run-submission.ts';
import { WORKFLOW_PROGRAM } from './run-submission.ts';
import { stepOfKey } from './step-key.ts';

/** The steps in their order. Empty: the run is no workflow. */
export function stepIds(submission: Submission): readonly string[] {
  if (submission.program !== WORKFLOW_PROGRAM) return [];
  return Object.keys(submission.settings.workflow.definition.steps);
}

/** Their number counts questions, waits or assessments, and not the visits of all steps. */
const COUNTED_APART = /^(?:ask|wait|assess)-/;

/** `step-review-4-2-security`: the reviewer, if there are several. */
const REVIEWER = /-\d+-\d+-([a-z].*?)(?:\.\d+)?$/;

export class VisitNames {
  readonly #ids: readonly string[];
  readonly #visits = new Map<string, number[]>();
  readonly #others = new Map<string, number[]>();

  constructor(ids: readonly string[]) {
    this.#ids = ids;
  }

  /** Counts the visit that a key belongs to, so keys come in the order of their events. Undefined: no step has it. */
  nameOf(key: string): string | undefined {
    const found = stepOfKey(key, this.#ids);
    if (found === undefined) return undefined;
    const { step, number } = found;
    const visits = this.#visits.get(step) ?? [];
    if (!COUNTED_APART.test(key)) return `${step}#${place(this.#visits, step, number)}`;
    // A step that only asks has no other command.
    const visit = visits.length === 0 ? place(this.#others, step, number) : visits.length;
    return `${step}#${visit}`;
  }

  /** The same with the reviewer, if the step has several. */
  nameOfPart(key: string): string | undefined {
    const name = this.nameOf(key);
    const [, reviewer] = /^(?:step|prepare|collect)-/.test(key) ? (REVIEWER.exec(key) ?? []) : [];
    return name === undefined || reviewer === undefined ? name : `${name} (${reviewer})`;
  }
}

/** The number's place among those of the step, from 1. */
function place(known: Map<string, number[]>, step: string, number: number): number {
  const numbers = known.get(step) ?? [];
  if (!numbers.includes(number)) numbers.push(number);
  known.set(step, numbers);
  return numbers.indexOf(number) + 1;
}
