/**
 * Which of the last lines have the shape of an error, and where its message begins. What an agent
 * wrote, a diff, a list of tests, a sentence about limits, has another shape, and is never looked at.
 */

const LINE_CHARS_MAX = 2000;

export type ErrorLine = {
  readonly line: string;
  /** After "Error:", or the whole line, trimmed. */
  readonly messages: readonly string[];
  /** Only where it stands in a status line's place. */
  readonly status: number | null;
};

// oxlint-disable-next-line no-control-regex -- finding control sequences is the point
const COLOURS = /\u001B\[[\d;]*[A-Za-z]/g;
/** A time and a level, as loggers put them first. */
const STAMP = /^(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,]+Z?\]?\s+)?(?:(?:ERROR|FATAL)\s+[\w:.]+:\s*)?/;
/** `Error:`, `ApiError:`, `fatal:`, `[API Error:`, and what a CLI puts before them. */
const LEAD =
  /^(?:Error when talking to \w+ API.{0,200}?json )?(?:\[?(?:(?:API|HTTP|fetch|stream|request|network|fatal|unhandled|uncaught) )?(?:[A-Za-z_$][\w.$]{0,60}(?:Error|Exception)|error|fatal|ERROR|FATAL)\]?(?: \[[\w.]+\])?(?: \((?:status )?\d{3}\))?:\s+)+/i;
const STATUS =
  /(?:\bstatus(?: code)?[:=]? ?|\bHTTP(?:\/\d(?:\.\d)?)? |\bAPI ?Error: |"(?:code|status)": ?|\berror \()(?<after>[45]\d\d)\b|\b(?<before>[45]\d\d) (?:Too Many Requests|Unauthorized|Forbidden|Payment Required|Not Found|Internal Server Error|Bad Gateway|Service Unavailable|Gateway Time-?out)\b/i;

/** Undefined for a line that says nothing about an end. */
export function errorLine(line: string): ErrorLine | undefined {
  const bare = line.slice(0, LINE_CHARS_MAX).replaceAll(COLOURS, '').replace(STAMP, '').trim();
  if (bare === '') return undefined;
  const rest = bare.replace(LEAD, '');
  const hasLead = rest !== bare;
  const groups =
    hasLead || /^(?:unexpected status|exceeded retry limit)/i.test(bare)
      ? STATUS.exec(bare)?.groups
      : undefined;
  const status = groups?.['after'] ?? groups?.['before'];
  return {
    line: bare,
    messages: hasLead ? [rest, bare] : [bare],
    status: status === undefined ? null : Number(status),
  };
}
