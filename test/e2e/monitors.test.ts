/**
 * Monitors over agents that are real processes, in a real owner. Only the owner's clock belongs to
 * the test, so that no test waits.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RunId } from '../../src/base/ids.ts';
import type { OpenQuestion } from '../../src/protocol/views/open-question.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import type { Signal } from '../../src/protocol/signal.ts';
import { runStream } from '../../src/protocol/streams.ts';
import type { AgentView } from '../../src/protocol/views/agent-view.ts';
import { eventually } from '../support/eventually.ts';
import { ManualClock } from '../../src/testing/fakes/manual-clock.ts';
import type { TestOwner } from '../support/test-owner.ts';
import { trustProject } from '../support/trust-project.ts';
import { testOwner } from '../support/test-owner.ts';

const WITHIN_MS = 300_000;
const STEP_MS = 5000;
/** A bound by the owner's clock: processes have only the real one. */
const SMALL_STEP_MS = 100;

type Call = { readonly name: string; readonly input: object };

class Scene implements AsyncDisposable {
  readonly clock = new ManualClock(Date.UTC(2026, 0, 1));
  readonly #at: TestOwner;

  private constructor(clock: ManualClock, at: TestOwner) {
    this.clock = clock;
    this.#at = at;
  }

  /**
   * An owner with these agents, all of them up. `calls` are made again and again, each a moment
   * after the last.
   */
  static async create(children: readonly object[], calls: readonly Call[] = []): Promise<Scene> {
    const clock = new ManualClock(Date.UTC(2026, 0, 1));
    const args = ['100000', '20', ...calls.map((call) => JSON.stringify(call))];
    const agents = [
      { id: 'scripted:uses-tools', cli: 'scripted', args },
      { id: 'scripted:works-in-steps', cli: 'scripted', args: ['100000', '20'] },
    ];
    const at = await testOwner(JSON.stringify({ agents }), { clock, stays: true });
    const scene = new Scene(clock, at);
    await mkdir(join(scene.project, '.supervisor'), { recursive: true });
    const config = JSON.stringify({ tree: { children } });
    await writeFile(join(scene.project, '.supervisor', 'config.yaml'), config);
    await trustProject(at.dir, scene.project);
    await at.owner.agents.declare(scene.project);
    return scene;
  }

  get project(): string {
    return join(this.#at.dir, 'shop');
  }

  get owner(): TestOwner['owner'] {
    return this.#at.owner;
  }

  agent(name: string): AgentView {
    return this.owner.agents.view(name, this.project);
  }

  async signals(name: string): Promise<readonly Signal[]> {
    const facts = await this.#facts(name);
    return facts.flatMap((fact) => (fact.type === 'signal.received' ? [fact.payload.signal] : []));
  }

  inbox(): Promise<readonly OpenQuestion[]> {
    return this.owner.questions.inbox();
  }

  /** Advances the clock step by step until the condition holds. Processes take real time. */
  async until(
    what: string,
    isSo: () => boolean | Promise<boolean>,
    stepMs = STEP_MS,
  ): Promise<void> {
    await eventually(
      what,
      async () => {
        if (await isSo()) return true;
        await this.clock.advance(stepMs);
        return false;
      },
      WITHIN_MS,
    );
  }

  async #facts(name: string): Promise<readonly StoredEvent[]> {
    const { run } = this.agent(name);
    const page = { after: 0, limit: 10_000 };
    return this.owner.journal.readStream(runStream(run), page);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    let closed = false;
    const isClosed = (): boolean => closed; // it changes while it is awaited
    const closing = (async () => {
      await this.#at[Symbol.asyncDispose]();
      closed = true;
    })();
    // Gives timers on the owner's clock the time they need.
    while (!isClosed()) await this.clock.advance(1000);
    await closing;
  }
}

function agent(name: string, more: object = {}): object {
  return { name, assignment: 'be there', agent: 'scripted:uses-tools', ...more };
}

