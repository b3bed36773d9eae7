/** What a shell learns. Usage 2 and defect 70 are fixed; how a run ended has one code a kind. */
import type { RefusalCode } from '../base/errors.ts';
export { exitCodeOf } from '../protocol/exit-code.ts';

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** Proof was asked for and there is none, or a person has to agree first. */
  unproven: 3,
  defect: 70,
  /** The owner was lost before it answered: the command may have been carried out or not. */
  unknown: 75,
  interrupted: 130,
} as const;

/**
 * Refusals of what was typed or configured, by us or by the owner: it would be refused whatever is there.
 * What depends on who is there, and how they are, has failed.
 */
const USAGE: ReadonlySet<string> = new Set<RefusalCode>([
  'usage.invalid',
  'request.invalid',
  'request.key-reused',
  'config.invalid',
  'config.unreadable',
  'project.untrusted',
  'agent.unknown',
]);

const NEEDS_A_PERSON: RefusalCode = 'workspace.needs-approval';

export function refusalExitCode(code: string): number {
  if (code === NEEDS_A_PERSON) return EXIT.unproven;
  if (code === 'request.outcome-unknown') return EXIT.unknown;
  return USAGE.has(code) ? EXIT.usage : EXIT.failed;
}
