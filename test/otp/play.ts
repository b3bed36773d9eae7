/** Runs a scenario on our supervisor, on a clock that takes no time, and writes the trace. */
import type { Refusal } from '../../src/base/errors.ts';
import { isRefusal } from '../../src/base/errors.ts';
import type { Exit, SupervisionEvent, SupervisorEnd } from '../../src/supervision/index.ts';
import { Supervisor } from '../../src/supervision/index.ts';
import { ManualClock } from '../../src/testing/fakes/manual-clock.ts';
import { FakeOtpChildren, otpWords } from './fake-otp-children.ts';
import type { FlagsInFile, Operation, Scenario } from './scenario.ts';

const STRATEGIES = otpWords('one-for-one', 'one-for-all', 'rest-for-one');
const AUTO_SHUTDOWNS = otpWords('never', 'any-significant', 'all-significant');

/** The answers of the four calls when they are refused. */
const ANSWERS: Readonly<Record<string, string>> = {
  'child.already-present': 'already_present',
  'child.already-started': 'already_started',
  'child.invalid': 'refused',
  'child.not-found': 'not_found',
  'child.restarting': 'restarting',
  'child.running': 'running',
  'child.start-failed': 'start_failed',
  'supervisor.ended': 'noproc',
};

export async function playScenario({
  flags,
  children,
  script,
}: Scenario): Promise<readonly string[]> {
  const player = new Player();
  if (await player.start(flags, children)) {
    for (const operation of script) await player.perform(operation);
  }
  return player.trace;
}

class Player {
  readonly trace: string[] = [];
  readonly #clock = new ManualClock();
  readonly #puppets = new FakeOtpChildren();
  #supervisor: Supervisor | undefined;
  #end: SupervisorEnd | undefined;

  async start(flags: FlagsInFile, children: Scenario['children']): Promise<boolean> {
    const { intensity, period } = flags;
    for (const { id, fail_starts } of children) this.#puppets.trouble(id, fail_starts);
    try {
      this.#supervisor = await this.#drive(
        Supervisor.start(
          {
            strategy: STRATEGIES(flags.strategy),
            autoShutdown: AUTO_SHUTDOWNS(flags.auto_shutdown),
            intensity: {
              restartsMax: intensity as number,
              withinMs: Number.isInteger(period) ? (period as number) * 1000 : Number.NaN,
            },
            children: children.map((child) => this.#puppets.spec(child)),
          },
          { clock: this.#clock, observe: (event) => this.#write(event) },
        ),
      );
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.trace.push('supervisor_start_failed');
      return false;
    }
    void this.#supervisor.ended.then((end) => (this.#end = end));
    await this.#children();
    return true;
  }

  async perform(operation: Operation): Promise<void> {
    const hadEnded = this.#end !== undefined;
    this.trace.push(heading(operation));
    await this.#carryOut(operation, this.#up());
    const standing = await this.#settled();
    if (this.#end !== undefined && !hadEnded)
      this.trace.push(`supervisor_exit ${exitWord(this.#end.exit)}`);
    this.trace.push(standing);
  }

  async #carryOut(operation: Operation, supervisor: Supervisor): Promise<void> {
    switch (operation[0]) {
      case 'exit': {
        const [, id, reason] = operation;
        if (!this.#puppets.end(id, exitOf(reason))) this.trace.push(`noop ${id}`);
        await turnOver(); // by then its supervisor has noticed it
        return;
      }
      case 'fail_next':
        return this.#puppets.trouble(operation[1], operation[2]);
      case 'terminate_child':
        return this.#answer(supervisor.terminateChild(operation[1]));
      case 'restart_child':
        return this.#answer(supervisor.restartChild(operation[1]));
      case 'delete_child':
        return this.#answer(supervisor.deleteChild(operation[1]));
      case 'start_child':
        this.#puppets.trouble(operation[1].id, operation[1].fail_starts);
        return this.#answer(supervisor.startChild(this.#puppets.spec(operation[1])));
      case 'sleep':
        return this.#clock.advance(operation[1]);
      case 'count':
        return this.#count(supervisor);
      case 'stop':
        return void (await this.#drive(supervisor.stop()));
    }
  }

  async #answer(call: Promise<'started' | 'ignored' | void>): Promise<void> {
    const answer = await this.#drive(
      call.then(
        (result) => (result === 'ignored' ? 'ok_undefined' : 'ok'),
        (error: Refusal) => ANSWERS[error.data.code] ?? error.data.code,
      ),
    );
    this.trace.push(`-> ${answer}`);
  }

  async #count(supervisor: Supervisor): Promise<void> {
    if (this.#end !== undefined) {
      this.trace.push('count -');
      return;
    }
    const { specs, active, workers } = await supervisor.countChildren();
    this.trace.push(`count specs=${specs} active=${active} workers=${workers}`);
  }

