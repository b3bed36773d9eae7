/**
 * Fake long-lived agents for monitors: they have the status that a test sets, and record the
 * signals that they receive.
 */
import type { RunId } from '../../src/base/ids.ts';
import type { MonitoredAgent, MonitoredAgents } from '../../src/owner/agents/monitored-agents.ts';
import { DEFAULT_HEALTH } from '../../src/monitors/health.ts';
import { DEFAULT_TRIGGERS } from '../../src/monitors/triggers.ts';
import type { Signal } from '../../src/protocol/signal.ts';
import type { AgentState, LongLivedSettings } from '../../src/protocol/long-lived-agent.ts';
import type { Exit } from '../../src/supervision/index.ts';

const NO_CAPS = { usd: null, tokens: null, calls: null, wallMs: null };

type Wishes = Partial<LongLivedSettings> & {
  readonly state?: AgentState;
  readonly life?: number;
  readonly project?: string;
  /** How its life ended; the agent is down. */
  readonly exit?: Exit;
};

export class FakeAgents implements MonitoredAgents {
  readonly agents = new Map<RunId, MonitoredAgent>();
  /** `run kind …` for each signal, in order. */
  readonly signals: { readonly run: RunId; readonly signal: Signal }[] = [];
  readonly notes = new Map<RunId, string>();
  readonly #listeners = new Set<(run: RunId, exit: Exit) => void>();
  /** The result of the next signals. */
  faults: Error[] = [];

  add(
    run: string,
    { state = 'working', life = 1, project = '/app', exit, ...options }: Wishes = {},
  ): RunId {
    const settings = lifeSettings(run, options);
    const { name, kind, parent } = settings;
    this.agents.set(run as RunId, {
      run: run as RunId,
      settings,
      project,
      status: {
        name,
        kind,
        parent,
        state,
        life,
        turn: 1,
        coolingUntil: null,
        exit: exit ?? null,
        isEnding: false,
        restartRequested: false,
        isOver: false,
        openIssues: 0,
        commitments: [],
        notes: 0,
      },
    });
    return run as RunId;
  }

  living(): readonly MonitoredAgent[] {
    return [...this.agents.values()];
  }

  get(run: RunId): MonitoredAgent | undefined {
    return this.agents.get(run);
  }

  async signal(run: RunId, signal: Signal): Promise<void> {
    const fault = this.faults.shift();
    if (fault !== undefined) throw fault;
    this.signals.push({ run, signal });
  }

  onExit(listener: (run: RunId, exit: Exit) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get listening(): number {
    return this.#listeners.size;
  }

  exit(run: string, exit: Exit): void {
    for (const listener of this.#listeners) listener(run as RunId, exit);
  }

  note(run: RunId, words: string): void {
    this.notes.set(run, words);
  }

  /** The received signals, in a word or two each. */
  sentSignals(): readonly string[] {
    return this.signals.map(({ run, signal }) => {
      if (signal.kind === 'issue') return `${run} issue ${signal.issue.kind}`;
      if (signal.kind === 'trigger') return `${run} trigger ${signal.trigger.kind}`;
      if (signal.kind === 'violation') return `${run} violation ${signal.rule} ${signal.times}`;
      return `${run} ${signal.kind}`;
    });
  }
}

function lifeSettings(run: string, options: Partial<LongLivedSettings>): LongLivedSettings {
  return {
    name: `agent-${run}`,
    kind: 'mortal',
    parent: null,
    supervisor: 'agents',
    declared: false,
    commitments: [],
    onDone: 'wait',
    queue: null,
    flags: { perseverance: false, userPresent: false },
    grant: { writes: [], reads: [], hosts: [], capabilities: [], budget: NO_CAPS },
    triggers: DEFAULT_TRIGGERS,
    health: DEFAULT_HEALTH,
    violations: [],
    restart: { type: 'transient', restartsMax: 3, withinMs: 300_000, backoff: null },
    ...options,
  };
}
