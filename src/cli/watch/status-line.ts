/**
 * The last line of a terminal. It shows the status of a run and changes in place; all other output is
 * printed above it. Without a terminal, or with `TERM=dumb`, there is no such line.
 */
import { formatDuration } from '../../base/format-duration.ts';
import { truncate } from '../../base/text.ts';
import { costWords, totalCost } from '../../reports/cost-words.ts';
import { shortHeldCall } from '../../protocol/words/call-hold.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { TurnRecord } from '../../protocol/turn.ts';
import type { RunHistory } from '../../reports/runs/run-history.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

const TICK_MS = 1000;
const SPACE = '  ';
/** On a narrow screen the usage is cut instead. */
const ACTIVITY_CHARS_MIN = 8;
const CLEAR = '\r\u001B[2K';

export class StatusLine implements AsyncDisposable {
  readonly #context: CliContext;
  readonly #isShown: boolean;
  readonly #over = new AbortController();
  readonly #ticking: Promise<void>;
  #line = '';
  #describe: (now: number) => string = () => '';

  constructor(context: CliContext, isWanted: boolean) {
    this.#context = context;
    this.#isShown = isWanted && context.terminal.isTty && context.env['TERM'] !== 'dumb';
    this.#ticking = this.#isShown ? this.#tick() : Promise.resolve();
  }

  /** Prints whole lines above the status line. */
  print(lines: string): void {
    this.#context.out(this.#line === '' ? lines : `${CLEAR}${lines}${this.#line}`);
  }

  /** The same for standard error: on a terminal, both streams write to one screen. */
  printError(lines: string): void {
    const { out, err } = this.#context;
    if (this.#line !== '') out(CLEAR);
    err(lines);
    if (this.#line !== '') out(this.#line);
  }

  /** `describe` returns the text of the line. It is called again every second. */
  show(describe: (now: number) => string): void {
    this.#describe = describe;
    this.#draw();
  }

  /** Clears the line. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#ticking;
    if (this.#line !== '') this.#context.out(CLEAR);
    this.#line = '';
  }

  #draw(): void {
    if (!this.#isShown || this.#over.signal.aborted) return;
    const { clock, terminal, out } = this.#context;
    const text = printable(this.#describe(clock.now())).replaceAll('\n', ' ');
    // One column stays free: a full line would wrap, and its first half could not be cleared.
    const line = paint(this.#context, 'dim', text.slice(0, Math.max(0, terminal.width - 1)));
    out(`${this.#line === '' ? '' : CLEAR}${line}`);
    this.#line = line;
  }

  async #tick(): Promise<void> {
    while (await this.#context.clock.sleep(TICK_MS, this.#over.signal)) this.#draw();
  }
}

/** How far the conversation of an attempt is. */
export type LiveTurn = Pick<TurnRecord, 'number' | 'contextTokens' | 'contextTokensMax'>;

/** The last turn of the agent's own conversation. A subagent's turns are its own. A new attempt has none yet. */
export function foldLiveTurn(before: LiveTurn | null, event: RunEvent): LiveTurn | null {
  if (event.type === 'command.begun' && event.payload.command === 'attempt') return null;
  if (event.type !== 'command.noted' || event.payload.command !== 'attempt') return before;
  const { note } = event.payload;
  return note.kind === 'turn' && note.turn.kind === 'main' ? note.turn : before;
}

/**
 * Age, agent, activity and usage of a run: `1m05s  main, attempt 2, turn 18  uses Bash  12.3k tokens  $0.12  context 43%`.
 * If that is longer than `charsMax`, the middle is cut: age, tokens, cost and context stay.
 */
export function describeStatus(
  history: RunHistory | undefined,
  /** The tool that the agent uses, or why it does not work yet. */
  doing: string | null,
  now: number,
  charsMax = Infinity,
  turn: LiveTurn | null = null,
): string {
  if (history === undefined) return '';
  const { attempts, waits, questions, submittedAt } = history;
  const last = attempts.at(-1);
  const wait = waits.find(({ endedAt }) => endedAt === null);
  const tokens = sum(attempts.map((one) => one.counted?.tokens ?? reportedTokens(one.usage)));
  const cost = costWords(totalCost(attempts));
  const age = formatDuration(now - submittedAt);
  const held = last === undefined || last.end !== null ? null : shortHeldCall(last.heldCall, now);
  const activity = [
    ...(held === null ? [] : [held]), // first, because a narrow screen cuts the end
    last === undefined
      ? (doing ?? beforeAttempts(history))
      : `${last.agentId}, attempt ${last.number}${turn === null ? '' : `, turn ${turn.number}`}`,
    ...(questions.some(({ endedAt }) => endedAt === null) ? ['waiting for your answer'] : []),
    ...(wait === undefined ? [] : [`waiting ${formatDuration(wait.until - now)}: ${wait.why}`]),
    ...(last === undefined || last.end !== null || doing === null || held !== null ? [] : [doing]),
  ];
  const usage = [
    ...(tokens === null ? [] : [`${inThousands(tokens)} tokens`]),
    ...(cost === '' ? [] : [cost]),
    ...contextFill(turn),
  ];
  const fixed = [age, ...usage].join(SPACE).length + SPACE.length;
  const room = Math.max(ACTIVITY_CHARS_MIN, charsMax - fixed);
  return [age, truncate(activity.join(SPACE).replaceAll('\n', ' '), room), ...usage].join(SPACE);
}

/** How full the context of the model is. Unknown sizes are left out. */
function contextFill(turn: LiveTurn | null): readonly string[] {
  const { contextTokens: used, contextTokensMax: most } = turn ?? {};
  if (used === undefined || used === null || most === undefined || most === null || most <= 0)
    return [];
  return [`context ${Math.min(100, Math.round((100 * used) / most))}%`];
}

function beforeAttempts({ setup, baseline }: RunHistory): string {
  if (setup?.isOpen === true) return 'setting up';
  const gate = baseline.find(({ endedAt }) => endedAt === null);
  return gate === undefined ? 'queued' : `gate ${gate.name} on the base`;
}

function reportedTokens({
  inputTokens,
  outputTokens,
}: RunHistory['attempts'][number]['usage']): number | null {
  return inputTokens === null && outputTokens === null
    ? null
    : (inputTokens ?? 0) + (outputTokens ?? 0);
}

function sum(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((one) => one !== null);
  return known.length === 0 ? null : known.reduce((total, one) => total + one, 0);
}

function inThousands(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(1)}k`;
}
