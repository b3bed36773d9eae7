/**
 * A search that finds nothing, and a comparison that finds a difference, end with the exit code 1. That is an answer and
 * not a failure.
 */
import type { ShellOutput } from './shell-output.ts';

const ASKS =
  /^(?:(?:\w+=\S*|!|command|env|time|sudo)\s+)*(?:\S*\/)?(?:grep|egrep|fgrep|zgrep|rg|ag|ack|pgrep|which|type|test|\[\[?|cmp|diff|comm|git (?:(?:-C|-c) \S+ )?(?:grep|diff)|-v)(?:\s|$)/;
const DIFFERS = /(?:^|\s|\/)(?:diff|cmp|comm)(?:\s|$)/;

export function isAnswer(command: string | undefined, { text, code }: ShellOutput): boolean {
  if (command === undefined || code !== 1) return false;
  const last = lastCommand(command);
  return ASKS.test(last) && (DIFFERS.test(last) || text.trim() === '');
}

/** A line ends with the code of its last command. Of a pipe any search counts: `rg name | head`. */
function lastCommand(line: string): string {
  const part = line.split(/&&|\|\||;|\n/).at(-1) ?? '';
  const search = part.split('|').find((one) => ASKS.test(one.trim()));
  return (search ?? part).trim();
}
