import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunId } from '../base/ids.ts';
import type { DrivenRun } from '../engine/embedded/embedded-engine.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { RunsSupervisor } from './runs-supervisor.ts';

const RUN = 'aaaaaaaaaa' as RunId;
const OTHER = 'bbbbbbbbbb' as RunId;

/** Runs whose lives end when the test says so. */
class Stage {
  readonly clock = new ManualClock();
  readonly lines: string[] = [];
  readonly ended = new Set<RunId>();
  readonly #lives = new Map<RunId, (end: Awaited<DrivenRun['over']>) => void>();

  start(): Promise<RunsSupervisor> {
    const ports = {
      clock: this.clock,
      engine: { takeUpAgain: async (run: RunId) => this.#takeUp(run) },
      observe: () => {},
      onStuck: (run: RunId, why: string) => void this.lines.push(`stuck ${run} ${why}`),
    };
    return RunsSupervisor.start(ports, new AbortController().signal);
  }

  async over(run: RunId, error?: string): Promise<readonly string[]> {
    this.#lives.get(run)?.(
      error === undefined ? { kind: 'over' } : { kind: 'broken', error: new Error(error) },
    );
    await this.clock.advance(10_000);
    return this.lines.splice(0);
  }

  #takeUp(run: RunId): DrivenRun | undefined {
    if (this.ended.has(run)) return undefined;
    this.lines.push(`taken up ${run}`);
    const { promise, resolve } = Promise.withResolvers<Awaited<DrivenRun['over']>>();
    this.#lives.set(run, resolve);
    const close = async (): Promise<void> => {
      this.lines.push(`closed ${run}`);
      resolve({ kind: 'over' });
    };
    return { over: promise, close };
  }
}

describe('a run', () => {
  test('that broke is taken up again, and its neighbour is not disturbed', async () => {
    const stage = new Stage();
    const branch = await stage.start();
    await branch.adopt(RUN);
    await branch.adopt(OTHER);
    stage.lines.length = 0;
    assert.deepEqual(await stage.over(RUN, 'boom'), [`taken up ${RUN}`]);
    await branch.stop();
  });

  test('that breaks again and again is left where it is, with the reason', async () => {
    const stage = new Stage();
    const branch = await stage.start();
    await branch.adopt(RUN);
    await branch.adopt(OTHER);
    stage.lines.length = 0;
    for (let time = 0; time < 3; time += 1)
      assert.deepEqual(await stage.over(RUN, 'boom'), [`taken up ${RUN}`]);
    assert.deepEqual(await stage.over(RUN, 'at last'), [`stuck ${RUN} Error: at last`]);
    assert.deepEqual(await stage.over(OTHER, 'boom'), [`taken up ${OTHER}`]);
    await branch.stop();
  });

  test('that ended is done with, and may come again under its name', async () => {
    const stage = new Stage();
    const branch = await stage.start();
    await branch.adopt(RUN);
    assert.deepEqual(await stage.over(RUN), [`taken up ${RUN}`]);
    await branch.adopt(RUN);
    await branch.adopt(RUN); // one that we have already stays as it is
    assert.deepEqual(stage.lines.splice(0), [`taken up ${RUN}`]);
    stage.ended.add(OTHER);
    await branch.adopt(OTHER);
    assert.deepEqual(stage.lines, []);
    await branch.stop();
  });

  test('is closed when the branch is, and adopted by nobody then', async () => {
    const stage = new Stage();
    const branch = await stage.start();
    await branch.adopt(RUN);
    stage.lines.length = 0;
    await branch.stop();
    await branch.adopt(OTHER);
    assert.deepEqual(stage.lines, [`closed ${RUN}`]);
  });
});
