/** Gates that are red on a state of the work, and that a person accepted all the same. */
import { z } from 'zod';
import { oneLine } from '../../base/text.ts';

/** Longer than the names of most accounts. */
export const PERSON_NAME_MAX = 100;

export const AcceptedGate = z.strictObject({
  gate: z.string(),
  /** The person who accepted it: the name of an approver, or of an account of this machine. */
  by: z.string(),
});
export type AcceptedGate = z.infer<typeof AcceptedGate>;

/** The name of a person that no fact names. */
const UNNAMED = 'a person';

/** Facts of earlier versions do not say who answered. */
export function personName(by: string | null | undefined): string {
  return by ?? UNNAMED;
}

/** Whether the answer to a question about a red gate takes the work as it is. */
export function isAccept(answer: string): boolean {
  return answer.trim().toLowerCase() === 'accept';
}

/** The list with one more gate. A gate that is accepted again has the name of the last person. */
export function addAccepted(
  list: readonly AcceptedGate[],
  { gate, by }: AcceptedGate,
): AcceptedGate[] {
  return [...list.filter((one) => one.gate !== gate), { gate, by }];
}

/** Such as `gate test is red, accepted by ada`. Empty: none is. */
export function describeAccepted(accepted: readonly AcceptedGate[]): string {
  return accepted.map(({ gate, by }) => `gate ${gate} is red, accepted by ${by}`).join('; ');
}

/** The same as the last lines of a commit. */
export function acceptedTrailers(accepted: readonly AcceptedGate[]): readonly string[] {
  return accepted.map(
    ({ gate, by }) => `${ACCEPTED_TRAILER}: red gate ${oneLine(gate)}, by ${oneLine(by)}`,
  );
}

const ACCEPTED_TRAILER = 'Supervisor-Accepted';
