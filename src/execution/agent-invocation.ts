/** Builds the command of an agent, in a new conversation or in the one that the attempt continues. */
import type { AgentAdapter } from '../adapters/adapter.ts';
import { hashText } from '../base/hash-text.ts';
import type { CommandRequest } from '../engine/performer.ts';
import { answerJsonSchema } from '../protocol/answer.ts';
import type { PreparedAttempt } from './prepare-attempt.ts';

export type AgentInvocation = {
  readonly invocation: ReturnType<AgentAdapter['command']>;
  /** The name of the conversation, if Supervisor chose it. Null: the agent chooses it. */
  readonly session: string | null;
};

/** If a CLI can't continue a conversation, it gets the whole prompt in a new one. */
export function agentInvocation(attempt: PreparedAttempt): AgentInvocation {
  const { adapter, environment, request, input, ports } = attempt;
  const { prompt, resume, resumePrompt, brief } = input;
  const session = adapter.namesSessionLate === true ? newSession(request) : null;
  const agentBrief = {
    ...environment.agentBrief,
    node: ports.node,
    session,
    allowedTools: brief?.allowedTools ?? null,
    answerSchema: brief === undefined ? null : answerJsonSchema(brief.answer),
    orchestrates: false,
  };
  const inNewConversation = { ...agentBrief, prompt, resume: null };
  if (resume === null) return { invocation: adapter.command(inNewConversation), session };
  const resumed = adapter.command({ ...agentBrief, prompt: resumePrompt ?? prompt, resume });
  return resumed.kind === 'refused'
    ? { invocation: adapter.command(inNewConversation), session }
    : { invocation: resumed, session: session === null ? null : resume };
}

/** A UUID that only this attempt has. */
function newSession({ run, key }: CommandRequest): string {
  const hash = hashText(`${run}/${key}`);
  const [a, b, c, d, e] = [
    [0, 8],
    [8, 12],
    [13, 16],
    [17, 20],
    [20, 32],
  ].map(([from, to]) => hash.slice(from, to));
  return `${a}-${b}-4${c}-a${d}-${e}`;
}
