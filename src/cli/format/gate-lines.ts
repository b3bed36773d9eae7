/** Formats the start and the end of a gate: a mark, its name, and the last lines of a red one. */
import { describeCommand } from '../../base/shell-words.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';
import {
  judgedEarlier,
  notCounted,
  notProtected,
  redByReport,
  describeResult,
  describeUnproven,
  testsTouched,
} from '../../protocol/words/gate-caveats.ts';
import { describeFailure } from '../../protocol/words/red-gate-words.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

const TAIL_LINES_MAX = 20;
const INDENT = ' '.repeat(10);

export type StyledText = readonly [style: 'cyan' | 'green' | 'yellow' | 'red', text: string];

/** Undefined if the event is not about a gate. */
export function describeGate(event: StoredEvent): StyledText | undefined {
  if (event.type === 'command.begun' && event.payload.command === 'gate') {
    const { name, command, known, skippedFor } = event.payload.input;
    if (skippedFor !== undefined)
      return ['cyan', `gate ${name} is not run: gate ${skippedFor}, on which it depends, is red`];
    const line = describeCommand(command);
    if (known !== undefined)
      return [
        'cyan',
        `gate ${name} is not run again: no file changed since ${known.since === 'base' ? 'the base' : `attempt ${known.since}`}`,
      ];
    return ['cyan', name === line ? `gate ${name}` : `gate ${name}: ${line}`];
  }
  const result = gateResult(event);
  if (result === undefined) return undefined;
  const { name } = result;
  if (result.kind === 'unable' && result.skippedFor !== undefined)
    return red(result, `${name} skipped`);
  if (result.kind === 'unable') return red(result, `${name} could not run: ${result.why}`);
  const { restored } = result;
  const open = notProtected(result);
  const tests = testsTouched(result);
  const [counted, uncounted] = [describeResult(result), notCounted(result)];
  const earlier = judgedEarlier(result);
  const unproven = result.kind === 'passed' ? describeUnproven(result) : '';
  const isBlind = result.kind === 'passed' && result.proof?.kind === 'blind';
  const judged = [
    ...(earlier === '' ? [] : [`; ${earlier}`]),
    ...(tests.length === 0 ? [] : [`, with these tests of the base: ${tests.join(', ')}`]),
    ...(restored === undefined ? [] : [describeRestored(restored, result.kind === 'passed')]),
    ...(open.length === 0 ? [] : [`; not protected: ${open.join('; ')}`]),
    ...(uncounted === '' ? [] : [`; not counted: ${uncounted}`]),
    ...(unproven === '' ? [] : [`; ${unproven}`]),
  ].join('');
  if (result.kind === 'passed')
    return [
      open.length === 0 && !isBlind ? 'green' : 'yellow',
      `✔ ${name}${counted === '' ? '' : `: ${counted}`}${judged}`,
    ];
  const reported = redByReport(result);
  const exit = result.exit === null ? '' : ` (exit ${result.exit})`;
  const [first] = result.failures ?? [];
  const failure = first === undefined ? '' : `; first: ${describeFailure(first)}`;
  return red(result, `${name}${reported === '' ? exit : `: ${reported}`}${failure}${judged}`);
}

/** A green gate ran a second time, with the files of the work. A red one did not. */
function describeRestored(paths: readonly string[], isGreen: boolean): string {
  const [why, also] = [
    paths.length === 1 ? 'this file decides' : 'these files decide',
    isGreen ? ' also' : '',
  ];
  return `; the gate${also} ran with ${paths.join(', ')} from before the work, because ${why} its verdict`;
}

function red({ warns, severity }: GateOutcome, text: string): StyledText {
  if (severity === 'info')
    return ['cyan', `i ${text} (info${warns === true ? '' : ', must be fixed'})`];
  if (severity === 'warning' && warns !== true) return ['yellow', `! ${text} (must be fixed)`];
  return warns === true ? ['yellow', `! ${text} (warning)`] : ['red', `✖ ${text}`];
}

/** The last lines of a red gate, ready to print. Empty for other events. */
export function gateTail(context: CliContext, event: StoredEvent): string {
  const result = gateResult(event);
  // The screen shows the end of the output where the gate ran.
  if (result?.kind !== 'failed' || result.tail === '' || result.knownSince !== undefined) return '';
  const lines = printable(result.tail).trimEnd().split('\n');
  return lines
    .slice(-TAIL_LINES_MAX)
    .map((line) => `${INDENT}${paint(context, 'dim', line)}\n`)
    .join('');
}

export function gateResult(event: StoredEvent): GateOutcome | undefined {
  if (event.type !== 'command.ended' || event.payload.command !== 'gate') return undefined;
  const { end } = event.payload;
  return end.kind === 'done' ? end.result : undefined;
}
