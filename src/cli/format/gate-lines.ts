/** Formats the start and the end of a gate: a mark, its name, and the last lines of a red one. */
import type { StoredEvent } from '../../protocol/event.ts';
import {
  notCounted,
  notProtected,
  redByReport,
  testsCounted,
  testsTouched,
} from '../../protocol/gate-caveats.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

const TAIL_LINES_MAX = 20;
const INDENT = ' '.repeat(10);

type StyledText = readonly [style: 'cyan' | 'green' | 'yellow' | 'red', text: string];

/** Undefined if the event is not about a gate. */
export function describeGate(event: StoredEvent): StyledText | undefined {
  if (event.type === 'command.begun' && event.payload.command === 'gate') {
    const { name, command } = event.payload.input;
    if (typeof name !== 'string' || !Array.isArray(command)) return undefined;
    const line = command.join(' ');
    return ['cyan', name === line ? `gate ${name}` : `gate ${name}: ${line}`];
  }
  const result = gateResult(event);
  if (result === undefined) return undefined;
  const { kind, name, exit, why, restored } = result;
  const open = notProtected(result);
  const tests = testsTouched(result);
  const [counted, uncounted, red] = [testsCounted(result), notCounted(result), redByReport(result)];
  const judged = [
    ...(restored === undefined ? [] : [`, with ${restored.join(', ')} of the base`]),
    ...(tests.length === 0 ? [] : [`, with these tests of the base: ${tests.join(', ')}`]),
    ...(open.length === 0 ? [] : [`; not protected: ${open.join('; ')}`]),
    ...(uncounted === '' ? [] : [`; not counted: ${uncounted}`]),
  ].join('');
  if (kind === 'passed')
    return [
      open.length === 0 ? 'green' : 'yellow',
      `✔ ${name}${counted === '' ? '' : `: ${counted}`}${judged}`,
    ];
  const text =
    kind === 'unable'
      ? `${name} could not run: ${why ?? ''}`
      : `${name}${red === '' ? (exit === null ? '' : ` (exit ${exit})`) : `: ${red}`}${judged}`;
  return result.warns === true ? ['yellow', `! ${text} (warning)`] : ['red', `✖ ${text}`];
}

/** The last lines of a red gate, ready to print. Empty for other events. */
export function gateTail(context: CliContext, event: StoredEvent): string {
  const tail = gateResult(event)?.tail ?? '';
  if (tail === '') return '';
  const lines = printable(tail).trimEnd().split('\n');
  return lines
    .slice(-TAIL_LINES_MAX)
    .map((line) => `${INDENT}${paint(context, 'dim', line)}\n`)
    .join('');
}

type Result = {
  readonly kind: string;
  readonly name: string;
  readonly exit?: number | null;
  readonly tail?: string;
  readonly why?: string;
  readonly restored?: readonly string[];
  readonly tests?: readonly { readonly path: string; readonly how: string }[];
  readonly unprotected?: readonly string[];
  /** The user accepts it as proof although it is not protected. */
  readonly accepted?: boolean;
  /** If it is red, it does not fail the run. */
  readonly warns?: boolean;
};

export function gateResult(event: StoredEvent): Result | undefined {
  if (event.type !== 'command.ended' || !event.payload.key.startsWith('gate-')) return undefined;
  const { end } = event.payload;
  return end.kind === 'done' ? (end.result as unknown as Result) : undefined;
}
