/** What would have been found in the recorded turns of a run, with other thresholds. */
import type { PinnedSteering } from '../protocol/contracts/steering-contract.ts';
import type { RecordedTurn } from '../turns/list-turns.ts';
import type { ReplayedAnomaly } from '../turns/replayed-anomaly.ts';
import { steeringMessage } from './steering-message.ts';
import type { RoleWatch } from './choose-role.ts';
import { foldRole, NO_ROLE } from './choose-role.ts';
import { policyFor } from './role-policy.ts';
import type { ConversationWatch } from './watch.ts';
import { NEW_WATCH, watchTurn } from './watch.ts';

/** Every detector watches, whatever its mode is. Changes of files that no tool call shows are not in the record. */
export function replayTurns(
  recorded: readonly RecordedTurn[],
  steering: PinnedSteering,
  { run, role }: { readonly run: string; readonly role: string | null },
): readonly ReplayedAnomaly[] {
  const overrides = steering.overrides.map((one): PinnedSteering['overrides'][number] => ({
    ...one,
    mode: 'shadow',
    modes: {},
  }));
  const watching: PinnedSteering = { ...steering, mode: 'shadow', modes: {}, overrides };
  const { organization } = steering;
  const watches = new Map<string, ConversationWatch>();
  const roles = new Map<string, RoleWatch>();
  return recorded.flatMap(({ attempt, at, turn }) => {
    const { conversation, model } = turn;
    const key = `${attempt} ${conversation}`;
    const member =
      organization === undefined
        ? NO_ROLE
        : foldRole(roles.get(key) ?? NO_ROLE, turn, organization, role);
    roles.set(key, member);
    const policy = policyFor(watching, { model, name: role, member });
    const { watch, check } = watchTurn(watches.get(key) ?? NEW_WATCH, turn, {
      ...{ run, policy, role: member.role },
    });
    watches.set(key, watch);
    const nth = watch.history.turn;
    return (check?.found ?? []).map(({ anomaly }) => ({
      ...{ attempt, conversation, at, turn: nth, detector: anomaly.detector },
      message: steeringMessage(anomaly, nth),
    }));
  });
}
