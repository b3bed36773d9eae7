/** Problems in a file, reported with their place and without secrets. */
import { Refusal } from '../base/errors.ts';
import type { RefusalData } from '../base/errors.ts';
import type { TextPlace } from './yaml-tree.ts';

export type Problem = {
  readonly place: TextPlace;
  /** The key, such as `limits.attempts`; empty for the text as a whole. */
  readonly key: string;
  readonly message: string;
  /** The known key that is closest to an unknown one. */
  readonly nearest?: string | undefined;
};

const PROBLEMS_SHOWN_MAX = 20;
const SHOWN_CHARS_MAX = 60;

export function describePlace({ file, line, column }: TextPlace): string {
  return line === 0 ? file : `${file}:${line}:${column}`;
}

/** One refusal for all problems. Its details are those of the first one. */
export function yamlRefusal(
  problems: readonly Problem[],
  { code, hint }: Required<Pick<RefusalData, 'code' | 'hint'>>,
): Refusal {
  const [first] = problems;
  const lines = problems.slice(0, PROBLEMS_SHOWN_MAX).map(problemLine);
  const more = problems.length - lines.length;
  if (more > 0) lines.push(`and ${more} more`);
  return new Refusal({
    code,
    message: lines.join('\n'),
    hint,
    details: {
      ...(first?.place.isFlag !== true && first?.place),
      ...(first !== undefined && { key: first.key }),
      ...(first?.nearest !== undefined && { nearest: first.nearest }),
      problems: problems.length,
    },
  });
}

/** A flag such as `--set attempt.grace` already names the key that the message begins with. */
function problemLine({ place, key, message }: Problem): string {
  const where = describePlace(place);
  const isNamed = where.endsWith(` ${key}`) && message.startsWith(`${key}: `);
  return `${where}: ${isNamed ? message.slice(key.length + 2) : message}`;
}

const SECRET_NAME = /key|token|secret|passw|credential|auth(?!or)/i;
const SECRET_VALUE =
  /(?:^|[^A-Za-z0-9])(?:sk-|ghp_|gho_|ghs_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza|eyJ)[A-Za-z0-9_-]{8}/;
const RANDOM_VALUE = /^(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9_+=]{32,}$/;

/** Whether a value may be a credential, by its form or by the name of its variable. */
export function looksSecret(name: string, value: string): boolean {
  return SECRET_NAME.test(name) || SECRET_VALUE.test(value) || RANDOM_VALUE.test(value);
}

/** A piece of a file for a message: short, on one line, and never a credential. */
export function quote(text: string): string {
  if (looksSecret('', text)) return '(not shown)';
  const short = text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
  return JSON.stringify(short);
}
