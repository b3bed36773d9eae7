/** Tokens that tools add to a request besides their own bytes. */
import { isRecord } from '../../base/json.ts';
import { recordList, textField } from '../wires/json-shape.ts';

const DESCRIBED_HERE: ReadonlySet<string> = new Set(['', 'custom', 'function', 'namespace']);
const GEMINI_TOOLS = ['computerUse', 'codeExecution'];

/** How many tools of a value, at any depth, are described by the provider itself. */
export function describedTools(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + describedTools(one), 0);
  if (!isRecord(value)) return 0;
  const here = recordList(value['tools']).filter(
    (tool) =>
      !DESCRIBED_HERE.has(textField(tool['type'])) ||
      GEMINI_TOOLS.some((name) => isRecord(tool[name])),
  );
  return Object.values(value).reduce<number>((sum, one) => sum + describedTools(one), here.length);
}

/** The bytes that references to tools stand for: the provider replaces each reference by the whole description. */
export function referencedBytes(items: unknown, tools: unknown): number {
  const sizes = new Map(
    recordList(tools).map((tool) => [
      textField(tool['name']),
      Buffer.byteLength(JSON.stringify(tool)),
    ]),
  );
  const measureBytes = (value: unknown): number => {
    if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + measureBytes(one), 0);
    if (!isRecord(value)) return 0;
    const isReference = value['type'] === 'tool_reference';
    const own = isReference ? (sizes.get(textField(value['tool_name'])) ?? 0) : 0;
    return Object.values(value).reduce<number>((sum, one) => sum + measureBytes(one), own);
  };
  return measureBytes(items);
}
