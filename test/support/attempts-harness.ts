/**
 * Runs the attempt loop on a real engine, with a journal in memory, a stopped clock, and agents
 * that are plain values.
 */
import assert from 'node:assert/strict';
import { attemptsProgram } from '../../src/attempts/attempts-program.ts';
import { isoTime } from '../../src/base/clock.ts';
import type { RunId } from '../../src/base/ids.ts';
import type { Json } from '../../src/base/json.ts';
import { seededRandom } from '../../src/base/random.ts';
import { EmbeddedEngine } from '../../src/engine/embedded/embedded-engine.ts';
import type { Limit } from '../../src/engine/limits.ts';
import type { Performer } from '../../src/engine/performer.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import type { PersonSignal } from '../../src/protocol/signal.ts';
import { MemoryDisk } from '../../src/store/memory/memory-disk.ts';
import { MemoryJournal } from '../../src/store/memory/memory-journal.ts';
import { ManualClock, settle } from '../../src/testing/fakes/manual-clock.ts';
import { START_MS } from './drive-attempts.ts';
import type { AttemptOutcome } from '../../src/protocol/contracts/attempt-contract.ts';
import type { AttemptSettings } from '../../src/protocol/pinned-settings.ts';
import { loosePerformer } from './run-event.ts';
import type { LooseContext } from './run-event.ts';
import { ATTEMPTS_PROGRAM } from '../../src/protocol/run-submission.ts';

type Result = Record<string, Json>;
type OutcomeOf = (agent: string) => Promise<AttemptOutcome>;

function performer(
  command: string,
  perform: (input: Result, context: LooseContext) => Promise<object>,
): Performer {
  return loosePerformer(command, ({ input }, context) => perform(input as Result, context));
}

export class AttemptsHarness implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly disk = new MemoryDisk();
  journal = new MemoryJournal(this.disk);
  readonly defects: unknown[] = [];
  attempts = 0;
  /** How often a gate was run. It is always red. */
  gates = 0;
  /** Names the files that every attempt leaves. */
  content: string | undefined;
  #engine: EmbeddedEngine | undefined;

  constructor(clock = new ManualClock(START_MS)) {
    this.clock = clock;
  }

  /** The outcome of an attempt, or what decides it by the agent. Undefined: it runs until it is cancelled. */
  async open(outcome?: AttemptOutcome | OutcomeOf, limits: readonly Limit[] = []): Promise<this> {
    const { clock } = this;
    const cooldowns: { identity: string; until: string; reason: string }[] = [];
    this.journal = new MemoryJournal(this.disk);
    this.#engine = await EmbeddedEngine.open({
      journal: this.journal,
      clock,
      random: seededRandom(1),
      programs: [attemptsProgram],
      performers: [
        performer('check-availability', async () => {
          const cooling = cooldowns.filter(({ until }) => Date.parse(until) > clock.now());
          return { at: isoTime(clock.now()), cooling, uses: {}, lastFirst: null };
        }),
        performer('set-cooldown', async ({ identity, until, reason }) => {
          cooldowns.push({ identity, until, reason } as unknown as (typeof cooldowns)[number]);
          return {};
        }),
        performer('finalize', async () => ({ kind: 'finalized' })),
        performer('gate', async ({ known }) => {
          if (known === undefined) this.gates += 1;
          return { kind: 'failed', name: 'test', exit: 1, tail: 'red' };
        }),
        performer('attempt', async ({ agent }, { cancelSignal, note }) => {
          this.attempts += 1;
          const { content } = this;
          if (content !== undefined)
            await note({ kind: 'committed', content, files: 1, names: [] });
          if (typeof outcome === 'function')
            return { ...(await outcome((agent as { readonly id: string }).id)) };
          if (outcome !== undefined) return Promise.resolve({ ...outcome });
          return new Promise((resolve) => {
            cancelSignal.addEventListener('abort', () => resolve({ kind: 'stopped' }));
          });
        }),
      ],
      limits,
      onDefect: (_run, error) => this.defects.push(error),
    });
    return this;
  }

  get engine(): EmbeddedEngine {
    assert.ok(this.#engine !== undefined);
    return this.#engine;
  }

  async start(settings: AttemptSettings): Promise<RunId> {
    const run = await this.engine.start({
      program: ATTEMPTS_PROGRAM,
      task: 'the task',
      project: '/app',
      settings: { ...settings },
    });
    await settle();
    return run;
  }

  facts(): Promise<readonly StoredEvent[]> {
    return this.journal.readAll({ after: 0, limit: 10_000 });
  }

  async signal(run: RunId, ...kinds: readonly PersonSignal['kind'][]): Promise<void> {
    for (const kind of kinds) await this.engine.signal(run, { kind } as PersonSignal);
    await settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine?.close();
    assert.deepEqual(this.defects, []);
  }
}
