/**
 * Long-lived agents on the real engine, with real processes, a real queue and delivered messages.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { attemptPerformer } from '../perform-attempt.ts';
import { unsandboxedEnvironment } from '../environments/environment.ts';
import { describeError } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { seededRandom } from '../../base/random.ts';
import { EmbeddedEngine } from '../../engine/embedded/embedded-engine.ts';
import { loadRun } from '../../engine/embedded/load-run.ts';
import type { Performer } from '../../engine/performer.ts';
import { ensurePrivateDir } from '../../host/files/atomic-files.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import type { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { agentTestSubmission } from '../../../test/support/drive-agent.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { agentProgram } from '../../agents/agent-program.ts';
import type { AgentProgramState } from '../../agents/agent-state.ts';
import { releaseItemPerformer, claimItemPerformer } from './perform-queue.ts';
import { messagePerformer } from './perform-message.ts';
import type { AgentStatus } from '../../agents/agent-status.ts';
import { agentStatus } from '../../agents/agent-status.ts';
import { loosePerformer } from '../../../test/support/run-event.ts';

/** A machine may be busy. */
const WITHIN_MS = 240_000;

class House {
  readonly #dir: string;
  readonly #disk = new MemoryDisk();
  #journal = new MemoryJournal(this.#disk);
  #engine: EmbeddedEngine | undefined;
  readonly #defects: string[] = [];
  readonly #parents = new Map<string, string | null>();

  private constructor(dir: string) {
    this.#dir = dir;
  }

  static async open(dir: string): Promise<House> {
    const house = new House(dir);
    await house.#open();
    return house;
  }

  /** Its owner ends, and another resumes its work. */
  async reopen(): Promise<void> {
    await this.engine.close();
    await this.#open();
  }

  get engine(): EmbeddedEngine {
    return this.#engine ?? assert.fail('it is not open');
  }

