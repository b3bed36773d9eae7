/** The end of a run in a few lines: what happened, what it cost, and what to type next. */
import { formatDuration } from '../../base/format-duration.ts';
import { plural, shortList } from '../../base/text.ts';
import { describeBaseline, describeToldApart } from '../../protocol/words/baseline-words.ts';
import { describeAccepted } from '../../protocol/words/accepted-gate.ts';
import { adviceFor } from '../advice.ts';
import type { AttemptHistory } from './attempt-history.ts';
import { costWords } from '../cost-words.ts';
import { countOwnAttempts, ownAttempts, ownCost } from './own-history.ts';
import type { AppliedView } from '../../protocol/views/applied-view.ts';
import { describeApplied, isInPlace } from '../../protocol/views/applied-view.ts';
import type { RunHistory } from './run-history.ts';

/** Null: how many lines changed is not known. */
export type LineTotals = { readonly added: number; readonly removed: number } | null;

/** Each line is a label and its text. */
export type SummaryLine = readonly [label: string, text: string];

export function runSummary(history: RunHistory, lines: LineTotals): readonly SummaryLine[] {
  const { attempts, lastAt, submittedAt } = history;
  const cost = costWords(ownCost(history));
  const count = countOwnAttempts(history);
  const own = ownAttempts(history);
  const agents = [...new Set(own.map(({ agentId }) => agentId))].join(', ');
  return [
    ...(count === 0
      ? []
      : ([
          ['attempts', `${count} (${agents})${describeNumbers(own)}`],
          ['gates', describeGates(attempts)],
        ] as const)),
    ...(history.accepted.length === 0
      ? []
      : [['accepted', describeAccepted(history.accepted)] as const]),
    ...describeBase(history),
    ...describeProtected(attempts.at(-1)),
    ['changes', describeChanges(history, lines)],
    ['time', formatDuration(lastAt - submittedAt)],
    ...(cost === '' ? [] : [['cost', cost] as const]),
  ];
}

/** The attempts of a run that continues another one have the numbers after those of that run. */
function describeNumbers(attempts: readonly AttemptHistory[]): string {
  const [first, last] = [attempts[0]?.number ?? 1, attempts.at(-1)?.number ?? 1];
  if (first === 1) return '';
  return first === last ? `, number ${first}` : `, numbers ${first} to ${last}`;
}

/** What to type next, with these flags of `apply`, each command at the end of a line of its own. Null if there is nothing to do. */
export function afterSummary(
  history: RunHistory,
  applied: AppliedView | null,
  now: number,
  flags = '',
): string | null {
  const words = nextWords(history, applied, now);
  if (words === null) return null;
  // The command works as it is: it has what `apply` needs for these changes.
  const apply = `: supervisor apply ${history.id}`;
  return withCommandsOnLines(words)
    .split('\n')
    .map((line) => (line.endsWith(apply) ? `${line}${flags}` : line))
    .join('\n');
}

function nextWords(history: RunHistory, applied: AppliedView | null, now: number): string | null {
  const { id, outcome } = history;
  const advice = adviceFor(history, applied);
  if (applied !== null && isInPlace(applied))
    return `${capital(describeApplied(applied, now))}. ${advice ?? ''}`.trimEnd();
  if (committedFiles(history) === 0) return advice;
  const unchanged = 'Your files are unchanged.';
  if (outcome?.kind === 'succeeded')
    return `${unchanged} Review the work with: supervisor diff ${id}. Apply it with: supervisor apply ${id}`;
  return `${unchanged} ${advice ?? ''}`.trimEnd();
}

function isCommand(sentence: string): boolean {
  return sentence.includes(': supervisor ');
}

/** So that a command can be copied, without a full stop and without a line break in it. */
export function withCommandsOnLines(words: string): string {
  const sentences = words.split(/(?<=\.) (?=[A-Z])/);
  const plain = sentences.filter((sentence) => !isCommand(sentence)).join(' ');
  const commands = sentences.filter(isCommand).map((sentence) => sentence.replace(/\.$/, ''));
  return [plain, ...commands].filter((line) => line !== '').join('\n');
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function describeGates(attempts: readonly AttemptHistory[]): string {
  const judged = attempts.findLast((attempt) => gatesOf(attempt).length > 0);
  if (judged === undefined) return 'none has checked the work';
  // An attempt that fails, such as one that could not start, is not judged.
  const when = judged === attempts.at(-1) ? '' : ` (after attempt ${judged.number})`;
  const words = gatesOf(judged)
    .map(({ name, kind, words, warns }) => {
      const mark = kind === 'passed' ? '✔' : warns ? '!' : '✖';
      return `${mark} ${name}${words === '' ? '' : `: ${words}`}`;
    })
    .join(', ');
  return `${words}${when}`;
}

/** A gate that was interrupted runs again, and has no result of its own. */
function gatesOf({ gates }: AttemptHistory): AttemptHistory['gates'] {
  return gates.filter(({ kind }) => kind !== 'interrupted');
}

/** The tests, CI files, definitions of gates and settings of Supervisor that the work changes. */
function describeProtected(last: AttemptHistory | undefined): readonly SummaryLine[] {
  const changed = [...new Set((last?.gates ?? []).flatMap((gate) => gate.protectedChanges))];
  return changed.length === 0 ? [] : [['protected', shortList(changed, PROTECTED_SHOWN_MAX)]];
}

const PROTECTED_SHOWN_MAX = 5;

/** What became of each gate that was red on the base. */
function describeBase({ baseline, attempts }: RunHistory): readonly SummaryLine[] {
  const gates = attempts.at(-1)?.gates ?? [];
  return baseline.flatMap(({ name, outcome }): readonly SummaryLine[] => {
    if (outcome?.kind !== 'failed') return [];
    const gate = gates.findLast((one) => one.name === name);
    const words =
      gate === undefined || gate.sinceBase === null
        ? `${name} ${describeBaseline(outcome)}`
        : `${name}: ${describeToldApart(gate.sinceBase, gate.kind === 'passed')}`;
    return [['base', words]];
  });
}

function describeChanges(history: RunHistory, lines: LineTotals): string {
  const { attempts } = history;
  const isInProject = attempts.every(({ sandbox, kept }) => sandbox.backend === 'none' && !kept);
  if (attempts.length > 0 && isInProject)
    return 'not counted: the agent worked directly in the project';
  const files = committedFiles(history);
  if (files === 0) return 'no file';
  const more = lines === null ? '' : `, +${lines.added} -${lines.removed} lines`;
  return `${plural(files, 'file')}${more}`;
}

/** In the last committed state of the work. */
function committedFiles({ attempts, steps }: RunHistory): number {
  return attempts.findLast(({ kept }) => kept !== null)?.kept?.files ?? steps.work?.files ?? 0;
}
