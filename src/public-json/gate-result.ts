/** The result of one gate, as scripts read it. */
import { z } from 'zod';
import type { GateRecord } from '../reports/runs/gate-record.ts';
import { field, time, toIso } from './document.ts';

export const GateResult = z.strictObject({
  name: z.string(),
  state: field(z.enum(['passed', 'failed', 'unable']), 'unable: the gate could not run.'),
  advisory: field(z.boolean(), 'If it is red, the run does not fail.'),
  failures: field(
    z.array(
      z.strictObject({
        name: z.string(),
        file: z.string().nullable(),
        line: z.number().nullable(),
        message: z.string().nullable(),
      }),
    ),
    'The first tests that failed, as the report of the gate says.',
  ),
  proof: field(
    z
      .strictObject({
        state: field(
          z.enum(['seeing', 'blind', 'not_applicable', 'unknown']),
          'seeing: it became red with a mutant. blind: it stayed green with all of them.',
        ),
        noticed: z.string().nullable(),
        missed: z.array(z.string()),
        why: z.string().nullable(),
      })
      .nullable(),
    'Whether it notices a mutant of the changed lines. Null: none was to be tried.',
  ),
  protected_changes: field(
    z.array(z.string()),
    'Tests, CI files, definitions of gates and settings of Supervisor that the work changes.',
  ),
  severity: field(z.enum(['error', 'warning', 'info']), 'How it is shown if it is red.'),
  detail: field(z.string(), 'Its counted tests, its exit code, or why it could not run.'),
  output_tail: field(z.string(), 'The end of its output, if it failed.'),
  caveats: field(z.array(z.string()), 'What limits its proof.'),
  ended_at: time,
});

export function gateResult({
  name,
  kind,
  warns,
  severity,
  failures,
  proof,
  protectedChanges,
  words,
  tail,
  caveats,
  at,
}: GateRecord): z.infer<typeof GateResult> {
  return {
    name,
    // Scripts know three states, and this gate has not judged the work.
    state: kind === 'interrupted' ? 'unable' : kind,
    advisory: warns,
    severity,
    failures: failures.map(({ name: test, file = null, line = null, message = null }) => ({
      name: test,
      file,
      line,
      message,
    })),
    proof:
      proof === null
        ? null
        : {
            state: proof.kind === 'not-applicable' ? 'not_applicable' : proof.kind,
            noticed: proof.kind === 'seeing' ? proof.noticed : null,
            missed: 'missed' in proof ? [...proof.missed] : [],
            why: 'why' in proof ? proof.why : null,
          },
    protected_changes: [...protectedChanges],
    detail: words,
    output_tail: tail,
    caveats: [...caveats],
    ended_at: toIso(at),
  };
}
