/** `doctor --fix`: offers each command by itself, and runs it only after a yes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Refusal } from '../../base/errors.ts';
import type { Fix } from '../../doctor/choose-fixes.ts';
import { askQuestion } from './ask-question.ts';
import { canAsk } from './ask-trust.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

/** Refuses where there is nothing to answer with: no command runs unasked. */
export function requireTerminal(context: CliContext, json: boolean): void {
  if (canAsk(context) && !json) return;
  throw new Refusal({
    code: 'usage.invalid',
    message: json
      ? '--fix and --json cannot be used together: --fix asks before each command.'
      : 'doctor --fix asks before each command, and here is no terminal to ask at.',
    hint: 'Run supervisor doctor, and type the commands that it shows.',
  });
}

/** Whether a command was run. */
export async function offerFixes(context: CliContext, fixes: readonly Fix[]): Promise<boolean> {
  let hasRun = false;
  for (const { finding, commands } of fixes) {
    for (const command of commands) {
      const message = `${finding.title}: run ${printable(command)}`;
      const undone = hasRun ? 'The remaining commands were not run.' : 'No command was run.';
      const answer = await askQuestion(context, undone, ({ confirm }, asking) =>
        confirm({ ...asking, message, initialValue: false }),
      );
      if (!answer) break;
      hasRun = true;
      const code = await runInTerminal(context, command);
      if (code === 0) continue;
      context.err(
        `${paint(context, 'red', 'failed:')} ${printable(command)} ended with ${code}.\n`,
      );
      break;
    }
  }
  return hasRun;
}

async function runInTerminal({ cwd, env }: CliContext, command: string): Promise<string | number> {
  const child = spawn('/bin/sh', ['-c', command], { cwd, env, stdio: 'inherit' });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return code ?? signal ?? 'no exit code';
}
