/** The prompt of a new conversation at a terminal, where it is an argument of the program. */
import type { AgentBrief } from './adapter.ts';

/** The system limits the length of one argument. */
const CHARS_MAX = 20_000;

export function firstPrompt({ prompt, promptFile }: AgentBrief): {
  readonly prompt: string;
  readonly wantsPromptFile: boolean;
} {
  if (prompt.length <= CHARS_MAX) return { prompt, wantsPromptFile: false };
  return { prompt: `Your task is in the file ${promptFile}. Read it.`, wantsPromptFile: true };
}
