/** What an agent's trouble becomes for others: letters to its parent and the root, a question to a person. */
import type { Matter } from '../monitors/escalation.ts';
import { DEFAULT_ESCALATION, escalate, settle } from '../monitors/escalation.ts';
import type { Change, Letter, LifeState } from './life-state.ts';

/** Whatever goes wrong, others get so many letters at a time and a person so many open questions. */
const OUTBOX_MAX = 100;
const MATTERS_MAX = 20;
const RUNGS = 2;

type Trouble = Omit<Matter, 'agent'>;

/** A monitor has seen something: one step up each time that it says so. */
export function escalated(state: LifeState, trouble: Trouble, atMs: number): Change {
  const { does, left } = climbed(state, trouble, atMs);
  const known = { escalations: left };
  if (does.kind === 'tell') return { ...known, outbox: posted(state, does.rung, trouble.what) };
  if (does.kind === 'counted' || state.matters.length >= MATTERS_MAX) return known;
  return { ...known, ...put(state, trouble) };
}

/** A person is asked at once, and not twice about the same. */
export function askedOnce(state: LifeState, trouble: Trouble): Change {
  const isAsked = state.matters.some(({ kind }) => kind === trouble.kind);
  return isAsked || state.matters.length >= MATTERS_MAX ? {} : put(state, trouble);
}

/** Nobody will say it again, so all hear of it at once; the question itself is the caller's. */
export function toldAbove(state: LifeState, trouble: Trouble, atMs: number): Change {
  let now: Pick<LifeState, 'escalations' | 'outbox'> = state;
  for (let rung = 0; rung < RUNGS; rung += 1) {
    const { does, left } = climbed({ ...state, ...now }, trouble, atMs);
    if (does.kind !== 'tell') break;
    now = { escalations: left, outbox: posted({ ...state, ...now }, does.rung, trouble.what) };
  }
  return { escalations: now.escalations, outbox: now.outbox };
}

/** A question to a person that keeps nothing from going on. */
export function put(state: LifeState, { kind, what, choices }: Trouble): Change {
  const number = state.mattersAsked + 1;
  const matter = { number, kind, question: `${state.life.name}: ${what}`, choices };
  return { mattersAsked: number, matters: [...state.matters, matter] };
}

/** It came right, or somebody has answered: if it comes again, it begins at the bottom. */
export function settled(state: LifeState, kind: string): Change {
  return {
    escalations: settle(state.escalations, { agent: state.life.name, kind }),
    matters: state.matters.filter((one) => one.kind !== kind),
  };
}

/** To nobody where it belongs to nobody. */
export function posted(
  { outbox, life }: Pick<LifeState, 'outbox' | 'life'>,
  to: Letter['to'],
  text: string,
): readonly Letter[] {
  if (life.parent === null || outbox.length >= OUTBOX_MAX) return outbox;
  return [...outbox, { to, text, lost: 0 }];
}

function climbed(
  { life, escalations }: LifeState,
  trouble: Trouble,
  nowMs: number,
): ReturnType<typeof escalate> {
  const parent = life.parent === null ? 'none' : 'own';
  const matter = { agent: life.name, ...trouble };
  return escalate(escalations, matter, DEFAULT_ESCALATION, { nowMs, parent });
}
