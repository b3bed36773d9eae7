import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import type { PrepareStepInput } from '../../protocol/contracts/workflow-contract.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { EarlyPrompts } from './early-prompts.ts';

const RUN = 'a000000000' as RunId;
const INPUT: PrepareStepInput = {
  project: '/p',
  task: 'Fix it.',
  step: 'plan',
  role: 'planner',
  work: null,
  outputs: {},
  feedback: null,
  level: 'full',
  gatesOf: [],
};

describe('a prompt that was written early', () => {
  const cases: readonly (readonly [
    why: string,
    run: RunId,
    input: PrepareStepInput,
    afterMs: number,
    taken: string | undefined,
  ])[] = [
    ['is for exactly its step', RUN, { ...INPUT }, 10_000, 'hash'],
    ['is not for another run', 'b000000000' as RunId, INPUT, 0, undefined],
    ['is not for a step that has feedback', RUN, { ...INPUT, level: 'core' }, 0, undefined],
    ['is too old for a step that had to wait', RUN, INPUT, 10_001, undefined],
  ];
  for (const [why, run, input, afterMs, taken] of cases)
    test(why, async () => {
      const clock = new ManualClock();
      const early = new EarlyPrompts(clock);
      early.keep(RUN, [{ input: INPUT, hash: 'hash' }]);
      await clock.advance(afterMs);
      assert.equal(early.take(run, input), taken);
    });

  test('is taken once, each of several by its own step', () => {
    const early = new EarlyPrompts(new ManualClock());
    const other = { ...INPUT, role: 'reviewer' };
    early.keep(RUN, [
      { input: INPUT, hash: 'one' },
      { input: other, hash: 'two' },
    ]);
    const taken = [other, other, INPUT, INPUT].map((input) => early.take(RUN, input));
    assert.deepEqual(taken, ['two', undefined, 'one', undefined]);
  });

  test('is dropped if a thousand newer runs have some', () => {
    const early = new EarlyPrompts(new ManualClock());
    early.keep(RUN, [{ input: INPUT, hash: 'hash' }]);
    for (let n = 1; n <= 1000; n += 1)
      early.keep(`b${n}` as RunId, [{ input: INPUT, hash: 'hash' }]);
    assert.equal(early.take(RUN, INPUT), undefined);
  });
});
