/** Runs the setup and the gates of a project once, in a copy of its files, and shows each with time and result. */
import type { Refusal } from '../../base/errors.ts';
import { isRefusal } from '../../base/errors.ts';
import { describeCommand } from '../../base/shell-words.ts';
import { truncate } from '../../base/text.ts';
import type { Client } from '../../client/client.ts';
import type { BaseCheckStep } from '../../protocol/views/base-check-view.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { StatusLine } from './status-line.ts';

const TAIL_LINES_MAX = 15;
const TAIL_INDENT = ' '.repeat(4);
/** Frames of a stack inside the runtime, which say nothing about the project, and counts that the first line has. */
const NOISE =
  /^\s+(?:at )?(?:[^()]*\()?node:(?:internal\/|async_hooks)|^\s*(?:1\.\.\d+|# (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+|\.\.\.)$/;
/** Less than this of a command says nothing. */
const COMMAND_CHARS_MIN = 12;
const MARKS = {
  passed: ['green', '✔'],
  failed: ['red', '✖'],
  unable: ['red', '✖'],
  skipped: ['yellow', '–'],
} as const;

type EndedStep = BaseCheckStep & { readonly state: keyof typeof MARKS };

/** Resolves with the steps that ended. Ctrl-C stops the step that is running, and the rest. */
export async function showBaseCheck(
  context: CliContext,
  client: Client,
  project: string,
  { isShown, heading }: { readonly isShown: boolean; readonly heading: string },
): Promise<{ readonly steps: readonly BaseCheckStep[]; readonly isInterrupted: boolean }> {
  const interrupted = new AbortController();
  const forget = context.onInterrupt(() => interrupted.abort());
  const steps: BaseCheckStep[] = [];
  await using line = new StatusLine(context, isShown);
  try {
    let isFirst = true;
    for await (const step of client.checkBase({ project }, interrupted.signal)) {
      // Without a setup and a gate there is nothing to announce.
      if (isFirst && isShown) line.print(heading);
      isFirst = false;
      if (isEnded(step)) {
        steps.push(step);
        if (isShown) line.print(formatStep(context, step));
      } else {
        const since = context.clock.now();
        const title = step.kind === step.name ? step.name : `${step.kind} ${step.name}`;
        line.show((now) => `${title} is running: ${seconds(now - since)}`);
      }
    }
  } finally {
    forget();
  }
  return { steps, isInterrupted: interrupted.signal.aborted };
}

function isEnded(step: BaseCheckStep): step is EndedStep {
  return step.state !== 'started';
}

function formatStep(context: CliContext, step: EndedStep): string {
  const { kind, name, command, state, durationMs, summary, tail, note } = step;
  const [style, mark] = MARKS[state];
  const title = kind === 'setup' ? 'setup' : `gate ${name}`;
  const time = durationMs === null ? '' : `  ${seconds(durationMs)}`;
  const verdict = state === 'unable' ? `could not run: ${summary}` : summary;
  const words = verdict === '' ? '' : `  ${printable(verdict).trimEnd()}`;
  const head = `${mark} ${printable(title)}`;
  const { isTty, width } = context.terminal;
  const room = width - head.length - 2 - time.length - words.length;
  // `init` has shown the whole command, so here it is cut to keep the result on the line.
  const line = printable(describeCommand(command));
  const shown = isTty ? truncate(line, Math.max(COMMAND_CHARS_MIN, room)) : line;
  const told = note === '' ? '' : `${paint(context, 'yellow', `  ! ${printable(note)}`)}\n`;
  const first = `${paint(context, style, head)}  ${shown}${time}${words}\n${told}`;
  if (tail.trim() === '') return first;
  const lines = shownTail(printable(tail));
  return first + lines.map((text) => `${TAIL_INDENT}${paint(context, 'dim', text)}\n`).join('');
}

/** The end of an output, without what only the runtime of the tests says. */
export function shownTail(tail: string): readonly string[] {
  const lines = tail.split('\n').filter((text) => !NOISE.test(text));
  const shown = lines.join('\n').trimEnd().split('\n').slice(-TAIL_LINES_MAX);
  return shown.slice(shown.findIndex((text) => text.trim() !== ''));
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)}s`;
}

/** The refusal, if no sandbox works here. Every other one is thrown. */
export async function refusedWithoutSandbox<Value>(
  check: Promise<Value>,
): Promise<Value | Refusal> {
  try {
    return await check;
  } catch (error) {
    if (isRefusal(error, 'sandbox.unavailable')) return error;
    throw error;
  }
}
