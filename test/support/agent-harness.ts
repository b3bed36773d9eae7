/**
 * Runs long-lived agents under their real supervisors, on the manual clock. Only the result of a
 * turn comes from the test.
 */
import assert from 'node:assert/strict';
import { PINNED_DEFAULTS } from './pinned-defaults.ts';
import type { RunId } from '../../src/base/ids.ts';
import { seededRandom } from '../../src/base/random.ts';
import type { AgentRecord } from '../../src/owner/agents/agent-registry.ts';
import { AgentRegistry } from '../../src/owner/agents/agent-registry.ts';
import { AgentsSupervisor } from '../../src/owner/agents/agents-supervisor.ts';
import { TreeJournal } from '../../src/owner/agents/tree-journal.ts';
import { TreeState } from '../../src/owner/tree-state.ts';
import { EmbeddedEngine } from '../../src/engine/embedded/embedded-engine.ts';
import type { CommandContext, CommandRequest, Performer } from '../../src/engine/performer.ts';
import { KIND_RULES } from '../../src/agents/kinds.ts';
import { agentProgram } from '../../src/agents/agent-program.ts';
import type { LongLivedSettings } from '../../src/protocol/long-lived-agent.ts';
import { AGENT_PROGRAM } from '../../src/protocol/agent-program-name.ts';
import type { TreePlace } from '../../src/protocol/tree-place.ts';
import { MemoryDisk } from '../../src/store/memory/memory-disk.ts';
import { MemoryJournal } from '../../src/store/memory/memory-journal.ts';
import type { SupervisorEnd } from '../../src/supervision/index.ts';
import { ManualClock } from '../../src/testing/fakes/manual-clock.ts';
import { AGENT_SETTINGS } from './drive-agent.ts';
import { loosePerformer } from './run-event.ts';
import type { AttemptOutcome } from '../../src/protocol/contracts/attempt-contract.ts';

/** Running turns, by the run of their agent. */
class Turns implements Performer<'attempt'> {
  readonly command = 'attempt';
  readonly going = new Map<string, (result: AttemptOutcome) => void>();
  /** Runs whose turns end only when the test says so. */
  readonly deaf = new Set<string>();

  perform(
    { run }: CommandRequest<'attempt'>,
    { cancelSignal, killSignal }: CommandContext<'attempt'>,
  ): Promise<AttemptOutcome> {
    return new Promise((resolve) => {
      const end = (result: AttemptOutcome): void => {
        this.going.delete(run);
        resolve(result);
      };
      this.going.set(run, end);
      const stop = (): void => (this.deaf.has(run) ? undefined : end({ kind: 'stopped' }));
      cancelSignal.addEventListener('abort', stop);
      killSignal.addEventListener('abort', stop);
    });
  }
}

type Up = {
  readonly engine: EmbeddedEngine;
  readonly registry: AgentRegistry;
  readonly treeJournal: TreeJournal;
  readonly branch: AgentsSupervisor;
  readonly tree: TreeState;
  readonly turns: Turns;
};

export class AgentHarness {
  static readonly project = '/projects/shop';
  readonly clock: ManualClock;
  readonly disk = new MemoryDisk();
  readonly journal = new MemoryJournal(this.disk);
  readonly log: string[] = [];
  #up: Up | undefined;
  #read = 0;

  constructor(startMs = 1_000_000_000_000) {
    this.clock = new ManualClock(startMs);
  }

  /** Starts an owner. */
  async open(): Promise<void> {
    const { clock, journal } = this;
    const random = seededRandom(1);
    const tree = new TreeState(clock);
    const log = (line: string): void => void this.log.push(line);
    const registry = await AgentRegistry.open(journal, log, () => {});
    const treeJournal = await TreeJournal.open(journal, clock);
    const turns = new Turns();
    const others = [
      'setup',
      'finalize',
      'set-cooldown',
      'send-message',
      'claim-item',
      'release-item',
      'broadcast',
    ].map((command) => loosePerformer(command, async () => ({ kind: 'done' })));
    const availability = loosePerformer('check-availability', async () => ({ cooling: [] }));
    const engine = await EmbeddedEngine.open({
      journal,
      clock,
      random,
      programs: [agentProgram],
      performers: [turns, availability, ...others],
      limits: [],
      onDefect: (run, error) => this.log.push(`defect ${run} ${String(error)}`),
    });
    const branch = await AgentsSupervisor.start(
      {
        clock,
        random,
        registry,
        treeJournal,
        log,
        signal: (run, signal) => engine.signal(run, signal),
        observe: (path, strategy) =>
          tree.supervisor(path === '' ? 'agents' : `agents/${path}`, strategy),
      },
      new AbortController().signal,
    );
    this.#up = { engine, registry, treeJournal, branch, tree, turns };
    await this.settle();
  }

