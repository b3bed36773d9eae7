/** Whether a call only looks at something. It changes nothing, so what failed before it fails again. */
import type { TurnCall } from '../protocol/turn.ts';
import { changesFiles } from './tool-activity.ts';

const LOOK_TOOL =
  /^(?:read|view|cat|open|grep|glob|search|list|ls|find|look|web|fetch|browse(?!r_)|codebase)/i;
/** The same behind the name of a server: `mcp__files__read_file`, `files-read_file`. */
const LOOK_PART =
  /(?:(?:^|[_.:-])(?:read|view|get|list|search|find|grep|glob|fetch|show|describe)|(?<=[a-z])(?:Read|View|Get|List|Search|Find))(?=$|[_.:-]|[A-Z])/;
const LOOK_PROGRAM =
  /^(?:(?:\w+=\S*|command|env|time|sudo)\s+)*(?:\S*\/)?(?:cat|bat|head|tail|less|nl|sed -n|grep|egrep|fgrep|rg|ag|ls|dir|tree|find|fd|wc|stat|file|pwd|cd|which|type|view|printenv|echo|printf|jq|yq|awk|sort|uniq|cut|tr|diff|cmp|du|df|date|whoami|id|test|\[|Get-(?:Content|ChildItem|Item|Location)|Select-String|findstr|curl(?!.* (?:-[a-zA-Z]*[dXFToO]|--(?:data|request|form|upload|output|json)))|git (?:(?:-C|-c) \S+ )?(?:log|diff|status|show|blame|grep|ls-files|branch --contains|rev-parse|describe))(?:\s|$)/;
const WRITES = />|\b(?:-delete|-exec|tee|xargs|--in-place)\b|\bfind\b.*-exec/;

export function isLook({ tool, subject = '' }: Pick<TurnCall, 'tool' | 'subject'>): boolean {
  if (isLookTool(tool)) return true;
  const line = subject.replaceAll(/\d?>\s?(?:\/dev\/null|&\d)/g, '');
  if (line.trim() === '' || WRITES.test(line)) return false;
  return line.split(/&&|\|\||[;|\n]/).every((part) => LOOK_PROGRAM.test(part.trim()));
}

/** `search_replace` and `find_and_edit` are no looks. */
export function isLookTool(tool: string): boolean {
  return (LOOK_TOOL.test(tool) || LOOK_PART.test(tool)) && !changesFiles(tool);
}
