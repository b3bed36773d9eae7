/** `--notify`, or the variable that stands for it, of a command that starts a run. */
import { defined } from '../../base/defined.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { CliContext } from '../cli-context.ts';

type NotifyOption = { readonly notify?: string };

export const NOTIFY_OPTION = [
  '--notify <command|url>',
  'notify when the run ends or has a question, with JSON (default: $SUPERVISOR_NOTIFY)',
] as const;

/** The part of a request that says where its notifications go. */
export function notifyRequest(
  { env }: Pick<CliContext, 'env'>,
  { notify }: NotifyOption,
): Pick<RunRequest, 'notify' | 'isUsualNotify' | 'signsNotify'> {
  const to = notify ?? env['SUPERVISOR_NOTIFY'] ?? '';
  // A command gets its notification from a process of the same user, so only a URL needs a signature.
  const isSigned = /^https?:/i.test(to) && (env['SUPERVISOR_NOTIFY_SECRET'] ?? '') !== '';
  return defined({
    notify: to === '' ? undefined : to,
    isUsualNotify: notify === undefined ? (true as const) : undefined,
    signsNotify: isSigned ? (true as const) : undefined,
  });
}
