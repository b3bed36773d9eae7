import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal, isRefusal } from '../base/errors.ts';
import type { Supervisor } from '../supervision/index.ts';
import { DynamicSupervisor } from '../supervision/index.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { FakeChildren } from '../testing/fakes/fake-child.ts';
import { startTree } from './owner-tree.ts';
import { TreeState } from './tree-state.ts';

/** The tree with puppets for parts; what each of them does is a line. */
class Stage {
  readonly clock = new ManualClock();
  readonly cast = new FakeChildren();
  readonly book = new TreeState(this.clock);
  readonly lines: string[] = [];

  readonly #part = (id: string) => async () => {
    const started = this.cast.start(id);
    this.lines.push(`up ${id}`);
    if (started.kind === 'started')
      void started.child.exit.then(({ kind }) => this.lines.push(`${kind} ${id}`));
    return started;
  };

  start(store = this.#part('store')): Promise<Supervisor> {
    return startTree(
      this.clock,
      this.book,
      {
        store,
        reaper: this.#part('reaper'),
        engine: this.#part('engine'),
        runs: async (observe, signal) => {
          this.lines.push('up runs');
          const template = { id: 'run', start: this.#part('run') };
          const runs = await DynamicSupervisor.start(
            { template },
            { clock: this.clock, observe },
            signal,
          );
          await runs.startChild(undefined);
          void runs.ended.then(() => this.lines.push('down runs'));
          return runs;
        },
      },
      [
        {
          id: 'monitors',
          children: [{ id: 'hygiene', start: this.#part('hygiene'), shutdown: 30_000 }],
        },
        { id: 'server', children: [{ id: 'socket', start: this.#part('socket') }] },
      ],
    );
  }

  async told(): Promise<readonly string[]> {
    await this.clock.advance(1000);
    return this.lines.splice(0);
  }

  state(name: string): string {
    const node = this.book.view().nodes.find((one) => one.name === name);
    return `${node?.state} ${node?.health} ${node?.restarts}`;
  }
}

const UP = ['up engine', 'up runs', 'up run', 'up hygiene', 'up socket'];
const DOWN = ['shutdown socket', 'shutdown hygiene', 'shutdown run', 'down runs'];

describe('a part of the owner that dies', () => {
  const cases: [why: string, part: string, told: readonly string[]][] = [
    ['the server comes back alone', 'socket', ['failed socket', 'up socket']],
    ['a monitor comes back alone', 'hygiene', ['failed hygiene', 'up hygiene']],
    ['the reaper comes back alone', 'reaper', ['failed reaper', 'up reaper']],
    ['the engine takes with it what stands on it', 'engine', ['failed engine', ...DOWN, ...UP]],
    [
      'the store takes all',
      'store',
      [
        'failed store',
        ...DOWN,
        'shutdown engine',
        'shutdown reaper',
        'up store',
        'up reaper',
        ...UP,
      ],
    ],
  ];
  for (const [why, part, told] of cases) {
    test(why, async () => {
      const stage = new Stage();
      const tree = await stage.start();
      assert.deepEqual(await stage.told(), ['up store', 'up reaper', ...UP]);
      stage.cast.end(part);
      assert.deepEqual(await stage.told(), told);
      assert.equal(stage.state(part), 'running recovering 1');
      await tree.stop();
    });
  }

  test('again and again ends its branch first, and the owner at last', async () => {
    const stage = new Stage();
    const tree = await stage.start();
    const over = new AbortController();
    void tree.ended.then(() => over.abort());
    let [deaths, branches] = [0, 0];
    for (; !over.signal.aborted && deaths < 300; deaths += 1) {
      stage.lines.length = 0;
      stage.cast.end('socket');
      await stage.clock.advance(0);
      await stage.clock.advance(stage.clock.nextWakeMs ?? 0);
      branches += Number(stage.lines.includes('up hygiene'));
    }
    assert.ok(over.signal.aborted, `${deaths} deaths were not enough`);
    assert.equal((await tree.ended).why, 'too-many-restarts');
    assert.equal(branches, 3); // so often all branches were restarted before that
    assert.ok(stage.clock.elapsedMs() < 60_000);
  });
});

test('the end is the start backwards', async () => {
  const stage = new Stage();
  const tree = await stage.start();
  await stage.told();
  await tree.stop();
  assert.deepEqual(await stage.told(), [
    ...DOWN,
    'shutdown engine',
    'shutdown reaper',
    'shutdown store',
  ]);
});

test('a part that can not come up is refused in its own words, and the others are let go of', async () => {
  const stage = new Stage();
  stage.cast.failNext('engine', 1);
  await assert.rejects(stage.start(), (error) => isRefusal(error, 'supervisor.start-failed'));
  const taken = async (): Promise<never> => {
    throw new Refusal({ code: 'owner.already-running', message: 'another has it' });
  };
  await assert.rejects(new Stage().start(taken), (error) =>
    isRefusal(error, 'owner.already-running'),
  );
  assert.deepEqual(await stage.told(), [
    'up store',
    'up reaper',
    'up engine',
    'shutdown reaper',
    'shutdown store',
  ]);
});
