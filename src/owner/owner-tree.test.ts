import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal, isRefusal } from '../base/errors.ts';
import type { Supervisor } from '../supervision/index.ts';
import { DynamicSupervisor } from '../supervision/index.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { FakeChildren } from '../testing/fakes/fake-child.ts';
import { startTree } from './owner-tree.ts';
import { TreeState } from './tree-state.ts';

/** The tree with fake components. Each start and end of a component is a line. */
class TreeHarness {
  readonly clock = new ManualClock();
  readonly fakes = new FakeChildren();
  readonly treeState = new TreeState(this.clock);
  readonly lines: string[] = [];

  readonly #component = (id: string) => async () => {
    const started = this.fakes.start(id);
    this.lines.push(`up ${id}`);
    if (started.kind === 'started')
      void started.child.exit.then(({ kind }) => this.lines.push(`${kind} ${id}`));
    return started;
  };

  start(store = this.#component('store')): Promise<Supervisor> {
    return startTree(
      this.clock,
      this.treeState,
      {
        store,
        reaper: this.#component('reaper'),
        engine: this.#component('engine'),
        runs: async (observe, signal) => {
          this.lines.push('up runs');
          const template = { id: 'run', start: this.#component('run') };
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
          children: [{ id: 'hygiene', start: this.#component('hygiene'), shutdown: 30_000 }],
        },
        { id: 'server', children: [{ id: 'socket', start: this.#component('socket') }] },
      ],
    );
  }

  async newLines(): Promise<readonly string[]> {
    await this.clock.advance(1000);
    return this.lines.splice(0);
  }

  state(name: string): string {
    const node = this.treeState.view().nodes.find((one) => one.name === name);
    return `${node?.state} ${node?.health} ${node?.restarts}`;
  }
}

const UP = ['up engine', 'up runs', 'up run', 'up hygiene', 'up socket'];
const DOWN = ['shutdown socket', 'shutdown hygiene', 'shutdown run', 'down runs'];

describe('when a component of the owner fails', () => {
  const cases: [why: string, component: string, lines: readonly string[]][] = [
    ['the server restarts alone', 'socket', ['failed socket', 'up socket']],
    ['a monitor restarts alone', 'hygiene', ['failed hygiene', 'up hygiene']],
    ['the reaper restarts alone', 'reaper', ['failed reaper', 'up reaper']],
    [
      'the engine restarts together with everything that depends on it',
      'engine',
      ['failed engine', ...DOWN, ...UP],
    ],
    [
      'the store restarts together with everything else',
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
  for (const [why, component, lines] of cases) {
    test(why, async () => {
      const harness = new TreeHarness();
      const tree = await harness.start();
      assert.deepEqual(await harness.newLines(), ['up store', 'up reaper', ...UP]);
      harness.fakes.end(component);
      assert.deepEqual(await harness.newLines(), lines);
      assert.equal(harness.state(component), 'running recovering 1');
      await tree.stop();
    });
  }

  test('again and again, its branch gives up first, and the owner last', async () => {
    const harness = new TreeHarness();
    const tree = await harness.start();
    const gaveUp = new AbortController();
    void tree.ended.then(() => gaveUp.abort());
    let [failures, branches] = [0, 0];
    for (; !gaveUp.signal.aborted && failures < 300; failures += 1) {
      harness.lines.length = 0;
      harness.fakes.end('socket');
      await harness.clock.advance(0);
      await harness.clock.advance(harness.clock.nextWakeMs ?? 0);
      branches += Number(harness.lines.includes('up hygiene'));
    }
    assert.ok(gaveUp.signal.aborted, `the owner did not give up after ${failures} failures`);
    assert.equal((await tree.ended).why, 'too-many-restarts');
    assert.equal(branches, 3); // all branches were restarted three times before
    assert.ok(harness.clock.elapsedMs() < 60_000);
  });
});

test('shutdown runs in the reverse order of the start', async () => {
  const harness = new TreeHarness();
  const tree = await harness.start();
  await harness.newLines();
  await tree.stop();
  assert.deepEqual(await harness.newLines(), [
    ...DOWN,
    'shutdown engine',
    'shutdown reaper',
    'shutdown store',
  ]);
});

test('if a component cannot start, the start rejects with its error and stops the other components', async () => {
  const harness = new TreeHarness();
  harness.fakes.failNext('engine', 1);
  await assert.rejects(harness.start(), (error) => isRefusal(error, 'supervisor.start-failed'));
  const alreadyRunning = async (): Promise<never> => {
    throw new Refusal({ code: 'owner.already-running', message: 'another has it' });
  };
  await assert.rejects(new TreeHarness().start(alreadyRunning), (error) =>
    isRefusal(error, 'owner.already-running'),
  );
  assert.deepEqual(await harness.newLines(), [
    'up store',
    'up reaper',
    'up engine',
    'shutdown reaper',
    'shutdown store',
  ]);
});
