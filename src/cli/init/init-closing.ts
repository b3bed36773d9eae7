/** The last lines of `supervisor init`: what the tried setup and gates mean for a run, and what to type next. */
import type { RefusalData } from '../../base/errors.ts';
import type { BaseCheckStep } from '../../protocol/views/base-check-view.ts';

const CONFIG_FILE = '.supervisor/config.yaml';

export type InitEnd = {
  /** Whether an agent CLI is installed and logged in. */
  readonly hasAgent: boolean;
  readonly steps: readonly BaseCheckStep[];
  readonly isInterrupted: boolean;
};

/** Names a run only if one could begin. */
export function initClosing({ hasAgent, steps, isInterrupted }: InitEnd): string {
  if (isInterrupted) return 'Stopped. The file stays; to try it again: supervisor init\n';
  const blocked = steps.find(
    ({ kind, state }) => state === 'unable' || (kind === 'setup' && state === 'failed'),
  );
  if (blocked?.kind === 'setup')
    return `The setup is red, so a run would be blocked before any agent starts.
If the command is wrong, correct setup in ${CONFIG_FILE}.\n${TRY_AGAIN}`;
  if (blocked !== undefined)
    return `The gate ${blocked.name} could not run, so a run would end before any agent starts.
Correct its command in ${CONFIG_FILE}.\n${TRY_AGAIN}`;
  const red = steps.find(({ state }) => state === 'failed');
  return `${red === undefined ? '' : RED_GATE}${nextRun(hasAgent, red)}`;
}

/** The sandbox is to blame, not a command of the file. */
export function nothingTried({ message, hint = '' }: RefusalData): string {
  return `Neither the setup nor a gate was tried. ${message}\n${hint}\nThen try it again: supervisor init\n`;
}

const RED_GATE = `Not everything is green. If the code is wrong, an agent can repair it.
If the command is wrong, correct it in ${CONFIG_FILE}.\n`;

const TRY_AGAIN = 'Then try it again: supervisor trust && supervisor init\n';

/** The task is an example: what is red now, if anything is. */
function nextRun(hasAgent: boolean, red: BaseCheckStep | undefined): string {
  if (!hasAgent) return 'No agent is ready. To see what is missing: supervisor doctor\n';
  if (red === undefined) return 'Start a run with: supervisor run "describe your task here"\n';
  const name = /^[\w -]+$/.test(red.name) ? red.name : 'gate'; // a shell would expand other names
  return `Start a run with: supervisor run "fix the failing ${name}"\n`;
}
