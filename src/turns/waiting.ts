/**
 * Whether a call only waits for something else, such as a build or a service. Waiting is neither progress nor a failure:
 * an agent that looks at a slow job fifty times is well.
 */
import { countFailing } from './progress-signs.ts';

/** Tools of CLIs that read the output of a command that is still running. */
const WAIT_TOOL = /wait|sleep|bash_?output|task_?output|read_bash|write_stdin|await|poll/i;
/** Commands that end when time has passed, or when something has happened. */
const WAIT_COMMAND =
  /(?:^|[\s;&|({])(?:sleep|wait|watch) +\S|\buntil +\S|--watch\b|\b(?:run|pr checks --) ?watch\b|\brollout status\b|\btail +-f\b|\bwait-for|\bkubectl wait\b/;
/** Commands that ask how something else is. A repository is no such thing: it changes by the agent's own work. */
const STATUS_COMMAND =
  /(?:^|[\s;&|({/])(?:squeue|qstat|pgrep|jobs|pg_isready|systemctl (?:is-active|status)|kubectl (?:get|describe)|docker(?:[ -]compose)? (?:ps|inspect)|(?:gh|glab) (?:run|pr|ci) (?:view|list|checks|status)|(?:aws|az|gcloud) .{0,200}\b(?:describe|get|list|show)\S*|nc -z)(?=$|[\s;&|)])|\btail\b.{0,100}\.(?:log|out|err)\b/;
const STATUS_WORD =
  /(?:^|[\s;&|({/:._-])(?:status|poll|progress|health(?:z|check)?|ready|readyz|alive)(?=$|[\s;&|)"'?._:-])/i;
const OF_WORK = /\b(?:git|hg|svn|jj|cat|less|head|sed|grep|rg|find|ls|wc)\b/;

/** The job says itself that it is under way, anywhere in a short output. */
const PENDING =
  /(?<![a-z])(?:still running|in[ _-]progress|pending|queued|not (?:yet )?(?:ready|finished|done|complete[d]?|available|up)|waiting for|timed out waiting|percent complete|activating|rejecting connections|no response)(?![a-z])/i;
/** The last line is about something that is still running. A command that fails with such a line has failed. */
const ONGOING =
  /(?<![a-z])(?:still|running|waiting|processing|(?:container)?creating|provisioning|deploying|building|compiling|linking|installing|downloading|uploading|pulling|initiali[sz]ing|starting|booting|preparing|scheduled|accepted|not yet|try again|timeout occurred)(?![a-z])|(?<!\d)\d{1,2}(?:\.\d+)? ?%|"(?:done|ready|finished|complete)": ?false/i;
const OVER = /(?<![a-z])(?:errors?|fail(?:ed|ure)?|passed|succeeded|success)(?![a-z])/i;
const SHARE = /(?<![\d/.:-])(\d{1,9})\/(\d{1,9})(?![\d/.:-])/;
const PENDING_CHARS = 500;
const LINE_CHARS = 200;

export type WaitingCall = {
  readonly tool: string;
  /** Its command or its files. */
  readonly subject: string | undefined;
  readonly output: string;
  readonly isError: boolean;
};

export function isWaiting({ tool, subject = '', output, isError }: WaitingCall): boolean {
  if (WAIT_TOOL.test(tool) || WAIT_COMMAND.test(subject)) return true;
  if (output.length > PENDING_CHARS || countFailing(output) !== undefined) return false;
  if (PENDING.test(output)) return true;
  if (isError) return false;
  return asksForStatus(subject) || saysOngoing(lastLine(output));
}

function asksForStatus(command: string): boolean {
  if (STATUS_COMMAND.test(command)) return true;
  return STATUS_WORD.test(command) && !OF_WORK.test(command);
}

function saysOngoing(line: string): boolean {
  if (line.length > LINE_CHARS || OVER.test(line)) return false;
  const [, part, whole] = SHARE.exec(line) ?? [];
  return ONGOING.test(line) || (part !== undefined && Number(part) < Number(whole));
}

function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1)?.trim() ?? '';
}