  async #open(): Promise<void> {
    this.#journal = new MemoryJournal(this.#disk);
    this.#engine = await EmbeddedEngine.open({
      journal: this.#journal,
      clock: systemClock,
      random: seededRandom(await this.#journal.lastId()),
      programs: [agentProgram],
      performers: this.#performers(),
      limits: [],
      onDefect: (run, error) => this.#defects.push(`${run}: ${describeError(error)}`),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine.close();
    assert.deepEqual(this.#defects, []);
  }

  /** The folder of an agent's own project. */
  project(name: string): string {
    return join(this.#dir, name);
  }

  turns(name: string): string {
    const file = join(this.project(name), 'TURNS.md');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  async summon(answers: readonly string[], life: Partial<LongLivedSettings>): Promise<RunId> {
    const { settings, ...rest } = agentTestSubmission(life);
    const project = this.project(life.name ?? 'ada');
    mkdirSync(project);
    const agent = { id: 'scripted:lives-in-turns', cli: 'scripted', args: answers, env: {} };
    const run = await this.engine.start({
      ...rest,
      project,
      settings: { ...settings, agent, unsafe: true, graceMs: 5000 },
    });
    this.#parents.set(run, life.parent ?? null);
    return run;
  }

  async standing(run: RunId): Promise<AgentStatus> {
    const folded = await loadRun(this.#journal, agentProgram, run);
    return agentStatus((folded ?? assert.fail()).state as unknown as AgentProgramState);
  }

  async until(run: RunId, is: (standing: AgentStatus) => boolean): Promise<void> {
    await eventually('that it stands so', async () => is(await this.standing(run)), WITHIN_MS);
  }

  async ended(run: RunId): Promise<string> {
    let ending = '';
    await eventually(
      'its end',
      async () => {
        const outcome = (await this.engine.get(run))?.outcome;
        ending = `${outcome?.kind}: ${outcome?.reason}`;
        return outcome !== null && outcome !== undefined;
      },
      WITHIN_MS,
    );
    return ending;
  }

  #performers(): readonly Performer[] {
    const clock = systemClock;
    const outputs = join(this.#dir, 'outputs');
    return [
      attemptPerformer({
        clock,
        node: process.execPath,
        environmentFor: async (order, input) =>
          unsandboxedEnvironment(order, input, {
            clock,
            env: { PATH: process.env['PATH'] ?? '' },
            tagOf: (run, key) => `life-engine-test:${process.pid}/${run}/${key}`,
          }),
        readSecrets: async () => ({}),
        outputDir: async (run) => {
          await ensurePrivateDir(join(outputs, run));
          return join(outputs, run);
        },
        readBrief: async () => '',
      }),
      loosePerformer('finalize', async () => ({ kind: 'finalized' })),
      claimItemPerformer({ clock }),
      releaseItemPerformer(),
      messagePerformer({
        clock,
        signal: (run, signal) => this.engine.signal(run, signal),
        parentOf: async (run) => this.#parents.get(run),
      }),
    ];
  }
}

describe('on a real engine', { timeout: 600_000 }, () => {
  test('a note of a child wakes its parent, and a crash ends a life', async () => {
    await using dir = await tempDir();
    await using house = await House.open(dir.path);
    const lead = await house.summon(['{"status":"waiting"}', 'DONE'], { name: 'lead' });
    const hand = await house.summon(['crash', 'NOTE: the port is 80\\nDONE'], {
      name: 'hand',
      parent: lead,
    });
    await house.engine.signal(lead, { kind: 'start-life', life: 1 });
    await house.until(lead, ({ state }) => state === 'waiting-wakeup');
    await house.engine.signal(hand, { kind: 'start-life', life: 1 });
    await house.until(hand, ({ exit }) => exit !== null);
    assert.deepEqual((await house.standing(hand)).exit, {
      kind: 'failed',
      reason: 'crashed: exited with code 3',
    });
    await house.engine.signal(hand, { kind: 'start-life', life: 2 });
    assert.match(await house.ended(hand), /^unverified: /);
    assert.match(await house.ended(lead), /^unverified: /);
    assert.match(house.turns('hand'), /You were restarted due to: crashed: exited with code 3/);
    assert.match(house.turns('lead'), /from="hand">\nNOTE from hand: the port is 80\n/);
  });

  test('an agent survives its owner, parked and in a turn', async () => {
    await using dir = await tempDir();
    await using house = await House.open(dir.path);
    const ada = await house.summon(['DONE', 'sleep', 'DONE'], { name: 'ada', onDone: 'wait' });
    await house.reopen();
    await house.engine.signal(ada, { kind: 'start-life', life: 1 });
    await house.until(ada, ({ state }) => state === 'done');
    await house.reopen();
    assert.equal((await house.standing(ada)).state, 'done');
    await house.engine.signal(ada, { kind: 'message', from: null, text: 'think again' });
    await eventually(
      'its second turn',
      async () => house.turns('ada').includes('## turn 2'),
      WITHIN_MS,
    );
    await house.reopen();
    await house.until(ada, ({ state, turn }) => state === 'done' && turn === 3);
    assert.match(house.turns('ada'), /You were interrupted.*think again/s);
    await house.engine.signal(ada, { kind: 'dismiss', because: 'enough' });
    assert.match(await house.ended(ada), /^unverified: /);
    const { state, life } = await house.standing(ada);
    assert.deepEqual([state, life], ['dismissed-reaped', 1]);
  });

  test('an agent that is dismissed during a turn ends its process', async () => {
    await using dir = await tempDir();
    await using house = await House.open(dir.path);
    const ada = await house.summon(['sleep'], { name: 'ada' });
    await house.engine.signal(ada, { kind: 'start-life', life: 1 });
    await eventually('its turn', async () => house.turns('ada').includes('## turn 1'), WITHIN_MS);
    await house.engine.signal(ada, { kind: 'dismiss', because: 'enough' });
    assert.equal(await house.ended(ada), 'cancelled: dismissed: enough');
    assert.deepEqual(house.engine.busy(), { runs: 0, commands: 0 });
  });

  test('two agents share a queue: every file is done once', async () => {
    await using dir = await tempDir();
    await using house = await House.open(dir.path);
    const queue = { dir: join(dir.path, 'queue'), onEmpty: 'terminate' } as const;
    mkdirSync(queue.dir);
    const names = ['1.md', '2.md', '3.md', '4.md', '5.md'];
    for (const name of names) writeFileSync(join(queue.dir, name), `item ${name}`);
    const both = await Promise.all(
      ['ada', 'bob'].map((name) => house.summon(['DONE'], { name, onDone: 'next', queue })),
    );
    for (const run of both) await house.engine.signal(run, { kind: 'start-life', life: 1 });
    for (const run of both) assert.equal(await house.ended(run), 'unverified: its queue is empty');
    const prompts = `${house.turns('ada')}${house.turns('bob')}`;
    for (const name of names) {
      assert.equal(prompts.split(`item ${name}\n`).length, 2, `${name} was told once`);
      assert.equal(readFileSync(join(queue.dir, 'done', name), 'utf8'), `item ${name}`);
    }
  });
});
