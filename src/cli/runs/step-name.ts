import { InvalidArgumentError } from 'commander';

/** A step of a workflow, as a person names it: `implement`, or `implement#2` for its second visit. */
export function stepName(given: string): string {
  const name = given.trim();
  if (name !== '') return name;
  throw new InvalidArgumentError('It is empty.');
}
