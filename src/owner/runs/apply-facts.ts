/** Reads what is recorded about applies and undos, in the journal and in the file of the plan. */
import { Refusal } from '../../base/errors.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import { Applied, ErrorBody, Undone } from '../../protocol/api.ts';
import type { OwnerEvent, Payload, StoredEvent } from '../../protocol/event.ts';
import type { ApplyBegun } from '../applies/fold-applies.ts';
import type { StoredApplyPlan } from './run-trees.ts';

type BegunType = 'apply.begun' | 'undo.begun';
type EndedType = 'apply.ended' | 'undo.ended';
export type BegunFact = Extract<OwnerEvent, { type: BegunType }>;
export type ApplyEnd = Omit<Payload<EndedType>, 'run'>;
/** The answer to a person who applied or undid. */
export type ApplyAnswer = Applied | Undone;

/** The applies and undos that an owner began and that have no end. */
export function unfinishedApplies(facts: readonly StoredEvent[]): readonly BegunFact[] {
  const open = new Map<string, BegunFact>();
  for (const fact of facts) {
    if (fact.type === 'apply.begun' || fact.type === 'undo.begun') open.set(fact.payload.run, fact);
    if (fact.type === 'apply.ended' || fact.type === 'undo.ended') open.delete(fact.payload.run);
  }
  return [...open.values()];
}

export function endedType(begun: BegunType): EndedType {
  return begun === 'apply.begun' ? 'apply.ended' : 'undo.ended';
}

/** What the caller of an ended apply or undo is told. Throws the refusal if it was refused. */
export function toApplyAnswer({ run, how, answer }: Payload<EndedType>): ApplyAnswer {
  const applied = Applied.safeParse(answer?.['applied']);
  if (applied.success) return applied.data;
  const undone = Undone.safeParse(answer?.['undone']);
  if (undone.success) return undone.data;
  const refused = ErrorBody.safeParse({ error: answer?.['refused'] });
  if (refused.success) throw new Refusal(refused.data.error);
  throw new Refusal({
    code: 'request.outcome-unknown',
    message: `The apply of run ${run} has ended: ${how}.`,
    hint: `Check the files in the project, then repeat: supervisor apply ${run}`,
  });
}

/** The end of the apply or undo of this commit, if it is in the file of the plan and not yet in the journal. */
export function parseStoredEnd(text: string | undefined, commit: string): ApplyEnd | undefined {
  const found = parseJson(text ?? '');
  if (!isRecord(found) || !isRecord(found['end'])) return undefined;
  return found['end']['commit'] === commit ? (found['end'] as ApplyEnd) : undefined;
}

/** What a stored plan must do to belong to a start. */
type Purpose =
  | {
      readonly type: 'apply.begun';
      readonly payload: Pick<Payload<'apply.begun'>, 'commit' | 'branch'>;
    }
  | {
      readonly type: 'undo.begun';
      readonly payload: Pick<Payload<'undo.begun'>, 'commit' | 'restores'>;
    };

/** The stored plan if it does what was begun: the same work, in the same direction, at the same place. */
export function parseStoredPlan(
  text: string | undefined,
  { type, payload }: Purpose,
): StoredApplyPlan | undefined {
  const stored = parsePlan(text);
  if (stored === undefined || stored.plan.commit !== payload.commit) return undefined;
  if (type === 'undo.begun')
    return stored.kind === 'undo' && stored.plan.restores === payload.restores ? stored : undefined;
  if (stored.kind === 'undo') return undefined;
  const to = stored.kind === 'branch' ? stored.plan.branch : null; // null means the user's tree
  return to === payload.branch ? stored : undefined;
}

/** A plan that was cut off may have moved files aside, so the opposite must not begin before it is complete. */
export function refuseUnfinished(
  kind: 'tree' | 'undo',
  run: string,
  text: string | undefined,
): void {
  if (parsePlan(text)?.kind !== kind) return;
  const [what, flag] = kind === 'undo' ? ['undo', '--undo '] : ['apply', ''];
  throw new Refusal({
    code: 'workspace.busy',
    message: `An ${what} of run ${run} was interrupted and is not complete.`,
    hint: `Complete it with: supervisor apply ${flag}${run}`,
  });
}

function parsePlan(text: string | undefined): StoredApplyPlan | undefined {
  const found = parseJson(text ?? '');
  // Only an owner writes this file, and replaces it whole.
  return isRecord(found) && isRecord(found['plan']) ? (found as StoredApplyPlan) : undefined;
}

/** A start that is recorded again by the next owner does not repeat the key of its request. */
export function withoutRequest({ type, payload }: ApplyBegun): ApplyBegun {
  const { request: _, ...rest } = payload;
  return { type, payload: rest } as ApplyBegun;
}