  async #children(): Promise<void> {
    this.trace.push(await this.#settled());
  }

  /**
   * The line about the children once nothing is left to do: a failed restart is tried again at
   * once.
   */
  async #settled(): Promise<string> {
    for (;;) {
      const children = await this.#drive(this.#up().whichChildren().catch(unlessEnded));
      if (children === undefined) return 'children -';
      if (children.some(({ status }) => status === 'restarting')) {
        await turnOver();
        continue;
      }
      const parts = children.map(({ id, status }) => {
        return ` ${id}=${status === 'absent' ? 'undefined' : status}`;
      });
      return `children${parts.join('')}`;
    }
  }

  /** Advances time whenever only time can settle the promise. */
  async #drive<Value>(promise: Promise<Value>): Promise<Value> {
    const done = promise.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([done, turnOver()]))) {
      const { nextWakeMs } = this.#clock;
      if (nextWakeMs === undefined) throw new Error('nothing can happen any more');
      await this.#clock.advance(nextWakeMs);
    }
    return promise;
  }

  #up(): Supervisor {
    if (this.#supervisor === undefined) throw new Error('not started');
    return this.#supervisor;
  }

  #write(event: SupervisionEvent): void {
    const line = eventLine(event);
    if (line !== undefined) this.trace.push(line);
  }
}

/** False, once all that was ready has run. */
function turnOver(): Promise<false> {
  return new Promise((resolve) => setImmediate(() => resolve(false)));
}

function unlessEnded(error: unknown): undefined {
  if (!isRefusal(error, 'supervisor.ended')) throw error;
  return undefined;
}

function heading(operation: Operation): string {
  if (operation[0] === 'start_child') return `# start_child ${operation[1].id}`;
  return ['#', ...operation].join(' ');
}

function eventLine(event: SupervisionEvent): string | undefined {
  switch (event.kind) {
    case 'started':
    case 'ignored':
      return `${event.kind} ${event.id}`;
    case 'start-failed':
      return `start_failed ${event.id}`;
    case 'exited':
    case 'stopped':
      return `${event.kind} ${event.id} ${exitWord(event.exit)}`;
    case 'killed':
    case 'unstopped':
    case 'restarting':
    case 'gave-up':
    case 'reverted':
    case 'keep-failed':
    case 'revert-failed':
      return undefined; // nothing that the format knows
  }
}

function exitOf(word: string): Exit {
  if (word === 'normal' || word === 'shutdown') return { kind: word };
  if (word === 'kill') return { kind: 'killed' };
  if (word.startsWith('shutdown:')) return { kind: 'shutdown', detail: word.slice(9) };
  return { kind: 'failed', reason: word };
}

function exitWord(exit: Exit): string {
  switch (exit.kind) {
    case 'normal':
    case 'killed':
      return exit.kind;
    case 'shutdown':
      return exit.detail === undefined ? 'shutdown' : `shutdown:${exit.detail}`;
    case 'failed':
      return exit.reason;
  }
}
