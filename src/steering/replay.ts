/** What would have been found in the recorded turns of a run, with other thresholds. */
import type { PinnedSteering } from '../protocol/contracts/steering-contract.ts';
import type { RecordedTurn } from '../turns/list-turns.ts';
import type { ReplayedAnomaly } from '../turns/replayed-anomaly.ts';
import { steeringMessage } from './steering-message.ts';
import { choosePolicy } from './steering-policy.ts';
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
  const watches = new Map<string, ConversationWatch>();
  return recorded.flatMap(({ attempt, at, turn }) => {
    const { conversation, model } = turn;
    const key = `${attempt} ${conversation}`;
    const policy = choosePolicy(watching, { model, role });
    const { watch, check } = watchTurn(watches.get(key) ?? NEW_WATCH, turn, {
      ...{ run, policy, role: null },
    });
    watches.set(key, watch);
    const nth = watch.history.turn;
    return (check?.found ?? []).map(({ anomaly }) => ({
      ...{ attempt, conversation, at, turn: nth, detector: anomaly.detector },
      message: steeringMessage(anomaly, nth),
    }));
  });
}
