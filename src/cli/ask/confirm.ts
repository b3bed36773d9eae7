/** Questions whose default answer is no. */
import { Refusal } from '../../base/errors.ts';
import { canAsk } from './ask-trust.ts';
import type { CliContext } from '../cli-context.ts';
import { askQuestion } from './ask-question.ts';
import { Canceled } from './canceled.ts';

/** Whether the person says yes. `undone` is what the command has not done if the person leaves the question. */
export type Confirm = (question: string, undone: string) => Promise<boolean>;

/** Ends the command unless the person says yes. */
export async function requireYes(
  confirm: Confirm,
  question: string,
  undone: string,
): Promise<void> {
  if (!(await confirm(question, undone))) throw new Canceled(undone);
}

/** The same at a terminal that is known to be there. */
export function requireYesAtTerminal(
  context: CliContext,
  question: string,
  undone: string,
): Promise<void> {
  return requireYes(confirmIn(context), question, undone);
}

/** Undefined: there is no terminal to ask at. */
export function confirmAtTerminal(context: CliContext): Confirm | undefined {
  return context.confirm ?? (canAsk(context) ? confirmIn(context) : undefined);
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

function confirmIn(context: CliContext): Confirm {
  return (message, undone) =>
    askQuestion(context, undone, ({ confirm }, asking) =>
      confirm({ ...asking, message, initialValue: false }),
    );
}
