/** For programs: one task from its submission to its end, with what happens on the way as callbacks. */
import { defined } from '../base/defined.ts';
import type { SupervisorLog } from '../attempts/supervisor-log.ts';
import { EMPTY_SUPERVISOR_LOG, foldSupervisorLog } from '../attempts/supervisor-log.ts';
import { isRefusal } from '../base/errors.ts';
import type { RunRequest } from '../protocol/api.ts';
import type { AttemptHistory } from '../reports/attempt-history.ts';
import type { RunEvent } from '../protocol/event.ts';
import type { RunResult } from '../reports/run-result.ts';
import type { RunHistory } from '../reports/run-history.ts';
import { foldRunHistory } from '../reports/run-history.ts';
import type { RunStatus, RunView } from '../protocol/views/run-view.ts';
import { foldRunView, runStatus } from '../protocol/views/run-view.ts';
import type { SupervisorConnection, SupervisorOptions } from './open-supervisor.ts';
import { openSupervisor } from './open-supervisor.ts';

/** What is asked, and which Supervisor is asked. */
export type TaskSpec = RunRequest & SupervisorOptions;

/** What one of them throws ends the watching, not the run. */
export type TaskHooks = {
  readonly onState?: (state: RunStatus) => void;
  /** What the loop says of its decisions, and what the agents say, line by line. */
  readonly onLog?: (line: string) => void;
  /**
   * Another attempt is to come, by the same agent or by the next of the chain: the how-manieth retry of the run, and
   * after which delay. It is told before the delay; a wait for a provider's limit is no delay of this kind.
   */
  readonly onRetry?: (count: number, agent: string, delayMs: number) => void;
  /** Told before the `onRetry` of the same attempt. */
  readonly onAgentSwitch?: (from: string, to: string) => void;
  readonly onDone?: (result: RunResult) => void;
  /** Aborting it stops the run; it then ends as cancelled. */
  readonly signal?: AbortSignal;
};

/** Resolves with how the run ended, well or badly. Rejects with a `Refusal` when there is no run to begin with. */
export async function runTask(spec: TaskSpec, hooks: TaskHooks = {}): Promise<RunResult> {
  const { home, inProcess, ...request } = spec;
  const options = defined({ home, inProcess });
  await using opened = new AsyncDisposableStack();
  let supervisor = opened.use(await openSupervisor(options));
  const view = await supervisor.client.submit(request);
  const watch = new TaskWatch(view, hooks);
  for (let diedAt: number | undefined; ;) {
    try {
      await watch.follow(supervisor);
      const result = await supervisor.client.result(view.id);
      hooks.onDone?.(result);
      return result;
    } catch (error) {
      // One that dies is replaced, as long as the run has moved in between.
      if (!isRefusal(error, 'owner.unreachable') || diedAt === watch.seen) throw error;
      diedAt = watch.seen;
      supervisor = opened.use(await openSupervisor(options));
    }
  }
}

class TaskWatch {
  readonly #hooks: TaskHooks;
  #view: RunView;
  #story: RunHistory | undefined;
  #log: SupervisorLog = EMPTY_SUPERVISOR_LOG;
  #state: RunStatus | undefined;
  /** The attempt that was last told of. */
  #told = 1;
  seen = 0;

  constructor(view: RunView, hooks: TaskHooks) {
    this.#view = view;
    this.#hooks = hooks;
  }

  async follow({ client }: SupervisorConnection): Promise<void> {
    const { id } = this.#view;
    const { signal } = this.#hooks;
    const left = new AbortController();
    const stop = (): void => void client.signal(id, { kind: 'stop' }).catch(() => undefined); // it has ended, or the next owner is told
    signal?.addEventListener('abort', stop, { signal: left.signal });
    if (signal?.aborted === true) stop();
    const words = this.#tellWords(client.words(id, this.seen, left.signal), left.signal);
    try {
      for await (const event of client.followRun(id, this.seen)) {
        if (event.type === 'run.ended') await words;
        this.#take(event);
      }
    } finally {
      left.abort();
      await words;
    }
  }

  #take(event: RunEvent): void {
    const { onState, onLog } = this.#hooks;
    this.#view = foldRunView(this.#view, event) ?? this.#view;
    this.#log = foldSupervisorLog(this.#log, event);
    const before = this.#story?.attempts.at(-1);
    this.#story = foldRunHistory(this.#story, event);
    this.seen = event.seq;
    for (const line of this.#log.lines) onLog?.(line);
    const next = this.#story?.attempts.at(-1);
    if (before !== undefined) this.#tellOfWait(before, event);
    if (before !== undefined && next !== undefined && before.key !== next.key)
      this.#tellOf(before, next);
    const state = runStatus(this.#view);
    if (state !== this.#state) onState?.(state);
    this.#state = state;
  }

  /** Only an agent that tries again waits first: whichever comes in its place begins at once. */
  #tellOfWait({ agentId }: AttemptHistory, event: RunEvent): void {
    if (event.type !== 'command.begun') return;
    const { key, command, input } = event.payload;
    if (command !== 'wait' || !key.startsWith('backoff-')) return;
    this.#tellOfRetry(
      (this.#story?.attempts.length ?? 0) + 1,
      agentId,
      Math.max(0, Number(input['until']) - event.at),
    );
  }

  #tellOf(before: AttemptHistory, next: AttemptHistory): void {
    if (before.identity !== next.identity)
      this.#hooks.onAgentSwitch?.(before.agentId, next.agentId);
    this.#tellOfRetry(this.#story?.attempts.length ?? 0, next.agentId, 0);
  }

  /** Each attempt is told of once, by its number: also if its wait was lost with an owner and begins again. */
  #tellOfRetry(attempt: number, agent: string, delayMs: number): void {
    if (attempt <= this.#told) return;
    this.#told = attempt;
    this.#hooks.onRetry?.(attempt - 1, agent, delayMs);
  }

  async #tellWords(
    chunks: AsyncIterable<{ readonly text: string }>,
    signal: AbortSignal,
  ): Promise<void> {
    const { onLog } = this.#hooks;
    try {
      for await (const { text } of chunks)
        for (const line of text.trimEnd().split('\n')) onLog?.(line);
    } catch (error) {
      // That the words can't be had must not hide how the run goes on.
      if (!signal.aborted && !isRefusal(error)) throw error;
    }
  }
}