const status: Call = { name: 'bash', input: { command: 'git status' } };
/** A scripted agent repeats itself; where that is not the point, the rule is off. */
const mayRepeat = { health: { on_spin: 'none' } };
const push: Call = { name: 'bash', input: { command: 'cd . && git push --force' } };

describe('an agent that does the same again and again', { timeout: WITHIN_MS }, () => {
  test('is restarted if that is declared, and its next life knows why', async () => {
    const health = { spin_calls: 4, on_spin: 'restart' };
    await using scene = await Scene.create([agent('spinner', { health })], [status]);
    await scene.until('another life', () => scene.agent('spinner').life > 1);
    const cut = (await scene.signals('spinner')).find(({ kind }) => kind === 'trigger');
    assert.deepEqual(cut, {
      kind: 'trigger',
      trigger: { kind: 'spinning', call: 'bash {"command":"git status"}' },
    });
  });

  test('gets a message if it is to be steered, and begins its next turn with that', async () => {
    const health = { spin_calls: 4, on_spin: 'steer' };
    await using scene = await Scene.create([agent('spinner', { health })], [status]);
    await scene.until('another turn', () => scene.agent('spinner').turn > 1);
    assert.equal(scene.agent('spinner').life, 1);
    const matching = (await scene.signals('spinner')).filter(({ kind }) => kind === 'message');
    assert.match(JSON.stringify(matching[0]), /repeated this call many times.*git status/);
  });

  test('is a question to a person by default, once, and continues', async () => {
    await using scene = await Scene.create(
      [agent('spinner', { health: { spin_calls: 4 } })],
      [status],
    );
    await scene.until('the question', async () => (await scene.inbox()).length > 0);
    for (let round = 0; round < 20; round += 1) await scene.clock.advance(30_000);
    const [asked, ...more] = await scene.inbox();
    assert.match(asked?.question ?? '', /repeats the same call.*git status/);
    assert.deepEqual([asked?.choices, more], [['continue', 'restart', 'dismiss'], []]);
    const { life, turn } = scene.agent('spinner');
    assert.deepEqual([life, turn], [1, 1]);
  });

  test('is healthy when its work changes something', async () => {
    // Its calls all look the same, and each changes a file.
    const health = { spin_calls: 4, on_spin: 'reap' };
    const works = agent('worker', { health, agent: 'scripted:works-in-steps' });
    await using scene = await Scene.create([works]);
    const file = join(scene.project, 'WORK.md');
    await scene.until('much of its work', () => {
      const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').length : 0;
      return lines > 100;
    });
    const matching = (await scene.signals('worker')).filter(({ kind }) => kind === 'dismiss');
    assert.deepEqual(matching, []);
  });
});

describe('an agent that breaks a rule', { timeout: WITHIN_MS }, () => {
  test('is recorded and asked about, however often it does so', async () => {
    const violations = [{ name: 'no-push', command: ['git', 'push'] }];
    await using scene = await Scene.create([agent('pusher', { violations, ...mayRepeat })], [push]);
    const broken = async (): Promise<readonly Signal[]> =>
      (await scene.signals('pusher')).filter(({ kind }) => kind === 'violation');
    await scene.until('many violations', async () => (await broken()).length > 12);
    assert.deepEqual((await broken())[0], {
      kind: 'violation',
      rule: 'no-push',
      action: 'notify',
      what: 'runs git push',
      times: 1,
    });
    const [asked, second] = await scene.inbox();
    assert.deepEqual([asked?.run, second], [scene.agent('pusher').run, undefined]);
    await scene.owner.questions.answer(asked ?? assert.fail(), { choice: 'dismiss' });
    await scene.until('its end', () => scene.agent('pusher').outcome !== null);
  });

  test('is dismissed if the rule protects its own limits', async () => {
    const write = { name: 'write', input: { path: '.supervisor/config.yaml' } };
    await using scene = await Scene.create([agent('climber', mayRepeat)], [write]);
    await scene.until('its end', () => scene.agent('climber').outcome !== null);
    const { outcome } = scene.agent('climber');
    assert.match(
      `${outcome?.kind}: ${outcome?.reason}`,
      /^cancelled: .*which sets its own limits \(rule "self-modification"\)/,
    );
  });

  test('is paused if the rule says so, and a person is notified', async () => {
    const violations = [{ name: 'no-push', action: 'pause', command: ['git', 'push'] }];
    await using scene = await Scene.create([agent('pusher', { violations, ...mayRepeat })], [push]);
    await scene.until('the question', async () => (await scene.inbox()).length > 0);
    assert.match((await scene.inbox())[0]?.question ?? '', /It is paused until you unpause it/);
    const view = await scene.owner.run(scene.agent('pusher').run as RunId);
    assert.equal(view.pausedAt !== null, true);
  });
});

