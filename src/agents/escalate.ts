/** What an agent's trouble becomes for others: letters to its parent and the root, a question to a person. */
import type { EscalatedIssue } from '../monitors/escalation.ts';
import { DEFAULT_ESCALATION, escalate, settleEscalation } from '../monitors/escalation.ts';
import type { AgentStateChange, OutgoingMessage, AgentProgramState } from './agent-state.ts';

/** Whatever goes wrong, others get so many letters at a time and a person so many open questions. */
const OUTBOX_MAX = 100;
const MATTERS_MAX = 20;
const RUNGS = 2;

type Trouble = Omit<EscalatedIssue, 'agent'>;

/** A monitor has seen something: one step up each time that it says so. */
export function escalateIssue(
  state: AgentProgramState,
  trouble: Trouble,
  atMs: number,
): AgentStateChange {
  const { does, left } = climbed(state, trouble, atMs);
  const known = { escalations: left };
  if (does.kind === 'tell')
    return { ...known, outbox: postMessage(state, does.rung, trouble.what) };
  if (does.kind === 'counted' || state.matters.length >= MATTERS_MAX) return known;
  return { ...known, ...raiseIssue(state, trouble) };
}

/** A person is asked at once, and not twice about the same. */
export function askOnce(state: AgentProgramState, trouble: Trouble): AgentStateChange {
  const isAsked = state.matters.some(({ kind }) => kind === trouble.kind);
  return isAsked || state.matters.length >= MATTERS_MAX ? {} : raiseIssue(state, trouble);
}

/** Nobody will say it again, so all hear of it at once; the question itself is the caller's. */
export function notifyAbove(
  state: AgentProgramState,
  trouble: Trouble,
  atMs: number,
): AgentStateChange {
  let now: Pick<AgentProgramState, 'escalations' | 'outbox'> = state;
  for (let rung = 0; rung < RUNGS; rung += 1) {
    const { does, left } = climbed({ ...state, ...now }, trouble, atMs);
    if (does.kind !== 'tell') break;
    now = { escalations: left, outbox: postMessage({ ...state, ...now }, does.rung, trouble.what) };
  }
  return { escalations: now.escalations, outbox: now.outbox };
}

/** A question to a person that keeps nothing from going on. */
export function raiseIssue(
  state: AgentProgramState,
  { kind, what, choices }: Trouble,
): AgentStateChange {
  const number = state.mattersAsked + 1;
  const matter = { number, kind, question: `${state.life.name}: ${what}`, choices };
  return { mattersAsked: number, matters: [...state.matters, matter] };
}

/** It came right, or somebody has answered: if it comes again, it begins at the bottom. */
export function settleIssue(state: AgentProgramState, kind: string): AgentStateChange {
  return {
    escalations: settleEscalation(state.escalations, { agent: state.life.name, kind }),
    matters: state.matters.filter((one) => one.kind !== kind),
  };
}

/** To nobody where it belongs to nobody. */
export function postMessage(
  { outbox, life }: Pick<AgentProgramState, 'outbox' | 'life'>,
  to: OutgoingMessage['to'],
  text: string,
): readonly OutgoingMessage[] {
  if (life.parent === null || outbox.length >= OUTBOX_MAX) return outbox;
  return [...outbox, { to, text, lost: 0 }];
}

function climbed(
  { life, escalations }: AgentProgramState,
  trouble: Trouble,
  nowMs: number,
): ReturnType<typeof escalate> {
  const parent = life.parent === null ? 'none' : 'own';
  const matter = { agent: life.name, ...trouble };
  return escalate(escalations, matter, DEFAULT_ESCALATION, { nowMs, parent });
}
