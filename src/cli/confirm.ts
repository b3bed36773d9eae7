/** Questions whose default answer is no. */
import { Refusal } from '../base/errors.ts';
import { canAsk } from './ask-trust.ts';
import type { CliContext } from './cli-context.ts';
import { loadPrompts } from './load-prompts.ts';

/** Whether the person says yes. */
export type Confirm = (question: string) => Promise<boolean>;

/** Undefined: there is no terminal to ask at. */
export function confirmAtTerminal(context: CliContext): Confirm | undefined {
  return context.confirm ?? (canAsk(context) ? confirmed : undefined);
}

export type AskingOptions = {
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
};

/** For a command with a preview. Refuses if it would have to ask and cannot. */
export function requireConfirm(
  context: CliContext,
  command: string,
  { dryRun, yes, json }: AskingOptions,
): Confirm {
  if (dryRun || yes) return () => Promise.resolve(yes);
  const ask = json ? undefined : confirmAtTerminal(context);
  if (ask !== undefined) return ask;
  throw new Refusal({
    code: 'usage.invalid',
    message: `${command} asks before it changes anything, and it cannot ask here.`,
    hint: 'Add --yes to do it without a question, or --dry-run to only see the preview.',
  });
}

async function confirmed(message: string): Promise<boolean> {
  const { confirm, isCancel } = await loadPrompts();
  const answer = await confirm({ message, initialValue: false, output: process.stderr });
  return !isCancel(answer) && answer;
}
