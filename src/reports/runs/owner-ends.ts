/** How the owners ended, from their facts. It says why a command of a run was interrupted. */
import type { OwnerEvent } from '../../protocol/event.ts';

export type OwnerEnd = {
  /** The last fact of it: its orderly end, or else its last sign of life. Null: not known. */
  readonly at: number | null;
  /** Why it stopped in order. Null: its process died. */
  readonly reason: string | null;
  /** When the next owner started. That one records what was interrupted. */
  readonly nextAt: number;
};

/** The reason that an owner records when a person ends it with `supervisor down` or `supervisor owner stop`. */
export const ENDED_BY_PERSON = 'supervisor down';
/** The same in the facts of older versions. */
const ENDED_BY_CLIENT = 'asked by a client';

/** In their order. `facts` may contain other facts of the owner's stream. */
export function findOwnerEnds(facts: readonly OwnerEvent[]): readonly OwnerEnd[] {
  let stopped: { readonly at: number; readonly reason: string } | undefined;
  let hasOwner = false;
  return facts.flatMap((fact) => {
    if (fact.type === 'owner.stopped') stopped = { at: fact.at, reason: fact.payload.reason };
    if (fact.type !== 'owner.started') return [];
    const died = { at: fact.payload.aliveAt ?? null, reason: null };
    const end = { ...(stopped ?? died), nextAt: fact.at };
    const isFirst = !hasOwner && stopped === undefined && died.at === null;
    [stopped, hasOwner] = [undefined, true];
    return isFirst ? [] : [end];
  });
}

/** Why a command that began and was interrupted at these times has no end of its own. Times are in UTC. */
export function describeInterruption(
  ends: readonly OwnerEnd[],
  { begunAt, endedAt }: { readonly begunAt: number; readonly endedAt: number },
): string {
  // The first owner that ended after the command began had started it.
  const end = ends.find(({ nextAt }) => nextAt >= begunAt && nextAt <= endedAt);
  if (end === undefined) return 'the owner ended';
  const time = end.at === null ? '' : new Date(end.at).toISOString();
  if (end.reason === null)
    return `the owner process died${time === '' ? '' : `, last seen at ${time}`}`;
  if (end.reason === ENDED_BY_PERSON || end.reason === ENDED_BY_CLIENT)
    return `the owner was ended with supervisor down at ${time}`;
  return `the owner ended at ${time} (${end.reason})`;
}
