/**
 * Finds the tool calls that have ended since the previous turn. Every request repeats the whole conversation, and a
 * resumed conversation repeats that of an earlier process.
 */
import { isRecord } from '../../base/json.ts';
import type { TurnStep } from '../../protocol/turn.ts';
import { TURN_BOUNDS } from '../../protocol/turn.ts';
import { parsedArguments } from '../../turns/call-signature.ts';
import type { MadeCall } from '../../turns/turn-step.ts';
import { turnStep } from '../../turns/turn-step.ts';
import type { MessageUnit } from '../wires/wire.ts';

type Result = Extract<MessageUnit, { kind: 'result' }>;
type Call = Extract<MessageUnit, { kind: 'call' }>;
type Answered = { readonly call: MadeCall; readonly result: Result };

/**
 * `known`: the results that the previous request of this conversation had. The results after them are new. In the first
 * request, and after a compaction, those after the model's last message are.
 */
export function newSteps(
  units: readonly MessageUnit[],
  known: KnownResults | null,
): readonly TurnStep[] {
  const results = answeredCalls(units);
  const fresh = results.slice(knownPlace(results, known) ?? countBeforeLastAnswer(units));
  return once(fresh)
    .slice(-TURN_BOUNDS.itemsMax)
    .map(({ call, result: { id, isError = false, text } }) =>
      turnStep(call, { id, isError, output: plainOutput(text) }),
    );
}

/** A CLI may drop old results and add new ones in one request, so that their number stays the same. */
function knownPlace(results: readonly Answered[], known: KnownResults | null): number | null {
  if (known === null) return null;
  const { count, lastId } = known;
  if (count === 0 || results[count - 1]?.result.id === lastId) return count;
  const place = lastId === '' ? -1 : results.findLastIndex(({ result }) => result.id === lastId);
  return place < 0 ? null : place + 1;
}

/** A wire whose results are objects has the output of a command in one field. */
function plainOutput(text: string): string {
  const value = text.startsWith('{') ? parsedArguments(text) : undefined;
  const output = isRecord(value) ? (value['output'] ?? value['error']) : undefined;
  return typeof output === 'string' ? output : text;
}

export type KnownResults = {
  readonly count: number;
  /** The provider's id of the last one. */
  readonly lastId: string;
};

export function knownResults(units: readonly MessageUnit[]): KnownResults {
  const last = units.findLast((unit): unit is Result => unit.kind === 'result');
  return { count: countResults(units), lastId: last?.id ?? '' };
}

function countResults(units: readonly MessageUnit[]): number {
  return units.reduce((count, { kind }) => (kind === 'result' ? count + 1 : count), 0);
}

/** Each result with its call. If a wire has no ids, results belong to calls in their order. */
function answeredCalls(units: readonly MessageUnit[]): readonly Answered[] {
  const open: Call[] = [];
  const byId = new Map<string, Call>();
  return units.flatMap((unit) => {
    if (unit.kind === 'call') {
      open.push(unit);
      if (unit.id !== '') byId.set(unit.id, unit);
    }
    if (unit.kind !== 'result') return [];
    const call = byId.get(unit.id) ?? open[0];
    const at = call === undefined ? -1 : open.indexOf(call);
    if (at >= 0) open.splice(at, 1);
    return [{ call: { tool: call?.name ?? '', input: call?.args }, result: unit }];
  });
}

function countBeforeLastAnswer(units: readonly MessageUnit[]): number {
  const last = units.findLastIndex(({ kind }) => kind === 'answer' || kind === 'call');
  return countResults(units.slice(0, last + 1));
}

/** Some CLIs send a result twice after they resumed a conversation. */
function once(answered: readonly Answered[]): readonly Answered[] {
  const ids = new Set<string>();
  return answered.filter(({ result: { id } }) => {
    const isNew = id === '' || !ids.has(id);
    ids.add(id);
    return isNew;
  });
}
