/** The turns of a run in order, each call with its result. */
import type { TurnCall, TurnRecord, TurnStep } from '../protocol/turn.ts';

/** A recorded turn. `attempt` is the key of the command that it belongs to. */
export type RecordedTurn = {
  readonly attempt: string;
  readonly at: number;
  readonly turn: TurnRecord;
};

/** A call has a result if the next turn of its conversation is known. */
export type ListedCall = TurnCall & { readonly result: TurnStep | null };

export type ListedTurn = Omit<RecordedTurn, 'turn'> &
  Omit<TurnRecord, 'steps' | 'calls'> & {
    readonly calls: readonly ListedCall[];
  };

/** Records come in the order of the journal. Of a turn that was retried, the last record counts. */
export function listTurns(recorded: readonly RecordedTurn[]): readonly ListedTurn[] {
  const all = new Map<string, RecordedTurn>();
  for (const one of recorded) all.set(turnKey(one, one.turn.number), one);
  return [...all.values()].map((one) => {
    const { steps: _, calls, ...turn } = one.turn;
    const next = all.get(turnKey(one, turn.number + 1));
    const { attempt, at } = one;
    return { attempt, at, ...turn, calls: joinResults(calls, next?.turn.steps) };
  });
}

function turnKey({ attempt, turn: { conversation } }: RecordedTurn, number: number): string {
  return `${attempt} ${number} ${conversation}`;
}

/** The agent may have changed a call before it ran it. Then the step that it ran is listed. */
function joinResults(
  calls: readonly TurnCall[],
  steps: readonly TurnStep[] | undefined,
): readonly ListedCall[] {
  if (steps === undefined) return calls.map((call) => ({ ...call, result: null }));
  const open = [...steps];
  const joined = calls.map(({ ...call }): ListedCall => {
    const same = open.findIndex(
      ({ tool, signature }) => tool === call.tool && signature === call.signature,
    );
    const [result = null] = same < 0 ? [] : open.splice(same, 1);
    return { ...call, result };
  });
  const changed = open.map(({ tool, signature, subject, ...rest }): ListedCall => ({
    tool,
    signature,
    ...(subject !== undefined && { subject }),
    result: { tool, signature, ...(subject !== undefined && { subject }), ...rest },
  }));
  return [...joined.filter(({ result }) => result !== null || changed.length === 0), ...changed];
}
