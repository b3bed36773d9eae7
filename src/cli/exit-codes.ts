/** The exit codes of the program. The outcome of a run has one code for each kind. */
import type { RefusalCode } from '../base/errors.ts';
export { exitCodeOf } from '../protocol/exit-code.ts';

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** No gate verified the work although that was required, or a person has to approve it first. */
  unproven: 3,
  defect: 70,
  /** The owner died before it answered, so it is unknown whether the command took effect. */
  unknown: 75,
  interrupted: 130,
} as const;

/**
 * Refusals of what was typed or configured: they do not depend on the current state of runs and agents.
 * A refusal that depends on that state has the exit code `failed`.
 */
const USAGE: ReadonlySet<string> = new Set<RefusalCode>([
  'usage.invalid',
  'request.invalid',
  'request.key-reused',
  'config.invalid',
  'config.unreadable',
  'project.untrusted',
  'agent.ambiguous',
  'agent.unknown',
  'run.ambiguous',
  'setup.missing',
]);

const NEEDS_A_PERSON: RefusalCode = 'workspace.needs-approval';

export function refusalExitCode(code: string): number {
  if (code === NEEDS_A_PERSON) return EXIT.unproven;
  if (code === 'request.outcome-unknown') return EXIT.unknown;
  return USAGE.has(code) ? EXIT.usage : EXIT.failed;
}
