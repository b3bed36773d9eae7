/** Refuses an address to which nothing can ever be delivered, or not what the person expects. */
import { resolve } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import { lineOfShell, shellSyntax, shellWords } from '../../base/shell-words.ts';
import { which } from '../../host/process/which.ts';

export function checkNotify(notify: string): void {
  const words = shellWords(notify) ?? [];
  const [first = ''] = words;
  if (isUrl(notify) ? !URL.canParse(notify) : words.length === 0)
    throw invalid(
      `${JSON.stringify(notify)} is neither a command nor a URL for notifications.`,
      'Write a command as you would type it, for example --notify "notify-send Supervisor", or a URL that starts with http:// or https://.',
    );
  if (isUrl(notify)) return;
  const [, scheme] = /^([a-z][a-z\d+.-]+):/i.exec(first) ?? [];
  if (scheme !== undefined)
    throw invalid(
      `${JSON.stringify(notify)} has the scheme ${scheme}. Notifications are sent to http and https only.`,
      'Use a URL that starts with http:// or https://, or a command that sends it elsewhere.',
    );
  // A shell that the person names executes its line itself.
  const syntax = lineOfShell(words) === undefined ? shellSyntax(notify) : undefined;
  if (syntax === undefined) return;
  throw invalid(
    `${JSON.stringify(notify)} contains ${syntax}, which only a shell understands. Supervisor starts the command without a shell.`,
    /['"]/.test(notify)
      ? 'Put the line into a script, and name the script with --notify.'
      : `Start a shell yourself: --notify 'sh -c "${notify}"'`,
  );
}

/** Refuses a command that the owner, whose environment this is, can't start: a person would hear of it too late. */
export function requireNotifyProgram(
  notify: string,
  env: Readonly<Record<string, string | undefined>>,
): void {
  const [program] = isUrl(notify) ? [] : (shellWords(notify) ?? []);
  if (program === undefined) return;
  // It starts in the home folder.
  const path = program.includes('/') ? resolve(env['HOME'] ?? '/', program) : program;
  if (which(path, env) !== undefined) return;
  throw invalid(
    `The owner finds no program ${JSON.stringify(program)} for notifications.`,
    'Check how it is spelled, or write its whole path. To send them to a URL, begin with http:// or https://.',
  );
}

export function isUrl(notify: string): boolean {
  return /^https?:\/\//i.test(notify);
}

function invalid(message: string, hint: string): Refusal {
  return new Refusal({ code: 'usage.invalid', message, hint });
}
