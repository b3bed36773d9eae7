/** Whether a call only looks at something. It changes nothing, so what failed before it fails again. */
import type { TurnCall } from '../protocol/turn.ts';

const LOOK_TOOL =
  /^(?:read|view|cat|open|grep|glob|search|list|ls|find|look|web|fetch|browse|codebase)/i;
const LOOK_PROGRAM =
  /^(?:(?:\w+=\S*|command|env|time|sudo)\s+)*(?:\S*\/)?(?:cat|bat|head|tail|less|nl|sed -n|grep|egrep|fgrep|rg|ag|ls|tree|find|fd|wc|stat|file|pwd|cd|which|type|printenv|echo|printf|jq|yq|awk|sort|uniq|cut|tr|diff|cmp|du|df|date|whoami|id|test|\[|git (?:(?:-C|-c) \S+ )?(?:log|diff|status|show|blame|grep|ls-files|branch --contains|rev-parse|describe))(?:\s|$)/;
const WRITES = />|\b(?:-delete|-exec|tee|xargs|--in-place)\b|\bfind\b.*-exec/;

export function isLook({ tool, subject = '' }: Pick<TurnCall, 'tool' | 'subject'>): boolean {
  if (LOOK_TOOL.test(tool)) return true;
  const line = subject.replaceAll(/\d?>\s?(?:\/dev\/null|&\d)/g, '');
  if (line.trim() === '' || WRITES.test(line)) return false;
  return line.split(/&&|\|\||[;|\n]/).every((part) => LOOK_PROGRAM.test(part.trim()));
}
