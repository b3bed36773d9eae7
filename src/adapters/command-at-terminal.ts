/** The program of an agent at a terminal, for CLIs whose command there differs in a few arguments only. */
import type { AgentBrief, AtTerminal, Invocation, InvocationRefusal } from './adapter.ts';
import { firstPrompt } from './first-prompt.ts';

type Difference = {
  /** How many arguments after the program are for unattended work only. */
  readonly unattendedArgs: number;
  /** The option with the first prompt of a new conversation. */
  readonly promptOption: string;
  /** The name of a new conversation. Null: the program chooses it. */
  readonly newSession: string | null;
};

export function commandAtTerminal(
  brief: AgentBrief,
  unattended: Invocation | InvocationRefusal,
  { unattendedArgs, promptOption, newSession }: Difference,
): AtTerminal | InvocationRefusal {
  if (unattended.kind === 'refused') return unattended;
  const { resume } = brief;
  const [program, ...args] = unattended.argv;
  const first = firstPrompt(brief);
  return {
    ...unattended,
    argv: [
      program,
      ...args.slice(unattendedArgs),
      ...(resume === null ? [`${promptOption}=${first.prompt}`] : []),
    ],
    stdin: '',
    wantsPromptFile: resume === null && first.wantsPromptFile,
    session: resume ?? newSession,
  };
}
