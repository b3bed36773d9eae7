/** What runs in the terminal of a person: the agent's own program in its conversation, or a shell in its sandbox. */
import type { Invocation } from '../../adapters/adapter.ts';
import type { TakeoverItem } from '../../protocol/takeover.ts';
import { newSession } from '../agent-invocation.ts';
import type { PreparedAttempt } from '../prepare-attempt.ts';

export type TerminalInvocation = Pick<
  Extract<TakeoverItem, { kind: 'begun' }>,
  'program' | 'instead'
> & {
  readonly invocation: Invocation;
  /** The conversation, by its name. Null: a shell, or the program chooses the name. */
  readonly session: string | null;
};

/** A system without bash has sh. */
const SHELL = 'command -v bash >/dev/null && exec bash -i; exec sh -i';

export function terminalInvocation(attempt: PreparedAttempt, term: string): TerminalInvocation {
  const { adapter, environment, input, request, ports } = attempt;
  const { why, resume } = input;
  const brief = {
    ...environment.agentBrief,
    node: ports.node,
    prompt: input.prompt,
    resume,
    session: newSession(request),
    mailbox: null,
    allowedTools: input.brief?.allowedTools ?? null,
    answerSchema: null,
    orchestrates: false,
  };
  const normal = adapter.command(brief);
  const env = { ...(normal.kind === 'run' ? normal.env : {}), TERM: term };
  const shell = (instead: string | null): TerminalInvocation => ({
    program: 'shell',
    instead,
    session: resume,
    invocation: { ...PLAIN, argv: ['sh', '-c', SHELL], env },
  });
  if (why.kind === 'takeover' && why.shell === true) return shell(null);
  const { id, cli } = input.agent;
  if (adapter.atTerminal === undefined)
    return shell(`Supervisor does not know how ${id} continues a conversation at a terminal.`);
  const own = adapter.atTerminal(brief);
  if (own.kind === 'refused') return shell(`${cli} ${own.why}.`);
  const { session, ...invocation } = own;
  return {
    program: resume === null ? 'new-conversation' : 'conversation',
    instead: null,
    session,
    invocation: { ...invocation, env: { ...invocation.env, TERM: term } },
  };
}

const PLAIN = {
  kind: 'run',
  stdin: '',
  files: {},
  wantsPromptFile: false,
  askSignal: 'SIGTERM',
} as const;
