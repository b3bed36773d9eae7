/** Whether a call leaves something running that will end, such as a build. A server never ends, so nothing waits for it. */
import { isRecord } from '../base/json.ts';
import { COMMAND_CHARS_MAX } from './tool-fields.ts';

const FIELDS = ['run_in_background', 'is_background', 'background', 'detach', 'async'];
const COMMAND =
  /(?<![&>|])&(?![&>\d])|\b(?:nohup|setsid|disown|sbatch|qsub|bsub|at now)\b|\bscreen -[a-zA-Z]*d|\btmux new(?:-session)? .{0,100}-d\b|(?:^|\s)(?:--detach|--background|--no-wait|--async)\b|\bdocker run .{0,100}-d\b|\bgh workflow run\b/;
/** What the CLIs say if a command is still running. */
const OUTPUT =
  /\bprocess running with session id\b|\brunning in (?:the )?background\b|\bmoved to (?:the )?background\b|\bsubmitted batch job\b/i;
const SERVICE =
  /\b(?:dev|serve|server|start|watch|preview|runserver|uvicorn|gunicorn|flask|nodemon|redis|postgres|mongod|http-server|http\.server|compose up)\b/;

export function startsJob(args: unknown, subject: string | undefined, output: string): boolean {
  const command = (subject ?? '').slice(0, COMMAND_CHARS_MAX);
  if (command === '' || SERVICE.test(command)) return false;
  const isAsked = isRecord(args) && FIELDS.some((key) => args[key] === true);
  return isAsked || COMMAND.test(withoutQuotes(command)) || OUTPUT.test(output.slice(0, 500));
}

function withoutQuotes(command: string): string {
  return command.replaceAll(/'[^']*'|"[^"]*"/g, '""');
}