describe('a gang', { timeout: WITHIN_MS }, () => {
  const crashes = { agent: 'scripted:crashes', restart: { restarts: 100, within: '1h' } };
  const team = (more: object): readonly object[] => [
    {
      name: 'team',
      intensity: { restarts: 1000, within: '1h' },
      children: [
        agent('calm', { agent: 'scripted:never-speaks', ...more }),
        ...['a', 'b', 'c'].map((name) => agent(name, { ...crashes, ...more })),
      ],
    },
  ];

  test('is one question, and its answer holds for all of them', async () => {
    await using scene = await Scene.create(team({}));
    const isAsked = async (): Promise<boolean> => (await scene.inbox()).length > 0;
    await scene.until('the question', isAsked, SMALL_STEP_MS);
    const [asked] = await scene.inbox();
    assert.match(asked?.question ?? '', /3 agents of one supervisor failed together/);
    assert.equal((await scene.inbox()).length, 1);
    await scene.owner.questions.answer(asked ?? assert.fail(), { choice: 'stop-all' });
    const isOver = (name: string): boolean => scene.agent(name).outcome !== null;
    await scene.until('the end of all', () => ['calm', 'a', 'b', 'c'].every(isOver));
  });

  test('restarts as a whole if that is declared', async () => {
    await using scene = await Scene.create(team({ on_gang: 'restart-all' }));
    await scene.until('another life', () => scene.agent('calm').life > 1, SMALL_STEP_MS);
    const cut = (await scene.signals('calm')).find(({ kind }) => kind === 'trigger');
    assert.deepEqual(cut, { kind: 'trigger', trigger: { kind: 'gang', failed: 3 } });
  });
});

describe('rejected work', { timeout: WITHIN_MS }, () => {
  test('is restarted with a stronger model, whose prompt gives the reason', async () => {
    const more = { agent: 'scripted:never-speaks', model: 'small', models: ['small', 'large'] };
    await using scene = await Scene.create([agent('builder', more)]);
    await scene.until('its first turn', () => scene.agent('builder').turn === 1);
    await scene.owner.agents.reject('builder', 'the tests were deleted', scene.project);
    await scene.until('its second', () => scene.agent('builder').turn === 2);
    const { run, life } = scene.agent('builder');
    assert.equal(life, 2);
    const page = { after: 0, limit: 1000 };
    const facts = await scene.owner.journal.readStream(runStream(run), page);
    const turns = facts.flatMap((fact) =>
      fact.type === 'command.begun' && fact.payload.command === 'attempt'
        ? [JSON.stringify(fact.payload.input)]
        : [],
    );
    assert.match(turns[1] ?? '', /"model":"large"/);
    assert.match(turns[1] ?? '', /You were restarted due to: .*the tests were deleted/);
  });

  test('needs an agent that is alive', async () => {
    await using scene = await Scene.create([agent('builder', { agent: 'scripted:never-speaks' })]);
    await scene.until('its first turn', () => scene.agent('builder').turn === 1);
    await scene.owner.agents.dismiss('builder', undefined, scene.project);
    await assert.rejects(scene.owner.agents.reject('builder', 'no', scene.project), {
      name: 'Refusal',
    });
  });
});
