import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunId } from '../base/ids.ts';
import type { DrivenRun } from '../engine/embedded/embedded-engine.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { RunsSupervisor } from './runs-supervisor.ts';

const RUN = 'aaaaaaaaaa' as RunId;
const OTHER = 'bbbbbbbbbb' as RunId;

/** Runs that end when the test says so. */
class RunsHarness {
  readonly clock = new ManualClock();
  readonly lines: string[] = [];
  readonly ended = new Set<RunId>();
  readonly #endings = new Map<RunId, (end: Awaited<DrivenRun['over']>) => void>();

  start(): Promise<RunsSupervisor> {
    const ports = {
      clock: this.clock,
      engine: { driveAgain: async (run: RunId) => this.#resume(run) },
      observe: () => {},
      onStuck: (run: RunId, why: string) => void this.lines.push(`stuck ${run} ${why}`),
    };
    return RunsSupervisor.start(ports, new AbortController().signal);
  }

  async over(run: RunId, error?: string): Promise<readonly string[]> {
    this.#endings.get(run)?.(
      error === undefined ? { kind: 'over' } : { kind: 'broken', error: new Error(error) },
    );
    await this.clock.advance(10_000);
    return this.lines.splice(0);
  }

  #resume(run: RunId): DrivenRun | undefined {
    if (this.ended.has(run)) return undefined;
    this.lines.push(`resumed ${run}`);
    const { promise, resolve } = Promise.withResolvers<Awaited<DrivenRun['over']>>();
    this.#endings.set(run, resolve);
    const close = async (): Promise<void> => {
      this.lines.push(`closed ${run}`);
      resolve({ kind: 'over' });
    };
    return { over: promise, close };
  }
}

describe('a run', () => {
  test('that fails is resumed, and other runs are not affected', async () => {
    const harness = new RunsHarness();
    const supervisor = await harness.start();
    await supervisor.adopt(RUN);
    await supervisor.adopt(OTHER);
    harness.lines.length = 0;
    assert.deepEqual(await harness.over(RUN, 'boom'), [`resumed ${RUN}`]);
    await supervisor.stop();
  });

  test('that fails again and again is reported as stuck, with the reason', async () => {
    const harness = new RunsHarness();
    const supervisor = await harness.start();
    await supervisor.adopt(RUN);
    await supervisor.adopt(OTHER);
    harness.lines.length = 0;
    for (let time = 0; time < 3; time += 1)
      assert.deepEqual(await harness.over(RUN, 'boom'), [`resumed ${RUN}`]);
    assert.deepEqual(await harness.over(RUN, 'at last'), [`stuck ${RUN} Error: at last`]);
    assert.deepEqual(await harness.over(OTHER, 'boom'), [`resumed ${OTHER}`]);
    await supervisor.stop();
  });

  test('that ended leaves the tree, and can be adopted again under its id', async () => {
    const harness = new RunsHarness();
    const supervisor = await harness.start();
    await supervisor.adopt(RUN);
    assert.deepEqual(await harness.over(RUN), [`resumed ${RUN}`]);
    await supervisor.adopt(RUN);
    await supervisor.adopt(RUN); // a run that is supervised already is not resumed again
    assert.deepEqual(harness.lines.splice(0), [`resumed ${RUN}`]);
    harness.ended.add(OTHER);
    await supervisor.adopt(OTHER);
    assert.deepEqual(harness.lines, []);
    await supervisor.stop();
  });

  test('is closed together with the supervisor, which adopts no run after that', async () => {
    const harness = new RunsHarness();
    const supervisor = await harness.start();
    await supervisor.adopt(RUN);
    harness.lines.length = 0;
    await supervisor.stop();
    await supervisor.adopt(OTHER);
    assert.deepEqual(harness.lines, [`closed ${RUN}`]);
  });
});
