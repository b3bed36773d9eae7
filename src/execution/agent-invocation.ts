/** Builds the command of an agent, in a new conversation or in the one that the attempt continues. */
import type { AgentAdapter } from '../adapters/adapter.ts';
import { hashText } from '../base/hash-text.ts';
import type { CommandRequest } from '../engine/performer.ts';
import { announceWord, markMessage } from '../messages/message-text.ts';
import { answerJsonSchema } from '../protocol/answer.ts';
import type { PreparedAttempt } from './prepare-attempt.ts';

export type AgentInvocation = {
  readonly invocation: ReturnType<AgentAdapter['command']>;
  /** The name of the conversation, if Supervisor chose it. Null: the agent chooses it. */
  readonly session: string | null;
  /** What the agent reads first, for agents that read it from a file. */
  readonly prompt: string;
};

/** If a conversation is gone, or its CLI can't continue one, the agent gets the whole prompt in a new one. */
export function agentInvocation(attempt: PreparedAttempt): AgentInvocation {
  const { adapter, environment, request, input, ports } = attempt;
  const { resume, resumePrompt, brief } = input;
  const session = adapter.namesSessionLate === true ? newSession(request) : null;
  const agentBrief = {
    ...environment.agentBrief,
    node: ports.node,
    session,
    allowedTools: brief?.allowedTools ?? null,
    answerSchema: brief === undefined ? null : answerJsonSchema(brief.answer),
    orchestrates: false,
  };
  const inNew = (): AgentInvocation => {
    const prompt = withMessage(attempt, withWord(attempt, input.prompt));
    return {
      invocation: adapter.command({ ...agentBrief, prompt, resume: null }),
      session,
      prompt,
    };
  };
  if (resume === null || environment.lacksConversation === true) return inNew();
  const prompt = withMessage(attempt, resumePrompt ?? input.prompt);
  const resumed = adapter.command({ ...agentBrief, prompt, resume });
  return resumed.kind === 'refused'
    ? inNew()
    : { invocation: resumed, session: session === null ? null : resume, prompt };
}

/** Only an agent that gets messages while it works has to know their mark before. */
function withWord({ request, environment }: PreparedAttempt, prompt: string): string {
  return environment.messages === null ? prompt : `${prompt}\n\n${announceWord(request.run)}`;
}

/** The message of the attempt comes last, where the agent looks first. */
function withMessage({ request, input, ports }: PreparedAttempt, prompt: string): string {
  const { message } = input;
  if (message === undefined) return prompt;
  const marked = markMessage(request.run, message, ports.clock.now());
  return prompt === '' ? marked : `${prompt}\n\n${marked}`;
}

/** A UUID that only this attempt has. */
export function newSession({ run, key }: CommandRequest): string {
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
