/** A workflow that was stopped or has failed, and is resumed: what was finished is not done again. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunId } from '../base/ids.ts';
import { smallWorkflow } from '../../test/support/workflow-performers.ts';
import { answer, workflowWorld } from '../../test/support/workflow-world.ts';

describe('a workflow that is resumed', () => {
  test('after a stop continues the step that was stopped, and repeats no other', async () => {
    let first: RunId | undefined;
    const { engine, effects, play, resume } = await workflowWorld((label, engine) => {
      if (label === 'review by bob on v2' && first !== undefined) {
        void engine.signal(first, { kind: 'stop' });
        first = undefined;
      }
    });
    const run = await engine.start(smallWorkflow('one', 3));
    first = run;
    await play(run);
    assert.equal((await engine.get(run))?.outcome?.kind, 'cancelled');
    const before = effects.length;
    const fork = await resume(run);
    await play(fork);
    await answer(engine, fork, 'approve');
    await play(fork);
    assert.equal((await engine.get(fork))?.outcome?.kind, 'succeeded');
    const again = effects.slice(before).toSorted();
    assert.deepEqual(
      again.filter((label) => !label.startsWith('review by ')),
      ['collects review by ann on v2', 'collects review by bob on v2', 'commits v2'],
    );
    await engine.close();
  });

  test('after a person has rejected the work asks that person again', async () => {
    const { engine, effects, play, resume } = await workflowWorld();
    const run = await engine.start(smallWorkflow('one', 3));
    await play(run);
    await answer(engine, run, 'reject: not today');
    await play(run);
    const { outcome } = (await engine.get(run)) ?? {};
    assert.equal(outcome?.reason, 'a person rejected the work at step look: not today');
    const before = effects.length;
    const fork = await resume(run);
    await play(fork);
    await answer(engine, fork, 'approve');
    await play(fork);
    assert.equal((await engine.get(fork))?.outcome?.kind, 'succeeded');
    assert.deepEqual(effects.slice(before), ['commits v2']);
    await engine.close();
  });

  test('shows the steps before the fork as they were, and not as pending', async () => {
    const { engine, play, resume } = await workflowWorld();
    const run = await engine.start(smallWorkflow('one', 3));
    await play(run);
    await answer(engine, run, 'reject');
    await play(run);
    const fork = await resume(run);
    const states = async (): Promise<readonly string[]> =>
      (await engine.get(fork))?.workflow?.steps.map(
        ({ id, state, visits }) => `${id} ${state} ${visits}`,
      ) ?? [];
    const before = ['implement passed 2', 'test passed 2', 'review passed 1'];
    assert.deepEqual((await states()).slice(0, 3), before);
    await play(fork);
    await answer(engine, fork, 'approve');
    await play(fork);
    assert.deepEqual(await states(), [...before, 'look passed 1', 'commit passed 1']);
    await engine.close();
  });
});
