/** Reports an agent's trouble to others: messages to its parent and the root, and a question to a person. */
import type { EscalatedIssue } from '../monitors/escalation.ts';
import { DEFAULT_ESCALATION, escalate, settleEscalation } from '../monitors/escalation.ts';
import type { OutgoingMessage, AgentProgramState } from './agent-state.ts';
import { update } from './agent-state.ts';

/** Bounds on undelivered messages and on open questions, whatever happens. */
const OUTGOING_MAX = 100;
const ISSUES_MAX = 20;
const LEVELS = 2;

type Trouble = Omit<EscalatedIssue, 'agent'>;

/** A monitor reports trouble. Each report goes one step further up. */
export function escalateIssue(
  state: AgentProgramState,
  trouble: Trouble,
  atMs: number,
): AgentProgramState {
  const { decision, escalations } = escalateOnce(state, trouble, atMs);
  const counted = update(state, { issues: { escalations } });
  if (decision.kind === 'tell') return postMessage(counted, decision.rung, trouble.what);
  if (decision.kind === 'counted' || state.issues.open.length >= ISSUES_MAX) return counted;
  return raiseIssue(counted, trouble);
}

/** Asks a person at once, and not twice about the same kind of trouble. */
export function askOnce(state: AgentProgramState, trouble: Trouble): AgentProgramState {
  const { open } = state.issues;
  const isAsked = open.some(({ kind }) => kind === trouble.kind);
  return isAsked || open.length >= ISSUES_MAX ? state : raiseIssue(state, trouble);
}

/** Notifies parent and root at once, because this trouble is not reported again. The caller asks the person. */
export function notifyAbove(
  state: AgentProgramState,
  trouble: Trouble,
  atMs: number,
): AgentProgramState {
  let current = state;
  for (let level = 0; level < LEVELS; level += 1) {
    const { decision, escalations } = escalateOnce(current, trouble, atMs);
    if (decision.kind !== 'tell') break;
    current = postMessage(
      update(current, { issues: { escalations } }),
      decision.rung,
      trouble.what,
    );
  }
  return current;
}

/** Puts a question to a person. The agent does not wait for the answer. */
export function raiseIssue(
  state: AgentProgramState,
  { kind, what, choices }: Trouble,
): AgentProgramState {
  const { open, asked } = state.issues;
  const number = asked + 1;
  const question = `${state.pinned.agent.name}: ${what}`;
  return update(state, {
    issues: { asked: number, open: [...open, { number, kind, question, choices }] },
  });
}

/** The trouble is over or answered. If it comes again, it starts at the lowest step. */
export function settleIssue(state: AgentProgramState, kind: string): AgentProgramState {
  const { escalations, open } = state.issues;
  const agent = state.pinned.agent.name;
  return update(state, {
    issues: {
      escalations: settleEscalation(escalations, { agent, kind }),
      open: open.filter((one) => one.kind !== kind),
    },
  });
}

/** An agent without a parent has no recipient, so nothing is sent. */
export function postMessage(
  state: AgentProgramState,
  to: OutgoingMessage['to'],
  text: string,
): AgentProgramState {
  const { outgoing } = state.mailbox;
  if (state.pinned.agent.parent === null || outgoing.length >= OUTGOING_MAX) return state;
  return update(state, { mailbox: { outgoing: [...outgoing, { to, text, interruptions: 0 }] } });
}

function escalateOnce(
  { pinned, issues }: AgentProgramState,
  trouble: Trouble,
  nowMs: number,
): ReturnType<typeof escalate> {
  const { name, parent } = pinned.agent;
  const issue = { agent: name, ...trouble };
  return escalate(issues.escalations, issue, DEFAULT_ESCALATION, {
    ...{ nowMs, parent: parent === null ? 'none' : 'own' },
  });
}
