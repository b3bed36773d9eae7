/** An engine under test, combined with the fake program and performer on a manual clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Limit } from '../../engine/limits.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { ManualClock } from '../fakes/manual-clock.ts';
import type { FakePerformer } from '../fakes/fake-performer.ts';

export type EngineUnderTest = {
  readonly engine: Engine;
  readonly clock: ManualClock;
  readonly performer: FakePerformer;
  readonly defects: readonly unknown[];
  /** Makes the disk full, or frees it again. */
  readonly fill: (full: boolean) => void;
  /** Kills the owner, and opens the same state with another one. */
  crash(): Promise<EngineUnderTest>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type MakeEngine = (limits: readonly Limit[]) => Promise<EngineUnderTest>;

/** A run's history in words, one short line for each fact of its stream. */
export async function engineStory(engine: Engine, run: RunId): Promise<readonly string[]> {
  const lines: string[] = [];
  const end = new AbortController();
  const view = await engine.get(run);
  for await (const event of engine.follow(run, 0, end.signal)) {
    lines.push(line(event));
    if (event.seq === view?.seq) break;
  }
  return lines;
}

function line(event: RunEvent): string {
  switch (event.type) {
    case 'command.begun':
      return `begun ${event.payload.key}`;
    case 'command.ended':
      return `${event.payload.end.kind} ${event.payload.key}`;
    case 'command.cancelled':
      return `${event.payload.how} ${event.payload.key}`;
    case 'command.noted':
      return `noted ${event.payload.key}`;
    case 'signal.received':
      return `signal ${event.payload.signal.kind}`;
    case 'run.ended':
      return `ended ${event.payload.outcome.kind}`;
    case 'run.submitted':
      return 'submitted';
    case 'run.forked':
      return `forked at ${event.payload.seq}`;
  }
}

type TestOnWorld = (
  why: string,
  limits: readonly Limit[],
  body: (world: EngineUnderTest) => Promise<void>,
) => void;

/** A test in its own world, in which no defect may have happened. */
export function testsOn(make: MakeEngine): TestOnWorld {
  return (why, limits, body) => {
    test(why, async () => {
      await using world = await make(limits);
      await body(world);
      assert.deepEqual(world.defects, []);
    });
  };
}
