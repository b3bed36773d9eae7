/** The step that a command of a workflow belongs to, from the command's key. */

const NAME_MAX = 40;

/** A key has only small letters, digits and dashes. */
export function plainStepName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, NAME_MAX);
}

export type StepOfKey = {
  readonly step: string;
  /** Counts the steps, the questions or the waits of the workflow, by the kind of command. */
  readonly number: number;
};

/** Such as `implement` and 3 for `step-implement-3`. Undefined: no such step. */
export function stepOfKey(key: string, steps: readonly string[]): StepOfKey | undefined {
  const name = key.slice(key.indexOf('-') + 1);
  const found = steps
    .map((step) => ({ step, plain: `${plainStepName(step)}-` }))
    .filter(({ plain }) => name.startsWith(plain))
    .map(({ step, plain }) => ({ step, plain, number: /^\d+/.exec(name.slice(plain.length)) }))
    .filter(({ number }) => number !== null)
    // The steps `test` and `test-2` may both fit. The longer name does.
    .toSorted((a, b) => b.plain.length - a.plain.length)[0];
  if (found === undefined) return undefined;
  return { step: found.step, number: Number(found.number?.[0]) };
}
