/** The one way to ask at the terminal. */
import type * as Prompts from '@clack/prompts';
import { Canceled } from './canceled.ts';
import type { CliContext, InterruptSignal } from '../cli-context.ts';
import { loadPrompts } from '../input/load-prompts.ts';

/** Where a question is drawn, and what ends it. */
type Asking = { readonly output: NodeJS.WriteStream; readonly signal: AbortSignal };
type Question<Answer> = (
  prompts: typeof Prompts,
  asking: Asking,
) => Promise<Answer | typeof Prompts.CANCEL_SYMBOL>;

/** Resolves with the answer. `undone` says what the command has not done if the person leaves the question. */
export async function askQuestion<Answer>(
  { onInterrupt }: CliContext,
  undone: string,
  question: Question<Answer>,
): Promise<Answer> {
  const prompts = await loadPrompts();
  const left = new AbortController();
  let signal: InterruptSignal | undefined;
  const unlisten = onInterrupt((received) => {
    signal = received;
    left.abort();
  });
  // The terminal is gone, and no answer will come.
  const ended = (): void => left.abort();
  process.stdin.once('end', ended);
  try {
    const output = process.stderr.isTTY ? process.stderr : process.stdout;
    const answer = await question(prompts, { output, signal: left.signal });
    if (answer === prompts.CANCEL_SYMBOL) throw new Canceled(undone, signal);
    return answer;
  } finally {
    process.stdin.off('end', ended);
    unlisten();
  }
}
