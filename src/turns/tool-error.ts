/** What kind of error a tool reported, by the words of its output. */
import type { ToolError } from '../protocol/turn.ts';

/** The first match holds: a missing module is also something that was not found. */
const KINDS: readonly (readonly [kind: ToolError, pattern: RegExp])[] = [
  [
    'syntax',
    /\b(?:no such|unknown) tool\b|\btool "?[\w-]+"? not found\b|\bInputValidationError\b/i,
  ],
  ['timeout', /\btimed? ?out\b|\bdeadline exceeded\b|\bETIMEDOUT\b/i],
  [
    'dependency',
    /\bcannot find (?:module|package)\b|\bno module named\b|\bunresolved import\b|\bERR_MODULE_NOT_FOUND\b|\bMissing dependency\b/i,
  ],
  [
    'network',
    /\bECONN(?:REFUSED|RESET)\b|\bENOTFOUND\b|\bEAI_AGAIN\b|\bconnection (?:refused|reset)\b|\bcould not resolve host\b|\bnetwork is unreachable\b/i,
  ],
  [
    'permission',
    /\bEACCES\b|\bEPERM\b|\bpermission denied\b|\bnot permitted\b|\bread-only file system\b/i,
  ],
  [
    'resource',
    /\bENOSPC\b|\bENOMEM\b|\bout of memory\b|\bno space left\b|\btoo many open files\b/i,
  ],
  [
    'not-found',
    /\bENOENT\b|\bno such file\b|\bnot found\b|\bdoes not exist\b|\bno (?:\w+ ){1,3}found\b|\bcould not find\b|\bcannot find the (?:file|path)\b|\bis not recognized as\b|\bunknown (?:process|session|shell|task|agent)\b/i,
  ],
  [
    'syntax',
    /\bsyntax ?error\b|\bunexpected token\b|\bparse error\b|\binvalid (?:json|arguments?|input)\b/i,
  ],
];
/** A long output usually names its error at the end, and a tool at the beginning. */
const PART_CHARS_MAX = 2000;

export function classifyToolError(output: string): ToolError {
  const text =
    output.length <= 2 * PART_CHARS_MAX
      ? output
      : `${output.slice(0, PART_CHARS_MAX)}\n${output.slice(-PART_CHARS_MAX)}`;
  return KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'execution';
}
