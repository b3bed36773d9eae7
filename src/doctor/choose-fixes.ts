/** Which commands `doctor --fix` offers. Pure. */
import type { Diagnosis, Finding } from '../protocol/views/diagnosis.ts';

/** The commands for one finding, in order. If one of them fails, the next one would fail too. */
export type Fix = { readonly finding: Finding; readonly commands: readonly string[] };

/**
 * What is broken or limited, and what is missing and needed. A second sandbox is not needed, nor is another agent.
 * Findings that keep Supervisor from running come first.
 */
export function chooseFixes({ findings, verdict }: Diagnosis): readonly Fix[] {
  const hasAgent = verdict.ready.some((id) => id !== 'scripted');
  const isOptional = ({ section, state }: Finding): boolean =>
    state === 'missing' &&
    ((section === 'sandbox' && verdict.sandbox !== null) || (section === 'agents' && hasAgent));
  const wanted = findings.filter((finding) => finding.state !== 'ok' && !isOptional(finding));
  const blocks = ({ id }: Finding): boolean => verdict.blockers.includes(id);
  return [...wanted.filter(blocks), ...wanted.filter((finding) => !blocks(finding))].flatMap(
    (finding) => (finding.get === null ? [] : [{ finding, commands: finding.get }]),
  );
}
