/**
 * Drives long-lived agents whose owner can die at any write and is followed by another: scripted
 * turns, messages meanwhile, and a minimal supervisor. The world outside the owner outlives it.
 */
import assert from 'node:assert/strict';
import type { Clock } from '../../src/base/clock.ts';
import type { RunId } from '../../src/base/ids.ts';
import { seededRandom } from '../../src/base/random.ts';
import { EmbeddedEngine } from '../../src/engine/embedded/embedded-engine.ts';
import { loadRun } from '../../src/engine/embedded/load-run.ts';
import type { Performer } from '../../src/engine/performer.ts';
import { agentProgram } from '../../src/agents/agent-program.ts';
import type { AgentProgramState } from '../../src/agents/agent-state.ts';
import { agentStatus } from '../../src/agents/agent-status.ts';
import type { Submission } from '../../src/protocol/run-submission.ts';
import type { Signal } from '../../src/protocol/signal.ts';
import { runStream } from '../../src/protocol/streams.ts';
import type { Journal } from '../../src/store/journal.ts';
import { MemoryDisk } from '../../src/store/memory/memory-disk.ts';
import { MemoryJournal } from '../../src/store/memory/memory-journal.ts';
import { crashingJournal } from '../../src/testing/fakes/crashing-journal.ts';
import { ManualClock, settle } from '../../src/testing/fakes/manual-clock.ts';
import type { ScriptedTurns, AgentCrashWorld } from './agent-crash-world.ts';
import { worldPerformers } from './agent-crash-world.ts';
import { endState, visitRuns, submit } from './crash-scenarios.ts';

export type AgentScenario = ScriptedTurns & {
  readonly submissions: readonly Submission[];
  /** Messages to an agent, given its state and the state of all; none is sent twice. */
  readonly messages?: (
    state: AgentProgramState,
    all: readonly AgentProgramState[],
  ) => readonly Signal[];
  /** Commands of the owner that reach other agents. */
  readonly performers?: (ports: Ports) => readonly Performer[];
  readonly lives: number;
  readonly queued: boolean;
};

type Ports = {
  readonly clock: Clock;
  readonly engine: () => EmbeddedEngine;
  readonly runs: () => readonly RunId[];
};

/** At which write an owner dies. */
export type Death = readonly [k: number, when: 'before' | 'after'];

const STEPS_MAX = 400;

/** Runs the scenario to its end, with one owner more than there are deaths. */
export async function playAgent(
  story: AgentScenario,
  deaths: readonly Death[],
): Promise<{ readonly state: readonly string[]; readonly owners: number }> {
  const disk = new MemoryDisk();
  const clock = new ManualClock(1_000_000);
  const { queued } = story;
  const world: AgentCrashWorld = {
    effects: [],
    runs: new Set(),
    turns: new Map(),
    queued,
    taken: false,
  };
  for (let owners = 1; ; owners += 1) {
    const over = await own(story, disk, clock, world, deaths[owners - 1]);
    if (!over && owners <= deaths.length) continue;
    assert.ok(over, 'it comes to its end');
    const journal = new MemoryJournal(disk);
    assert.deepEqual([world.queued, world.taken], [false, false]);
    const ends: string[] = [];
    for (const { id } of (await journal.runs({ limit: 100 })).toReversed()) {
      const { life, commitments, notes, state } = agentStatus(await stateOf(journal, id));
      const proven = commitments.map(({ status }) => status).join(', ');
      ends.push(`${state} in life ${life}: ${proven}; ${notes} notes`);
    }
    return { state: [...(await endState(journal, world.effects)), ...ends], owners };
  }
}

/** Each death alone, and each followed by a second one. Returns their number. */
export async function dieEverywhere(
  story: AgentScenario,
  expected: readonly string[],
): Promise<number> {
  let count = 0;
  for (const when of ['before', 'after'] as const)
    for (let k = 1; ; k += 1) {
      const { state, owners } = await playAgent(story, [[k, when]]);
      assert.deepEqual(state, expected, `cut ${when} write ${k}`);
      if (owners === 1) break;
      count += 1;
      for (const again of [1, 2, 3]) {
        const deaths: Death[] = [
          [k, when],
          [again, when],
        ];
        const twice = await playAgent(story, deaths);
        assert.deepEqual(twice.state, expected, `cut ${when} writes ${k} and ${again}`);
      }
    }
  return count;
}

async function own(
  story: AgentScenario,
  disk: MemoryDisk,
  clock: ManualClock,
  world: AgentCrashWorld,
  death: Death | undefined,
): Promise<boolean> {
  const whole = new MemoryJournal(disk);
  const journal = death === undefined ? whole : crashingJournal(whole, ...death);
  const defects: unknown[] = [];
  const engine: EmbeddedEngine = await EmbeddedEngine.open({
    journal,
    clock,
    random: seededRandom(await journal.lastId()),
    programs: [agentProgram],
    performers: [
      ...worldPerformers(story, clock, world),
      ...(story.performers?.({ clock, engine: () => engine, runs: () => [...world.runs] }) ?? []),
    ],
    limits: [],
    onDefect: (_run, error) => defects.push(error),
    snapshotEvery: 5,
  });
  let over = false;
  try {
    for (let step = 0; step < STEPS_MAX && !over && defects.length === 0; step += 1) {
      await settle(4);
      over = await supervise(story, engine, journal, world);
      await clock.advance(5);
    }
  } catch (error) {
    assert.equal((error as Error).name, 'CrashNow');
  }
  await engine.close();
  if (death === undefined) assert.deepEqual(defects, []);
  return over;
}

/** Sends the due messages, then restarts the agents that are down and not over. */
async function supervise(
  { submissions, messages, lives }: AgentScenario,
  engine: EmbeddedEngine,
  journal: Journal,
  world: AgentCrashWorld,
): Promise<boolean> {
  const states = new Map<RunId, AgentProgramState>();
  const people = async ({ id }: { readonly id: string }): Promise<void> => {
    const run = id as RunId;
    const state = states.get(run) ?? assert.fail();
    for (const signal of messages?.(state, [...states.values()]) ?? [])
      if (!(await wasSaid(journal, run, signal))) return engine.signal(run, signal);
    const { life, exit, isOver } = agentStatus(state);
    const isDown = life === 0 || exit !== null;
    if (isDown && !isOver && life < lives)
      await engine.signal(run, { kind: 'start-life', life: life + 1 });
  };
  const story = { name: 'lives', submissions, people };
  await submit(story, engine);
  for (const { id } of await engine.list({ limit: 100 })) world.runs.add(id as RunId);
  for (const run of world.runs) states.set(run, await stateOf(journal, run));
  return visitRuns(story, engine);
}

async function wasSaid(journal: Journal, run: string, signal: Signal): Promise<boolean> {
  const facts = await journal.readStream(runStream(run), { after: 0, limit: 10_000 });
  const words = JSON.stringify(signal);
  return facts.some(
    (one) => one.type === 'signal.received' && JSON.stringify(one.payload.signal) === words,
  );
}

async function stateOf(journal: Journal, run: string): Promise<AgentProgramState> {
  const folded = await loadRun(journal, agentProgram, run);
  return (folded ?? assert.fail()).state as unknown as AgentProgramState;
}
