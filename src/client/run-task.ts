/** For programs: runs one task from submission to its end, and reports progress through callbacks. */
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
import type { RunView } from '../protocol/views/run-view.ts';
import type { RunStatus } from '../protocol/views/run-status.ts';
import { foldRunView } from '../protocol/views/run-view.ts';
import { runStatus } from '../protocol/views/run-status.ts';
import type { SupervisorConnection, SupervisorOptions } from './open-supervisor.ts';
import { openSupervisor } from './open-supervisor.ts';

/** The request, and the Supervisor to send it to. */
export type TaskSpec = RunRequest & SupervisorOptions;

/** If a hook throws, watching ends, but the run continues. */
export type TaskHooks = {
  readonly onState?: (state: RunStatus) => void;
  /** Supervisor's decisions and the agents' messages, line by line. */
  readonly onLog?: (line: string) => void;
  /**
   * Another attempt follows, with the same agent or the next one of the chain. `count` is the number of retries in
   * the run. It is called before the delay. A wait for a provider's limit is not such a delay.
   */
  readonly onRetry?: (count: number, agent: string, delayMs: number) => void;
  /** Called before the `onRetry` of the same attempt. */
  readonly onAgentSwitch?: (from: string, to: string) => void;
  readonly onDone?: (result: RunResult) => void;
  /** Aborting it stops the run, which then ends as cancelled. */
  readonly signal?: AbortSignal;
};

/** Resolves with the result of the run, whatever it is. Rejects with a `Refusal` if the run could not be created. */
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
      // If the owner dies, use a new one, unless the run made no progress since.
      if (!isRefusal(error, 'owner.unreachable') || diedAt === watch.seen) throw error;
      diedAt = watch.seen;
      supervisor = opened.use(await openSupervisor(options));
    }
  }
}

class TaskWatch {
  readonly #hooks: TaskHooks;
  #view: RunView;
  #history: RunHistory | undefined;
  #log: SupervisorLog = EMPTY_SUPERVISOR_LOG;
  #state: RunStatus | undefined;
  /** The number of the last attempt that was reported. */
  #reported = 1;
  seen = 0;

  constructor(view: RunView, hooks: TaskHooks) {
    this.#view = view;
    this.#hooks = hooks;
  }

  async follow({ client }: SupervisorConnection): Promise<void> {
    const { id } = this.#view;
    const { signal } = this.#hooks;
    const left = new AbortController();
    const stop = (): void => void client.signal(id, { kind: 'stop' }).catch(() => undefined); // the run has ended, or the signal is sent to the next owner
    signal?.addEventListener('abort', stop, { signal: left.signal });
    if (signal?.aborted === true) stop();
    const messages = this.#reportMessages(client.words(id, this.seen, left.signal), left.signal);
    try {
      for await (const event of client.followRun(id, this.seen)) {
        if (event.type === 'run.ended') await messages;
        this.#take(event);
      }
    } finally {
      left.abort();
      await messages;
    }
  }

  #take(event: RunEvent): void {
    const { onState, onLog } = this.#hooks;
    this.#view = foldRunView(this.#view, event) ?? this.#view;
    this.#log = foldSupervisorLog(this.#log, event);
    const before = this.#history?.attempts.at(-1);
    this.#history = foldRunHistory(this.#history, event);
    this.seen = event.seq;
    for (const line of this.#log.lines) onLog?.(line);
    const next = this.#history?.attempts.at(-1);
    if (before !== undefined) this.#reportDelay(before, event);
    if (before !== undefined && next !== undefined && before.key !== next.key)
      this.#reportAttempt(before, next);
    const state = runStatus(this.#view);
    if (state !== this.#state) onState?.(state);
    this.#state = state;
  }

  /** Only a retry with the same agent has a delay. The next agent starts at once. */
  #reportDelay({ agentId }: AttemptHistory, event: RunEvent): void {
    if (event.type !== 'command.begun') return;
    const { command, input } = event.payload;
    if (command !== 'wait' || input.reason !== 'retry') return;
    this.#reportRetry(
      (this.#history?.attempts.length ?? 0) + 1,
      agentId,
      Math.max(0, input.until - event.at),
    );
  }

  #reportAttempt(before: AttemptHistory, next: AttemptHistory): void {
    if (before.identity !== next.identity)
      this.#hooks.onAgentSwitch?.(before.agentId, next.agentId);
    this.#reportRetry(this.#history?.attempts.length ?? 0, next.agentId, 0);
  }

  /** Reports each attempt once, by its number, even if its delay starts again because the owner died. */
  #reportRetry(attempt: number, agent: string, delayMs: number): void {
    if (attempt <= this.#reported) return;
    this.#reported = attempt;
    this.#hooks.onRetry?.(attempt - 1, agent, delayMs);
  }

  async #reportMessages(
    chunks: AsyncIterable<{ readonly text: string }>,
    signal: AbortSignal,
  ): Promise<void> {
    const { onLog } = this.#hooks;
    try {
      for await (const { text } of chunks)
        for (const line of text.trimEnd().split('\n')) onLog?.(line);
    } catch (error) {
      // The messages are only informative. If they can't be read, the events of the run still count.
      if (!signal.aborted && !isRefusal(error)) throw error;
    }
  }
}
