/**
 * Whether a call only waits for something else, such as a build or a service. Waiting is neither progress nor a failure:
 * an agent that looks at a slow job fifty times is well.
 */
import type { ToolError } from '../protocol/turn.ts';
import { hasEnded, saysOngoing, saysPending, saysState } from './job-words.ts';
import { isLook } from './is-look.ts';
import { judgesWork } from './judges-work.ts';
import { isNoteTool } from './note-tool.ts';
import { countFailing } from './progress-signs.ts';
import { COMMAND_CHARS_MAX } from './tool-fields.ts';

/** Tools that read the output of a command that is still running, or ask how it is. */
const WAIT_TOOL =
  /(?:bash|task|agent|terminal|process|background)_?output|read_(?:bash|agent)|write_stdin|(?:command|task|job|build|run|agent)_?status/i;
const WAIT_WORD =
  /(?:(?<![A-Za-z])(?:[Ww]ait|[Ss]leep|[Aa]wait|[Pp]oll)|(?<=[a-z])(?:Wait|Sleep|Await|Poll))(?![a-z])/;
/** Such a call of a tool that waits has not waited at all. */
const REFUSED: ReadonlySet<ToolError> = new Set(['not-found', 'permission', 'syntax']);
/** Where a shell expects a command. Elsewhere, such a word is an argument. */
const BEGIN = String.raw`(?:^|[;&|({]|\b(?:do|then|else|time|sudo|command)\s)\s*`;
/** Commands that end when something has happened, whether they have seen it or not. */
const UNTIL_COMMAND = new RegExp(
  `${BEGIN}(?:until|watch|wait)(?= +\\S|$)|${BEGIN}while +!|--watch(?![=\\w-])|\\b(?:run|pr checks --) ?watch\\b|\\brollout status\\b|\\btail +-[fF]\\b|\\bwait-for|\\bkubectl wait\\b|${BEGIN}Wait-[A-Z]`,
);
const SLEEP = `${BEGIN}(?:sleep|Start-Sleep|timeout /t)(?= +\\S)`;
const SLEEP_COMMAND = new RegExp(SLEEP);
const SLEEP_PART = new RegExp(`${SLEEP}[^;&|)}]*`, 'g');
/** Commands that ask how something else is. A repository is no such thing: it changes by the agent's own work. */
const STATUS_COMMAND =
  /(?:^|[\s;&|({/])(?:squeue|sacct|bjobs|condor_q|qstat|ps|pgrep|jobs|pg_isready|systemctl (?:is-active|status)|journalctl|kubectl (?:get|describe|logs)|(?:docker|podman)(?:[ -]compose)? (?:ps|inspect|logs|info)|pm2 (?:list|ls|jlist)|(?:gh|glab) (?:run|pr|ci) (?:view|list|checks|status)|(?:aws|az|gcloud) .{0,200}\b(?:describe|get|list|show|ls|head)\S*|nc -z|Get-(?:Job|Process|Service))(?=$|[\s;&|)])|\btail\b.{0,100}\.(?:log|out|err)\b|\bcurl\b.{0,200}%\{http_code\}/;
const STATUS_WORD =
  /(?:^|[\s;&|({/:._-])(?:status|poll|progress|health(?:z|check)?|ready|readyz|alive|ping)(?=$|[\s;&|)"'?._:-])/i;
const OF_WORK = /\b(?:git|hg|svn|jj|cat|less|head|sed|grep|rg|find|ls|wc)\b/;
/** What they say is about the work itself: a merge in progress, and the words of a source file. */
const VERSION_CONTROL = /^\W*(?:cd \S+ *(?:&&|;) *)?(?:git|hg|svn|jj)\b/;
const SOURCE =
  /\.(?:[cm]?[jt]sx?|py|rs|go|java|kt|c|cc|cpp|h|hpp|rb|php|swift|cs|md|html?|s?css|vue|svelte|sql)\b/i;

/** A server asks to come back later, or another process holds a lock. */
const COME_BACK =
  /\b(?:too many requests|rate[ -]?limit(?:ed|s)?|rate exceeded|throttl\w+|overloaded\w*|service unavailable|temporarily unavailable|bad gateway|gateway time-?out|retry[ -]after|try again (?:later|shortly|soon|in)|could not get lock|waiting for (?:file |cache |the )?lock)\b|\b(?:error|status|code|http)\b.{0,20}\b(?:429|529|50[234])\b/i;
/** A question about a service that nothing answers yet: the service is not up. */
const UNANSWERED: ReadonlySet<ToolError> = new Set(['network', 'timeout']);
const NO_CONNECTION =
  /^0{3}$|\b(?:cannot|can't|can not|could not|failed to) connect\b|\bconnect\b.{0,60}\bfailed\b/i;
/** A command on another machine that only shows whether the machine is up. */
const KNOCK = /\bssh\b.{0,200}\s(?:true|uptime|exit|hostname|date|echo \S+)["']?$/;

const PENDING_CHARS = 500;

export type WaitingCall = {
  readonly tool: string;
  /** Its command or its files. */
  readonly subject: string | undefined;
  readonly output: string;
  /** Null: it succeeded. */
  readonly error: ToolError | null;
  /** It types something into a program that is running, so it does more than to wait. */
  readonly isTyped?: boolean;
};

export function isWaiting(call: WaitingCall): boolean {
  const { tool, output, error, isTyped = false } = call;
  const subject = (call.subject ?? '').slice(0, COMMAND_CHARS_MAX);
  if (isWaitTool(tool) && !isTyped) return error === null || !REFUSED.has(error);
  if (UNTIL_COMMAND.test(subject)) return true;
  if (SLEEP_COMMAND.test(subject)) return error === null || waitsInVain(call, error);
  if (countFailing(output) !== undefined) return false;
  if (error === null && asksForStatus(subject)) return !hasEnded(output);
  if (saysItself({ tool, subject })) return false;
  if (output.length > PENDING_CHARS) return false;
  if (saysPending(output) && (error === null || isTooEarly(subject))) return true;
  if (error !== null) return asksInVain(subject, output, error);
  return saysState(output) || saysOngoing(output);
}

function isWaitTool(tool: string): boolean {
  return WAIT_TOOL.test(tool) || WAIT_WORD.test(tool);
}

export function asksForStatus(command: string): boolean {
  if (STATUS_COMMAND.test(command) || KNOCK.test(command)) return true;
  return STATUS_WORD.test(command) && !OF_WORK.test(command);
}

/** Words about waiting are about the work itself. */
export function saysItself({
  tool,
  subject,
}: {
  readonly tool: string;
  readonly subject: string;
}): boolean {
  return (
    isNoteTool(tool) ||
    VERSION_CONTROL.test(subject) ||
    (SOURCE.test(subject) && isLook({ tool, subject }))
  );
}

/** What follows a pause has failed. If it is no question, then the pause has changed nothing. */
function waitsInVain({ tool, subject = '', output }: WaitingCall, error: ToolError): boolean {
  const rest = subject.replaceAll(SLEEP_PART, '').replace(/^\W+/, '');
  if (rest.trim() === '' || output.trim() === '' || UNANSWERED.has(error)) return true;
  if ((saysPending(output) && isTooEarly(rest)) || COME_BACK.test(output)) return true;
  return isLook({ tool, subject: rest }) || asksForStatus(rest);
}

/** It has failed because something else is pending, not because of the work. */
function isTooEarly(command: string): boolean {
  return asksForStatus(command) || !judgesWork(command);
}

function asksInVain(command: string, output: string, error: ToolError): boolean {
  if (COME_BACK.test(output)) return true;
  if (!asksForStatus(command)) return false;
  return UNANSWERED.has(error) || output.trim() === '' || NO_CONNECTION.test(output);
}
