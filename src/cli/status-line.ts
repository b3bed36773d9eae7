/**
 * The last line of a terminal, which says how a run stands and changes in place; everything else is
 * printed above it. Where nobody looks (no terminal, `TERM=dumb`) it is not there.
 */
import { formatDuration } from '../base/format-duration.ts';
import type { RunHistory } from '../reports/run-history.ts';
import type { CliContext } from './cli-context.ts';
import { paint, printable } from './cli-context.ts';

const TICK_MS = 1000;
const CLEAR = '\r\u001B[2K';

export class StatusLine implements AsyncDisposable {
  readonly #context: CliContext;
  readonly #isShown: boolean;
  readonly #over = new AbortController();
  readonly #ticking: Promise<void>;
  #words = '';
  #tell: (now: number) => string = () => '';

  constructor(context: CliContext, wanted: boolean) {
    this.#context = context;
    this.#isShown = wanted && context.terminal.isTty && context.env['TERM'] !== 'dumb';
    this.#ticking = this.#isShown ? this.#tick() : Promise.resolve();
  }

  /** Prints whole lines above it. */
  print(lines: string): void {
    this.#context.out(this.#words === '' ? lines : `${CLEAR}${lines}${this.#words}`);
  }

  /** From now on it says this. */
  show(tell: (now: number) => string): void {
    this.#tell = tell;
    this.#draw();
  }

  /** Leaves the terminal as if it had never been there. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#ticking;
    if (this.#words !== '') this.#context.out(CLEAR);
    this.#words = '';
  }

  #draw(): void {
    if (!this.#isShown || this.#over.signal.aborted) return;
    const { clock, terminal, out } = this.#context;
    const told = printable(this.#tell(clock.now())).replaceAll('\n', ' ');
    // One column stays free: a full line would wrap, and its first half could not be cleared.
    const words = paint(this.#context, 'dim', told.slice(0, Math.max(0, terminal.width - 1)));
    out(`${this.#words === '' ? '' : CLEAR}${words}`);
    this.#words = words;
  }

  async #tick(): Promise<void> {
    while (await this.#context.clock.sleep(TICK_MS, this.#over.signal)) this.#draw();
  }
}

/** How long, who, what it does, what it has used: `1m05s  main, attempt 2  uses Bash  12.3k tokens  $0.12`. */
export function describeStatus(story: RunHistory, lastTool: string | null, now: number): string {
  const { attempts, waits, questions, submittedAt } = story;
  const last = attempts.at(-1);
  const wait = waits.find(({ endedAt }) => endedAt === null);
  const tokens = sum(attempts.map((one) => one.counted?.tokens ?? spoken(one.usage)));
  const usd = sum(attempts.map(({ usage }) => usage.costUsd));
  return [
    formatDuration(now - submittedAt),
    last === undefined ? 'queued' : `${last.agentId}, attempt ${last.number}`,
    ...(questions.some(({ endedAt }) => endedAt === null) ? ['asks you'] : []),
    ...(wait === undefined ? [] : [`waits ${formatDuration(wait.until - now)}: ${wait.why}`]),
    ...(last === undefined || last.end !== null || lastTool === null ? [] : [lastTool]),
    ...(tokens === null ? [] : [`${inThousands(tokens)} tokens`]),
    ...(usd === null ? [] : [`$${usd.toFixed(2)}`]),
  ].join('  ');
}

function spoken({
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
