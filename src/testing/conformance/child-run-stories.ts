/** Helpers of the engine's suite for runs that start runs. */
import assert from 'node:assert/strict';
import type { CommandKey, RunId } from '../../base/ids.ts';
import { childRunId } from '../../base/ids.ts';
import type { Result } from '../../protocol/commands.ts';
import type { FakeCommand, FakeProgramState } from '../fakes/fake-program.ts';
import type { EngineUnderTest } from './engine-under-test.ts';

type World = Pick<EngineUnderTest, 'engine'>;

/** The result of a child command, from the record of its parent. */
export async function childResult(
  { engine }: World,
  run: RunId,
  key: string,
): Promise<Result<'run'>> {
  const seq = (await engine.get(run))?.seq ?? 0;
  for await (const event of engine.follow(run, 0, new AbortController().signal)) {
    if (event.type === 'command.ended' && event.payload.key === key) {
      const { command, end } = event.payload;
      assert.ok(command === 'run' && end.kind === 'done');
      return end.result;
    }
    if (event.seq === seq) break;
  }
  throw new Error(`${key} of ${run} has not ended`);
}

export const child = (parent: RunId, key: string): RunId => childRunId(parent, key as CommandKey);
export const dance = (perform: string): FakeCommand => ({ perform });
export const run = (...stages: readonly FakeProgramState[]): FakeCommand => ({ run: stages });
export const needed = (...stages: readonly FakeProgramState[]): FakeCommand => ({
  run: stages,
  needed: true,
});

export async function outcomeOf({ engine }: World, id: RunId): Promise<string | undefined> {
  return (await engine.get(id))?.outcome?.kind;
}
