/** The simulated world with runs that start runs. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CommandKey, RunId } from '../../src/base/ids.ts';
import { childRunId } from '../../src/base/ids.ts';
import { withChildren } from './world/children-scenario.ts';
import { groupByRun } from './world/lineage.ts';
import { explain, simulate } from './world/simulate.ts';

const SEEDS = 100;

describe('the simulated world with child runs', () => {
  test(`keeps every invariant in the worlds 1 to ${SEEDS}, whatever is cancelled, paused, forked or crashes`, async (t) => {
    const counts = { runs: 0, children: 0, continued: 0, reused: 0, refused: 0, stopped: 0 };
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const simulation = await simulate(seed, withChildren);
      assert.deepEqual(simulation.breaches, [], `seed ${seed}: ${explain(simulation).join('\n')}`);
      for (const [first] of groupByRun(simulation.record.facts).values()) {
        counts.runs += 1;
        if (first?.type === 'run.submitted' && first.payload.parent !== undefined)
          counts.children += 1;
        if (first?.type === 'run.forked' && first.payload.submission.parent !== undefined)
          counts.continued += 1;
      }
      for (const fact of simulation.record.facts) {
        if (fact.type === 'command.cancelled') counts.stopped += 1;
        if (fact.type !== 'command.ended' || fact.payload.command !== 'run') continue;
        const { key, end } = fact.payload;
        if (end.kind !== 'done') continue;
        const { run, outcome } = end.result;
        if (run === null && outcome.kind === 'refused') counts.refused += 1;
        const parent = fact.stream.slice('run/'.length) as RunId;
        if (run !== null && run !== childRunId(parent, key as CommandKey)) counts.reused += 1;
      }
    }
    t.diagnostic(JSON.stringify(counts));
    // A world that reaches none of these proves nothing.
    for (const count of Object.values(counts)) assert.ok(count > 0, JSON.stringify(counts));
  });
});
