/** What the commands about a change share: the secret of an approver, and what they print. */
import { Refusal } from '../../base/errors.ts';
import { runStatus } from '../../protocol/views/run-status.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { statusDocument } from '../../public-json/status-document.ts';
import { askQuestion } from './ask-question.ts';
import { canAsk } from './ask-trust.ts';
import type { CliContext } from '../cli-context.ts';
import { printJson } from '../json/print-json.ts';
import { signalledRun } from '../runs/signal-runs.ts';

/** The secret of the approver that `--as` names. Undefined: none is named. */
export async function readApproverSecret(
  context: CliContext,
  { as, secretStdin }: { readonly as?: string; readonly secretStdin: boolean },
): Promise<string | undefined> {
  if (as === undefined) {
    if (!secretStdin) return undefined;
    throw new Refusal({
      code: 'usage.invalid',
      message: '--secret-stdin needs --as: a secret belongs to an approver.',
      hint: 'Name the approver too: --as NAME',
    });
  }
  if (secretStdin) return (await context.stdin()).trim();
  if (!canAsk(context))
    throw new Refusal({
      code: 'usage.invalid',
      message: `The secret of ${as} cannot be asked for, because there is no terminal.`,
      hint: 'Send it to standard input, and add --secret-stdin.',
    });
  return askQuestion(context, 'No decision was sent.', ({ password }, asking) =>
    password({ ...asking, message: `The secret of ${as}:` }),
  );
}

/** What became of the run after the decision. */
export function printDecided(
  context: CliContext,
  view: RunView,
  { json }: { readonly json: boolean },
): void {
  if (json) printJson(context, statusDocument([signalledRun(view)]));
  else context.out(`${view.id}  ${runStatus(view)}\n`);
}
