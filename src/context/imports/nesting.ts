/**
 * Whether a text may be nested so deeply that a parser runs out of stack. The parser is native: it would end the whole
 * process. An upper bound is enough, so strings and most comments are read like code.
 */

/** Real code has less than a hundred. The parser fails at some thousands. */
const DEPTH_MAX = 1000;
/** What opens a level, ends one, or has the rest of its statement inside of it. */
const PARTS =
  /[([{]|[)\]}]|[;,]|=>|[=?:!~<>|&*+-]|\b(?:new|if|else|for|while|do|with|typeof|void|delete|await|yield|keyof|as|extends|infer|unique|readonly|export|declare)\b/g;
const OPENS = new Set(['(', '[', '{']);
const CLOSES = new Set([')', ']', '}']);
/** A statement continues on the next line behind such an end, and before such a begin. */
const OPEN_END =
  /(?:[=?:!~<>|&*+.-]|\b(?:new|else|do|typeof|void|delete|await|yield|keyof|as|export|declare))\s*$/;
const OPEN_BEGIN = /^\s*[=?:<>|&*+./-]/;
/** With a brace, it could be text around a value. With another line end, it could end before this line does. */
const COMMENT = /^\s*\/(?:\/[^{\r\u2028\u2029]*|\*(?:(?!\*\/)[^{\r\u2028\u2029])*\*\/\s*)\r?$/;
/** The end of a comment of several lines, and nothing else. */
const COMMENT_END = /\*\/\s*$/;
const END_CHARS = 40;

export function isTooDeep(text: string): boolean {
  /** The parts of the statements around, and of the one that is read. */
  const around: number[] = [];
  let [total, own] = [0, 0];
  let continues = false;
  let isInComment = false;
  for (const line of text.split('\n')) {
    if (line.trim() === '' || COMMENT.test(line)) continue;
    if (!continues && !isInComment && !OPEN_BEGIN.test(line)) own = 0;
    for (const [part] of line.matchAll(PARTS)) {
      if (OPENS.has(part)) {
        around.push(own + 1);
        total += own + 1;
        own = 0;
      } else if (CLOSES.has(part)) {
        own = (around.pop() ?? 1) - 1;
        total = Math.max(0, total - own - 1);
      } else own = part === ';' || part === ',' ? 0 : own + 1;
      if (total + own > DEPTH_MAX) return true;
    }
    const [opened, closed] = [line.lastIndexOf('/*'), line.lastIndexOf('*/')];
    const wasInComment = isInComment;
    if (opened !== closed) isInComment = opened > closed;
    const isComment = wasInComment
      ? opened === -1 && (closed === -1 || endsComment(line))
      : closed === -1 && opened !== -1 && opened === line.search(/\S/);
    if (!isComment) continues = continuesBehind(line);
  }
  return false;
}

function endsComment(line: string): boolean {
  return COMMENT_END.test(line) && line.indexOf('*/') === line.lastIndexOf('*/');
}

function continuesBehind(line: string): boolean {
  const comment = line.indexOf('//');
  const code = (comment === -1 ? line : line.slice(0, comment)).trimEnd();
  return code === '' || /\/\*|\*\//.test(line) || OPEN_END.test(code.slice(-END_CHARS));
}
