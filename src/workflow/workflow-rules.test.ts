/** The rules of every workflow, on random definitions and random ends of their commands. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { seededRandom } from '../base/random.ts';
import { RandomWorkflow, randomDefinition } from '../../test/support/random-workflow.ts';

const RUNS = 60;
const SEEDS = 120;
/** Far more than 30 steps can have. */
const FACTS_MAX = 3000;

/** The kind of its outcome. */
function play(seed: number): string {
  const random = seededRandom(seed);
  const workflow = new RandomWorkflow(randomDefinition(random), random);
  for (;;) {
    workflow.advance();
    if (workflow.outcome !== null) return workflow.outcome.kind;
    // A person who only answers nonsense would be asked for ever.
    workflow.isEnding = workflow.facts > FACTS_MAX / 2;
    workflow.happen();
    assert.ok(workflow.facts < FACTS_MAX, 'it ends');
  }
}

describe('any workflow', () => {
  test('keeps its rules and ends, whatever happens', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => void play(seed)),
      { numRuns: RUNS },
    );
  });

  test('has any kind of end in these worlds, so that the rules are about something', () => {
    const ends = new Set(Array.from({ length: SEEDS }, (_, seed) => play(seed)));
    for (const kind of ['succeeded', 'unverified', 'failed', 'cancelled', 'killed', 'exhausted'])
      assert.ok(ends.has(kind), `${kind} of ${[...ends].join(', ')}`);
  });
});
