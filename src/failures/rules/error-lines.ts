/**
 * Which of the last lines have the shape of an error, and where the message begins. Other text of
 * an agent has another shape and is ignored: a diff, a list of tests, a sentence about limits.
 */

const LINE_CHARS_MAX = 2000;

export type ErrorLine = {
  readonly line: string;
  /** It begins as an error does: `Error:`, `ApiError:`, `fatal:`. */
  readonly isError: boolean;
  /** The text after that beginning, and the whole line. */
  readonly messages: readonly string[];
  /** The text of an error, or of a status line. */
  readonly status: number | null;
};

// oxlint-disable-next-line no-control-regex -- finding control sequences is the point
const COLOURS = /\u001B\[[\d;]*[A-Za-z]/g;
/** A time and a level, as loggers put them first. */
const STAMP = /^(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,]+Z?\]?\s+)?(?:(?:ERROR|FATAL)\s+[\w:.]+:\s*)?/;
const LEAD =
  /^(?:Error when talking to \w+ API.{0,200}?json )?(?:\[?(?:(?:API|HTTP|stream|request|network|unhandled|uncaught) )?(?:[A-Za-z_$][\w.$]{0,60}(?:Error|Exception)|error|fatal)\]?(?: \[[\w.]+\])?(?: \((?:status )?\d{3}\))?:\s+)+|^(?=unexpected status [45]\d\d |exceeded retry limit, last status: )/i;
/** Errors in a program's own work: they quote what it was tested with. */
const OF_A_PROGRAM =
  /^(?:Assertion|Test|Type|Syntax|Reference|Range|Key|Value|Index|Attribute|Import|Module|Name|Lookup)\w*(?:Error|Exception)\b/i;
const STATUS =
  /(?:\bstatus(?: code)?[:=]? ?|\bHTTP(?:\/\d(?:\.\d)?)? |\bAPI ?Error: |\bError code: |["'](?:code|status)["']: ?|\berror \()(?<after>[45]\d\d)\b|\b(?<before>[45]\d\d) (?:Too Many Requests|Unauthorized|Forbidden|Payment Required|Not Found|Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)\b/i;

/**
 * Frames of a stack, in the forms of the common runtimes: an error can be above any number of them.
 */
const FRAME = /^(?:\t|\s+(?:at|from|in|File)\s|\s+\d+: |\s{4,}\S|goroutine \d+ \[)/;

export function isStackLine(line: string): boolean {
  return FRAME.test(line);
}

/** Undefined for an empty line. */
export function errorLine(line: string): ErrorLine | undefined {
  const bare = line
    .slice(0, LINE_CHARS_MAX)
    .replaceAll(COLOURS, '')
    .replaceAll('\u2019', "'")
    .replace(STAMP, '')
    .trim();
  if (bare === '') return undefined;
  const isError = LEAD.test(bare) && !OF_A_PROGRAM.test(bare);
  const groups = isError ? STATUS.exec(bare)?.groups : undefined;
  const status = groups?.['after'] ?? groups?.['before'];
  const rest = bare.replace(LEAD, '');
  return {
    line: bare,
    isError,
    messages: isError && rest !== bare ? [rest, bare] : [bare],
    status: status === undefined ? null : Number(status),
  };
}
