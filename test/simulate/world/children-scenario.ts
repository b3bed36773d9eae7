/** A world in which most runs start runs: at random, side by side, and nested. */
import type { Random } from '../../../src/base/random.ts';
import { randomInt, randomItem, seededRandom } from '../../../src/base/random.ts';
import type { Submission } from '../../../src/protocol/run-submission.ts';
import type { FakeChildRun, FakeCommand } from '../../../src/testing/fakes/fake-program.ts';
import { fakeSubmission } from '../../../src/testing/fakes/fake-program.ts';
import type { Scenario } from './scenario.ts';
import { drawAttempts, drawCommand, pinCapacity, repeat } from './scenario.ts';

const CHILDREN_SEED = 0xc411d;
/** One level more than a run may have, so that some children are refused. */
const DEPTH_MAX = 5;

/** The same world, with parents in place of most of its runs. */
export function withChildren(drawn: Scenario): Scenario {
  const random = seededRandom(drawn.seed + CHILDREN_SEED);
  const draw = (depth: number): Submission => drawParent(random, drawn, depth);
  const acts = drawn.acts.map((act) =>
    act.kind === 'submit' && random() < 0.8 ? { ...act, submission: draw(0) } : act,
  );
  return { ...drawn, acts, agents: null, trees: null, spends: true };
}

function drawParent(random: Random, scenario: Scenario, depth: number): Submission {
  const stages = repeat(randomInt(random, 1, 3), () =>
    repeat(randomInt(random, 1, 3), (): FakeCommand => {
      const draw = random();
      if (draw < 0.35 || depth >= DEPTH_MAX) return drawCommand(random);
      if (draw < 0.65) return asChild(pinCapacity(drawAttempts(random), scenario.limits));
      const own = drawParent(random, scenario, depth + randomItem(random, [1, 1, 5]));
      if (random() < 0.5) return asChild(own);
      const inner = repeat(randomInt(random, 1, 2), () => [drawCommand(random)]);
      return { run: inner, needed: random() < 0.5 };
    }),
  );
  return fakeSubmission(...stages);
}

function asChild(submission: Submission): FakeCommand {
  return { submission: submission as unknown as FakeChildRun };
}
