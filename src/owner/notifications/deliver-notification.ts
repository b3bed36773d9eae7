/** Tells somebody of a run: a command that gets the facts on its standard input, or a URL that they are posted to. */
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { shellWords } from '../../base/shell-words.ts';
import { postJson } from '../../host/net/post-json.ts';
import { runCommand } from '../../host/process/run-command.ts';

/** What is told. `event` and its neighbours are in the command's environment as well. */
export type Notification = {
  readonly event: 'ended' | 'asks';
  readonly run_id: string;
  readonly state: string;
  readonly project: string;
  readonly [more: string]: unknown;
};

export type NotificationDeliveryPorts = {
  readonly clock: Clock;
  /** What the command sees of our environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly tag: string;
};

const DELIVER_MS = 10_000;
const OUTPUT_BYTES_MAX = 64_000;
const SAID_CHARS_MAX = 200;

/** Refuses what can never be told to. */
export function checkNotify(notify: string): void {
  if (isUrl(notify) ? URL.canParse(notify) : (shellWords(notify) ?? []).length > 0) return;
  throw new Refusal({
    code: 'usage.invalid',
    message: `${JSON.stringify(notify)} is neither a command nor a URL that can be told of a run.`,
    hint: 'Write a command as you would type it, such as --notify "notify-send Supervisor", or an address with http.',
  });
}

/** Resolves with how it went, in words. Never rejects, since nothing depends on it. */
export async function deliverNotification(
  notify: string,
  notice: Notification,
  ports: NotificationDeliveryPorts,
): Promise<string> {
  const body = `${JSON.stringify(notice)}\n`;
  return isUrl(notify) ? post(notify, body) : run(notify, notice, body, ports);
}

function isUrl(notify: string): boolean {
  return /^https?:\/\//i.test(notify);
}

async function post(url: string, body: string): Promise<string> {
  const answer = await postJson(url, body, DELIVER_MS);
  switch (answer.kind) {
    case 'answered':
      return answer.status < 300 ? 'told' : `not told: the address answered ${answer.status}`;
    case 'late':
      return `not told: the address took longer than ${DELIVER_MS / 1000} s`;
    case 'unreachable':
      return `not told: ${answer.message.slice(0, SAID_CHARS_MAX)}`;
  }
}

async function run(
  command: string,
  { event, run_id: id, state, project }: Notification,
  body: string,
  { clock, env, tag }: NotificationDeliveryPorts,
): Promise<string> {
  const about = {
    SUPERVISOR_EVENT: event,
    SUPERVISOR_RUN: id,
    SUPERVISOR_STATE: state,
    SUPERVISOR_PROJECT: project,
  };
  const argv = shellWords(command) ?? [];
  // Not in the project: a program or a settings file that an agent left there must not be found.
  const answer = await runCommand(
    { argv, cwd: env['HOME'] ?? '/', env: { ...env, ...about }, stdin: body },
    { clock, tag, deadlineMs: DELIVER_MS, outputBytesMax: OUTPUT_BYTES_MAX },
  );
  switch (answer.kind) {
    case 'ended': {
      if (answer.code === 0) return 'told';
      const said = answer.stderr.trim().split('\n').at(-1)?.slice(0, SAID_CHARS_MAX) ?? '';
      return `not told: the command ended with ${answer.code}${said === '' ? '' : `, ${said}`}`;
    }
    case 'late':
      return `not told: the command took longer than ${DELIVER_MS / 1000} s`;
    case 'called-off':
      return 'not told: the command was called off';
    case 'flooded':
      return 'not told: the command printed without end';
    case 'not-started':
      return `not told: ${answer.message.slice(0, SAID_CHARS_MAX)}`;
  }
}
