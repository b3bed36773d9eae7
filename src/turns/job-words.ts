/** What the output of a command says about a job: whether it is still under way, or over. */

/** Anywhere in a short output. */
const PENDING =
  /(?<![a-z])(?:still running|in[ _-]progress|pending|queued|not yet (?:ready|finished|done|complete[d]?|available|up)|(?<!\b(?:could|can|did|does|do|would|will) )not (?:ready|finished|done|complete[d]?)|not up(?! to)|waiting for(?! (?:locator|selector|element|navigation|event|page)\b)|timed out waiting|percent complete|activating|rejecting connections|no response)(?![a-z])/i;
/** In the last line. A command that fails with such a line has failed. */
const ONGOING =
  /(?<![a-z])(?:still|running|waiting|processing|(?:container)?creating|provisioning|deploying|building|compiling|linking|installing|downloading|uploading|pulling|initiali[sz]ing|starting|booting|preparing|scheduled|accepted|executing|remaining|elapsed|eta|time left|not yet|try again|timeout occurred)(?![a-z])|(?<!\d)\d{1,2}(?:\.\d+)? ?%|"(?:done|ready|finished|complete)": ?false|(?:\.\.\.|…)$/i;
/** The same in other languages. */
const ONGOING_ABROAD =
  /läuft|wird (?:ausgeführt|gebaut|verarbeitet)|in bearbeitung|en cours|en attente|en ejecuci[oó]n|en curso|en progreso|pendiente|em execu[cç][aã]o|em andamento|in corso|in esecuzione|bezig|w toku|выполняется|ожидани|в процессе|实行|运行中|正在|进行中|等待|處理中|执行中|処理中|実行中|待機中|進行中|실행 중|진행 중|대기 중|devam ediyor|çalışıyor/i;
/** A line that says only what a job does now, such as `EXECUTING` or `Syncing block 12`. */
const GERUND =
  /^\W*(?!(?:no|some|any|every)?thing|missing|warning|string|during|passing|failing|ping|using|listing|existing|following|remaining|spring|king|ring|wing)[a-z]{3,20}ing\b(?! (?:failed|error|complete))/i;
const STATE_LINE =
  /^\W*(?:(?:state|status|phase|stat)\W+)?(?:submitted|active|enqueued|dispatched|allocated|acquired|assigned|created|new|open|unknown|busy|run|pend|warm(?:ing)? up|progressing)\W*$/i;
/** A field of a longer output. */
const STATE_FIELD =
  /"(?:status|state|phase|conclusion|provisioningState)": ?"(?:\w+[ _-])?(?:\w{3,20}ing|scheduled|accepted|submitted|queued|active|enqueued|created|started)"|"(?:is_?)?(?:done|ready|finished|complete[d]?)": ?false|"(?:finished|completed|ended|stopped)_?(?:at|on|time)?": ?null|^ *(?:status|state|phase): *\w{3,20}ing *$/im;
const OVER = /(?<![a-z])(?:errors?|fail(?:ed|ure)?|passed|succeeded|success)(?![a-z])/i;
/** What a job says that has ended, and no service that runs. */
const ENDED =
  /(?<![a-z])(?:completed|succeeded|success(?:ful(?:ly)?)?|finished|failed|failure|cancelled|done|crash\w*|exited|terminated|aborted|killed|evicted)(?![a-z])|\berror \d|exit (?:code|status) \d/i;
const SHARE =
  /(?<![\d/.:-])(?<part>\d{1,9})\/(?<whole>\d{1,9})(?![\d/.:-])|\b(?:epoch|step|stage|phase|batch|chunk) (?<nth>\d{1,9}) of (?<last>\d{1,9})\b/i;
const SHORT_CHARS = 500;
const LINE_CHARS = 200;
const GERUND_CHARS = 60;

/** The job says itself that it is under way. */
export function saysPending(output: string): boolean {
  return PENDING.test(output);
}

/** A field names a state that is not the last one. */
export function saysState(output: string): boolean {
  return STATE_FIELD.test(output);
}

/** The last line is about something that is still running. */
export function saysOngoing(output: string): boolean {
  const line = lastLine(output);
  if (line.length > LINE_CHARS || OVER.test(line)) return false;
  const { part, whole, nth, last } = SHARE.exec(line)?.groups ?? {};
  return ONGOING.test(line) || Number(part ?? nth) < Number(whole ?? last);
}

/** It may be: a program that has ended may say such words too, such as `Adding serde`. */
export function mayGoOn(output: string): boolean {
  const line = lastLine(output);
  if (line.length > LINE_CHARS || OVER.test(line)) return false;
  if (ONGOING_ABROAD.test(line) || STATE_LINE.test(line)) return true;
  return line.length <= GERUND_CHARS && GERUND.test(line);
}

/** A short answer. In a long one, words about one part say nothing about the others, so its last line counts. */
export function hasEnded(output: string): boolean {
  if (output.length > SHORT_CHARS) return ENDED.test(lastLine(output));
  if (!ENDED.test(output)) return false;
  return !saysPending(output) && !saysState(output) && !ONGOING.test(output);
}

/** A line that a terminal overwrites begins again at each carriage return. */
function lastLine(output: string): string {
  return (
    output
      .slice(-2 * SHORT_CHARS)
      .trimEnd()
      .split(/[\r\n]+/)
      .at(-1)
      ?.trim() ?? ''
  );
}
