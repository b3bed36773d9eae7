/** Small changes of code that a check of that code should notice. */

const OPERATORS = [
  'negate-condition',
  'swap-comparison',
  'replace-return',
  'delete-statement',
  'off-by-one',
  'swap-operator',
] as const;
export type MutantOperator = (typeof OPERATORS)[number];

/** One change of one file. `start` and `end` are places in its text. */
export type Mutant = {
  readonly operator: MutantOperator;
  /** From 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
};

export type FileMutant = Mutant & { readonly path: string };

export function applyMutant(source: string, { start, end, text }: Mutant): string {
  return `${source.slice(0, start)}${text}${source.slice(end)}`;
}

/** Such as `cart.js:12: swap the comparison`. */
export function describeMutant({ path, line, operator }: FileMutant): string {
  return `${path}:${line}: ${WORDS[operator]}`;
}

const WORDS: Readonly<Record<MutantOperator, string>> = {
  'negate-condition': 'negate the condition',
  'swap-comparison': 'swap the comparison',
  'replace-return': 'replace what is returned',
  'delete-statement': 'delete the statement',
  'off-by-one': 'change the number by one',
  'swap-operator': 'swap the operator',
};

/**
 * At most `max` mutants that differ as much as possible: first one of each operator, each on a line of its own if
 * there is one, then the rest in the order of the files.
 */
export function chooseMutants(found: readonly FileMutant[], max: number): readonly FileMutant[] {
  const chosen: FileMutant[] = [];
  const placeOf = ({ path, line }: FileMutant): string => `${path}:${line}`;
  while (chosen.length < max) {
    const used = new Set(chosen.map(placeOf));
    const left = found.filter((one) => !chosen.includes(one));
    const isNewOperator = ({ operator }: FileMutant): boolean =>
      !chosen.some((one) => one.operator === operator);
    const isNewPlace = (one: FileMutant): boolean => !used.has(placeOf(one));
    const next =
      left.find((one) => isNewOperator(one) && isNewPlace(one)) ??
      left.find((one) => isNewPlace(one)) ??
      left.find((one) => isNewOperator(one)) ??
      left[0];
    if (next === undefined) break;
    chosen.push(next);
  }
  return chosen;
}
