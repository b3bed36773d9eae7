/** For programs: runs one task from submission to its end, and reports progress through callbacks. */
import { defined } from '../base/defined.ts';
import type { SupervisorLog } from '../attempts/supervisor-log.ts';
import { EMPTY_SUPERVISOR_LOG, foldSupervisorLog } from '../attempts/supervisor-log.ts';
import { isRefusal } from '../base/errors.ts';
import type { RunRequest } from '../protocol/api.ts';
import type { RunEvent } from '../protocol/event.ts';
import type { RunResult } from '../public-json/run-result.ts';
import type { RunView } from '../protocol/views/run-view.ts';
import type { RunStatus } from '../protocol/views/run-status.ts';
import { foldRunView } from '../protocol/views/run-view.ts';
import { settledStatus } from '../protocol/views/run-status.ts';
import type { SupervisorConnection, SupervisorOptions } from './open-supervisor.ts';
import { openSupervisor } from './open-supervisor.ts';
import type { RetryNotices } from './retry-notices.ts';
import { NO_RETRY_NOTICES, foldRetryNotices } from './retry-notices.ts';

/** The request, and the Supervisor to send it to. */
export type TaskSpec = RunRequest & SupervisorOptions;

/** If a hook throws, watching ends, but the run continues. */
export type TaskHooks = {
  readonly onState?: (state: RunStatus) => void;
  /** Supervisor's decisions and the agents' messages, line by line. */
  readonly onLog?: (line: string) => void;
  /**
   * Another attempt follows, with the same agent or the next one of the chain. `count` is the number of retries in
   * the run. It is called before the delay, which may be the wait for a provider's limit. `until` is the end of the
   * delay. If there is no delay, `delayMs` is 0 and the attempt begins at once.
   */
  readonly onRetry?: (count: number, agent: string, delayMs: number, until: Date) => void;
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
  #retries: RetryNotices = NO_RETRY_NOTICES;
  #log: SupervisorLog = EMPTY_SUPERVISOR_LOG;
  #state: RunStatus | undefined;
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
    const messages = this.#reportMessages(
      client.output.words(id, this.seen, left.signal),
      left.signal,
    );
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
    const { onState, onLog, onRetry, onAgentSwitch } = this.#hooks;
    this.#view = foldRunView(this.#view, event) ?? this.#view;
    this.#log = foldSupervisorLog(this.#log, event);
    this.#retries = foldRetryNotices(this.#retries, event);
    this.seen = event.seq;
    for (const line of this.#log.lines) onLog?.(line);
    for (const notice of this.#retries.notices)
      if (notice.kind === 'switch') onAgentSwitch?.(notice.from, notice.to);
      else onRetry?.(notice.count, notice.agent, notice.delayMs, new Date(notice.until));
    const state = settledStatus(this.#view) ?? this.#state;
    if (state !== undefined && state !== this.#state) onState?.(state);
    this.#state = state;
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
