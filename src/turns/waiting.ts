/**
 * Whether a call only waits for something else, such as a build or a service. Waiting is neither progress nor a failure:
 * an agent that looks at a slow job fifty times is well.
 */
import type { ToolError } from '../protocol/turn.ts';
import { countFailing } from './progress-signs.ts';

/** Tools that read the output of a command that is still running, or ask how it is. */
const WAIT_TOOL =
  /wait|sleep|bash_?output|task_?output|terminal_?output|process_?output|read_bash|write_stdin|await|poll|(?:command|task|job|build|run)_?status/i;
/** Commands that end when time has passed, or when something has happened. */
const WAIT_COMMAND =
  /(?:^|[\s;&|({])(?:sleep|wait|watch|until) +\S|--watch\b|\b(?:run|pr checks --) ?watch\b|\brollout status\b|\btail +-f\b|\bwait-for|\bkubectl wait\b/;
/** Commands that ask how something else is. A repository is no such thing: it changes by the agent's own work. */
const STATUS_COMMAND =
  /(?:^|[\s;&|({/])(?:squeue|qstat|ps|pgrep|jobs|pg_isready|systemctl (?:is-active|status)|kubectl (?:get|describe)|docker(?:[ -]compose)? (?:ps|inspect)|(?:gh|glab) (?:run|pr|ci) (?:view|list|checks|status)|(?:aws|az|gcloud) .{0,200}\b(?:describe|get|list|show)\S*|nc -z)(?=$|[\s;&|)])|\btail\b.{0,100}\.(?:log|out|err)\b/;
const STATUS_WORD =
  /(?:^|[\s;&|({/:._-])(?:status|poll|progress|health(?:z|check)?|ready|readyz|alive)(?=$|[\s;&|)"'?._:-])/i;
const OF_WORK = /\b(?:git|hg|svn|jj|cat|less|head|sed|grep|rg|find|ls|wc)\b/;

/** The job says itself that it is under way, anywhere in a short output. */
const PENDING =
  /(?<![a-z])(?:still running|in[ _-]progress|pending|queued|not (?:yet )?(?:ready|finished|done|complete[d]?|available|up)|waiting for|timed out waiting|percent complete|activating|rejecting connections|no response)(?![a-z])/i;
/** A server asks to come back later. */
const COME_BACK =
  /\b(?:too many requests|rate[ -]?limit(?:ed|s)?|service unavailable|temporarily unavailable|bad gateway|gateway time-?out|retry[ -]after)\b|\b(?:error|status|code|http)\b.{0,20}\b(?:429|50[234])\b/i;
/** A question about a service that nothing answers yet: the service is not up. */
const UNANSWERED: ReadonlySet<ToolError> = new Set(['network', 'timeout']);
/** The last line is about something that is still running. A command that fails with such a line has failed. */
const ONGOING =
  /(?<![a-z])(?:still|running|waiting|processing|(?:container)?creating|provisioning|deploying|building|compiling|linking|installing|downloading|uploading|pulling|initiali[sz]ing|starting|booting|preparing|scheduled|accepted|not yet|try again|timeout occurred)(?![a-z])|(?<!\d)\d{1,2}(?:\.\d+)? ?%|"(?:done|ready|finished|complete)": ?false|(?:\.\.\.|…)$/i;
/** The same, in a field of a longer output. */
const ONGOING_FIELD =
  /"(?:status|state|phase|conclusion)": ?"(?:\w+[ _-])?(?:running|waiting|processing|creating|building|deploying|provisioning|starting|scheduled|accepted|updating)"/i;
const OVER = /(?<![a-z])(?:errors?|fail(?:ed|ure)?|passed|succeeded|success)(?![a-z])/i;
/** What a job says that has ended, and no service that runs. */
const ENDED = /(?<![a-z])(?:completed|succeeded|success|finished|failed|cancelled|done)(?![a-z])/i;
const SHARE =
  /(?<![\d/.:-])(?<part>\d{1,9})\/(?<whole>\d{1,9})(?![\d/.:-])|\b(?:epoch|step|stage|phase|batch|chunk) (?<nth>\d{1,9}) of (?<last>\d{1,9})\b/i;
const PENDING_CHARS = 500;
const LINE_CHARS = 200;

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
  const { tool, subject = '', output, error, isTyped = false } = call;
  if ((WAIT_TOOL.test(tool) && !isTyped) || WAIT_COMMAND.test(subject)) return true;
  if (countFailing(output) !== undefined) return false;
  if (error === null && asksForStatus(subject)) return !hasEnded(output);
  if (output.length > PENDING_CHARS) return false;
  if (PENDING.test(output)) return true;
  if (error !== null) return asksInVain(subject, output, error);
  return ONGOING_FIELD.test(output) || saysOngoing(lastLine(output));
}

function asksForStatus(command: string): boolean {
  if (STATUS_COMMAND.test(command)) return true;
  return STATUS_WORD.test(command) && !OF_WORK.test(command);
}

/** A short answer. In a long one, words about one part say nothing about the others. */
function hasEnded(output: string): boolean {
  if (output.length > PENDING_CHARS || !ENDED.test(output)) return false;
  return !PENDING.test(output) && !ONGOING_FIELD.test(output) && !ONGOING.test(output);
}

function asksInVain(command: string, output: string, error: ToolError): boolean {
  if (COME_BACK.test(output)) return true;
  return asksForStatus(command) && (UNANSWERED.has(error) || output.trim() === '');
}

function saysOngoing(line: string): boolean {
  if (line.length > LINE_CHARS || OVER.test(line)) return false;
  const { part, whole, nth, last } = SHARE.exec(line)?.groups ?? {};
  return ONGOING.test(line) || Number(part ?? nth) < Number(whole ?? last);
}

function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1)?.trim() ?? '';
}
