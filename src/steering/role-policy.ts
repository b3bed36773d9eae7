/** The policy for an agent of an organization: by its model, its role and its work. */
import type { PinnedSteering } from '../protocol/contracts/steering-contract.ts';
import type { RoleWatch } from './choose-role.ts';
import type { SteeringPolicy } from './steering-policy.ts';
import { choosePolicy } from './steering-policy.ts';

/** `name`: the role of the run. Null: it has none. */
export function policyFor(
  steering: PinnedSteering,
  {
    model,
    name,
    member,
  }: {
    readonly model: string;
    readonly name: string | null;
    readonly member: Pick<RoleWatch, 'role' | 'domain'>;
  },
): SteeringPolicy {
  const { role, domain } = member;
  return choosePolicy(steering, { model, role: name ?? role?.id ?? null, domain }, role?.doctrine);
}
