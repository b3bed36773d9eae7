/** The work of a simulated agent: it writes files step by step, and ends as the seed says. */
import { failureClass } from '../../../src/failures/failure.ts';
import type { Json } from '../../../src/base/json.ts';
import type { Random } from '../../../src/base/random.ts';
import { randomInt } from '../../../src/base/random.ts';
import type { CommandContext, CommandRequest } from '../../../src/engine/performer.ts';
import type { FailureReason } from '../../../src/protocol/failure-reason.ts';
import type { Process } from './record.ts';
import type { AgentFault, Scenario } from './scenario.ts';
import { AGENT_FAULTS } from './scenario.ts';
import type { WorldClock } from './world-clock.ts';
import type {
  AttemptInput,
  AttemptOutcome,
} from '../../../src/protocol/contracts/attempt-contract.ts';

export type AgentBehaviour = {
  readonly faults: ReadonlySet<AgentFault>;
  readonly steps: number;
  readonly stepMs: number;
  readonly patienceMs: number;
};

export type Ends = {
  readonly end: (outcome: AttemptOutcome) => void;
  readonly fail: (error: Error) => void;
};

/** `complete`: it has done all of its work. */
type WorkEnds = Ends & {
  readonly session: string;
  readonly complete: () => void;
  /** Writes a file into its own tree. Without a tree, it works in the project itself. */
  readonly write: ((number: number) => void) | undefined;
};

type WorkPorts = {
  readonly clock: WorldClock;
  readonly random: Random;
  readonly likely: Scenario['agentFaults'];
  readonly happened: (fault: AgentFault) => void;
  readonly note: (
    process: Process,
    context: CommandContext,
    fact: Record<string, Json>,
  ) => Promise<void>;
};

/** Outcomes reported by the provider, the sandbox or the agent. */
const FAILURES: readonly (readonly [AgentFault, FailureReason])[] = [
  ['agent-limited', 'rate_limited'],
  ['agent-oom', 'oom'],
  ['agent-asks', 'needs_input'],
  ['agent-restarts-exhausted', 'budget'],
];

const NETWORK_POLL_MS = 1000;
/** More than a follower reads at once. */
const FLOOD_NOTES = 300;
const TURN_NOTES = 20;

export class AgentWork {
  /** The files of each project. */
  readonly trees = new Map<string, Map<string, string>>();
  network: 'up' | 'down' = 'up';
  readonly #clock: WorldClock;
  readonly #random: Random;
  readonly #ports: WorkPorts;

  constructor(ports: WorkPorts) {
    this.#ports = ports;
    this.#clock = ports.clock;
    this.#random = ports.random;
  }

  /** Draws the behaviour of the next agent. */
  drawTemper(): AgentBehaviour {
    const faults = AGENT_FAULTS.filter((fault) => this.#random() < this.#ports.likely[fault]);
    return {
      faults: new Set(faults),
      steps: randomInt(this.#random, 1, 4),
      stepMs: randomInt(this.#random, 0, 20_000),
      patienceMs: randomInt(this.#random, 0, 90_000),
    };
  }

  begin(
    process: Process,
    behaviour: AgentBehaviour,
    input: CommandRequest['input'],
    context: CommandContext,
    ends: WorkEnds,
  ): void {
    const { faults, steps, stepMs, patienceMs } = behaviour;
    const tree = this.#treeOf('project' in input ? input.project : '/stage');
    let waitedMs = 0;
    const step = (number: number): void => {
      if (process.diedOrder !== null) return;
      if (this.network === 'down') {
        waitedMs += NETWORK_POLL_MS;
        if (waitedMs > patienceMs) {
          ends.end({ kind: 'failed', reason: 'crashed', message: 'the network is gone' });
          return;
        }
        this.#clock.after(NETWORK_POLL_MS, () => step(number));
        return;
      }
      if (ends.write === undefined) tree.set(`${process.run}/${number}.txt`, `by ${process.pid}`);
      else ends.write(number);
      if (faults.has('agent-flood') && number === 1) this.#flood(process, context, input);
      if (number < steps) this.#clock.after(stepMs, () => step(number + 1));
      else this.#conclude(faults, ends);
    };
    if (faults.has('agent-missing')) {
      this.#ports.happened('agent-missing');
      ends.end({ kind: 'failed', reason: 'agent_missing', message: 'could not be started' });
    } else this.#clock.after(stepMs, () => step(1));
  }

  #conclude(faults: ReadonlySet<AgentFault>, { end, fail, session, complete }: WorkEnds): void {
    if (faults.has('agent-endless')) {
      this.#ports.happened('agent-endless');
    } else if (faults.has('performer-defect')) {
      this.#ports.happened('performer-defect');
      fail(new Error('a bug in the performer'));
    } else if (faults.has('agent-crash')) {
      this.#ports.happened('agent-crash');
      end({ kind: 'failed', reason: 'crashed', message: 'segmentation fault' });
    } else {
      const [fault, reason] = FAILURES.find(([one]) => faults.has(one)) ?? [];
      if (fault === undefined || reason === undefined) {
        complete();
        return;
      }
      this.#ports.happened(fault);
      end(this.#failed(reason, session));
    }
  }

  #failed(reason: FailureReason, session: string): AttemptOutcome {
    const isKnown = this.#random() < 0.7;
    const resetMs = randomInt(this.#random, 1, 1800) * 1000;
    const kind = failureClass(reason);
    const resetAt = kind.coolsDown && isKnown ? this.#clock.now() + resetMs : null;
    const failure = { ...kind, reason, message: reason, resetAt, evidence: [] };
    return { kind: 'failed', reason, message: reason, failure, session, exit: 1 };
  }

  #flood(process: Process, context: CommandContext, input: CommandRequest['input']): void {
    const { readsNotes } = input as Partial<AttemptInput>;
    this.#ports.happened('agent-flood');
    // No follower reads a long-lived agent, and it has many turns.
    const lines = readsNotes === true ? TURN_NOTES : FLOOD_NOTES;
    for (let line = 1; line <= lines; line += 1) void this.#ports.note(process, context, { line });
  }

  #treeOf(project: string): Map<string, string> {
    const tree = this.trees.get(project) ?? new Map<string, string>();
    this.trees.set(project, tree);
    return tree;
  }
}