  get up(): Up {
    return this.#up ?? assert.fail('no owner is up');
  }

  /** Shuts the owner down in order. */
  async close(): Promise<SupervisorEnd> {
    const end = await this.up.branch.stop();
    await this.die();
    return end;
  }

  /** Kills the owner: nothing more is written. */
  async die(): Promise<void> {
    const { branch, engine, registry } = this.up;
    this.#up = undefined;
    const killed = branch.kill();
    await this.clock.advance(0);
    await killed;
    await engine.close();
    await registry.close();
  }

  async declare(places: readonly TreePlace[]): Promise<void> {
    await this.up.treeJournal.declare(AgentHarness.project, places);
    await this.up.branch.declare(AgentHarness.project);
  }

  async spawn(name: string, more: Partial<LongLivedSettings> = {}): Promise<RunId> {
    const kind = more.kind ?? 'mortal';
    const rules = KIND_RULES[kind];
    const life: LongLivedSettings = {
      ...AGENT_SETTINGS,
      name,
      kind,
      declared: more.supervisor !== undefined,
      restart: {
        type: rules.restart,
        restartsMax: rules.intensity.restartsMax,
        withinMs: rules.intensity.withinMs,
        backoff:
          rules.backoff === null
            ? null
            : { baseMs: rules.backoff.baseMs, maxMs: rules.backoff.maxMs },
      },
      ...more,
    };
    const run = await this.up.engine.start({
      program: AGENT_PROGRAM,
      task: `be ${name}`,
      project: AgentHarness.project,
      settings: {
        ...PINNED_DEFAULTS,
        agent: { id: 'scripted', cli: 'scripted', args: [], model: null, configDir: null, env: {} },
        graceMs: 1000,
        deadlineMs: null,
        interruptionsMax: 3,
        outputBytesMax: 100_000,
        longLived: life,
      },
    });
    await this.settle();
    return run;
  }

  agent(name: string): AgentRecord {
    const named = this.up.registry.all().filter(({ settings }) => settings.name === name);
    return named.at(-1) ?? assert.fail(`no ${name}`);
  }

  isAtWork(name: string): boolean {
    return this.up.turns.going.has(this.agent(name).run);
  }

  /** Only the test can end the current turn of this agent. */
  goesDeaf(name: string): void {
    this.up.turns.deaf.add(this.agent(name).run);
  }

  /** Ends the turn of this agent with this result. */
  async ends(name: string, result: AttemptOutcome): Promise<void> {
    const { run } = this.agent(name);
    this.up.turns.deaf.delete(run);
    const end = this.up.turns.going.get(run) ?? assert.fail(`${name} has no turn`);
    end(result);
    await this.settle();
  }

  crash(name: string, message = 'boom'): Promise<void> {
    return this.ends(name, { kind: 'failed', reason: 'crashed', message });
  }

  /** Runs everything that is ready to run. */
  async settle(): Promise<void> {
    for (let round = 0; round < 6; round += 1) await this.clock.advance(0);
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await this.settle();
  }

  /** Signals sent to agents since the last call, in order: `live 1 a`, `end-life b`. */
  async newSignals(): Promise<readonly string[]> {
    const facts = await this.journal.readAll({ after: this.#read, limit: 100_000 });
    this.#read = facts.at(-1)?.id ?? this.#read;
    return facts.flatMap((fact) => {
      if (fact.type !== 'signal.received') return [];
      const { signal } = fact.payload;
      const name = this.up.registry.get(fact.stream.slice(4) as RunId)?.settings.name ?? '?';
      return [
        signal.kind === 'start-life' ? `live ${signal.life} ${name}` : `${signal.kind} ${name}`,
      ];
    });
  }

  /** The child's state as its supervisor reports it: `pool/a running`. */
  states(): readonly string[] {
    return this.up.tree
      .view()
      .nodes.filter(({ type }) => type === 'worker')
      .map(({ id, state }) => {
        const run = id.slice(id.lastIndexOf('/') + 1) as RunId;
        return `${this.up.registry.get(run)?.settings.name ?? run} ${state}`;
      });
  }
}
