/** Reads what is recorded about applies, in the journal and in the file of the plan. */
import { Refusal } from '../../base/errors.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import { Applied, ErrorBody } from '../../protocol/api.ts';
import type { OwnerEvent, Payload, StoredEvent } from '../../protocol/event.ts';
import type { StoredApplyPlan } from './run-trees.ts';

export type BegunPayload = Payload<'apply.begun'>;
export type ApplyEnd = Omit<Payload<'apply.ended'>, 'run'>;
export type BegunFact = Extract<OwnerEvent, { type: 'apply.begun' }>;

/** The applies that an owner began and that have no end. */
export function unfinishedApplies(facts: readonly StoredEvent[]): readonly BegunFact[] {
  const open = new Map<string, BegunFact>();
  for (const fact of facts) {
    if (fact.type === 'apply.begun') open.set(fact.payload.run, fact);
    if (fact.type === 'apply.ended') open.delete(fact.payload.run);
  }
  return [...open.values()];
}

/** What the caller of an ended apply is told. Throws the refusal if it was refused. */
export function toApplyAnswer({ run, how, answer }: Payload<'apply.ended'>): Applied {
  const applied = Applied.safeParse(answer?.['applied']);
  if (applied.success) return applied.data;
  const refused = ErrorBody.safeParse({ error: answer?.['refused'] });
  if (refused.success) throw new Refusal(refused.data.error);
  throw new Refusal({
    code: 'request.outcome-unknown',
    message: `The apply of run ${run} has ended: ${how}.`,
    hint: `Check the files in the project, then repeat: supervisor apply ${run}`,
  });
}

/** The end of the apply of this commit, if it is in the file of the plan and not yet in the journal. */
export function parseStoredEnd(text: string | undefined, commit: string): ApplyEnd | undefined {
  const found = parseJson(text ?? '');
  if (!isRecord(found) || !isRecord(found['end'])) return undefined;
  return found['end']['commit'] === commit ? (found['end'] as ApplyEnd) : undefined;
}

/** The stored plan if it applies this commit to this branch. Null means the user's tree. */
export function parseStoredPlan(
  text: string | undefined,
  { commit, branch }: Pick<BegunPayload, 'commit' | 'branch'>,
): StoredApplyPlan | undefined {
  const found = parseJson(text ?? '');
  if (!isRecord(found) || !isRecord(found['plan'])) return undefined;
  const stored = found as StoredApplyPlan; // only an owner writes this file, and replaces it whole
  const { kind, plan } = stored;
  const to = kind === 'branch' ? plan.branch : null;
  return plan.commit === commit && to === branch ? stored : undefined;
}
