/** Formats a gate on the base: that it begins, and how it judged the base. */
import { describeCommand, isNamedByLine } from '../../base/shell-words.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { describeBaseline } from '../../protocol/words/baseline-words.ts';
import type { StyledText } from './gate-lines.ts';

const STYLES = { passed: 'green', failed: 'yellow', unable: 'red' } as const;
const MARKS = { passed: '✔', failed: '!', unable: '✖' } as const;

/** Undefined if the event is not about the base, or the gate has not judged it. */
export function describeBaselineEvent(event: StoredEvent): StyledText | undefined {
  if (event.type === 'command.begun' && event.payload.command === 'baseline') {
    const { name, command } = event.payload.input;
    const line = isNamedByLine(name, command) ? '' : `: ${describeCommand(command)}`;
    return ['cyan', `gate ${name}${line}, on the base`];
  }
  if (event.type !== 'command.ended' || event.payload.command !== 'baseline') return undefined;
  const { end } = event.payload;
  if (end.kind !== 'done') return undefined;
  const { outcome, how } = end.result;
  const suffix = how === 'reused' ? ' (judged by an earlier run)' : '';
  // The run ends with the reason, unless the gate only warns.
  const isTold = outcome.kind === 'unable' && outcome.warns !== true;
  const words = isTold ? "can't run on the base" : describeBaseline(outcome);
  const isToFix = outcome.kind === 'failed' && outcome.warns !== true;
  const must = isToFix ? '. The run must fix it' : '';
  return [
    STYLES[outcome.kind],
    `${MARKS[outcome.kind]} gate ${outcome.name} ${words}${suffix}${must}`,
  ];
}
