/** Plays a pair of patches through the merge queue of a feature. Where files are and how commands run is a parameter. */
import assert from 'node:assert/strict';
import { seededRandom } from '../../src/base/random.ts';
import { progressOf } from '../../src/plan/feature-state.ts';
import { componentOfKey } from '../../src/plan/fold-feature.ts';
import type { WorkPoint } from '../../src/protocol/contracts/workflow-contract.ts';
import type { Json } from '../../src/base/json.ts';
import { FeatureWorld } from '../support/feature-world.ts';
import type { LooseEnd } from '../support/run-event.ts';
import type { Pair, Patch, Tree } from './pairs.ts';
import { isSound } from './pairs.ts';

/** The commands of the queue, and the work of agents. */
export type QueueMachine = {
  /** An agent changes files. It starts with what has landed. */
  readonly work: (run: string, from: WorkPoint, patch: Patch) => Promise<WorkPoint>;
  readonly perform: (
    command: string,
    key: string,
    input: Record<string, Json>,
  ) => Promise<Record<string, Json>>;
  /** The files of the integration branch. Undefined: there is none yet. */
  readonly branch: () => Promise<Tree | undefined>;
};

export type PlayedPair = {
  readonly landed: readonly string[];
  /** Kinds of the results of merges and gates of the second component, in order. */
  readonly second: readonly string[];
  readonly feedback: string;
  readonly deaths: number;
};

const FIRST = 'P1T1-PH1-C1';
const SECOND = 'P1T1-PH1-C2';
const STEPS_MAX = 200;
/** Fewer than the interruptions after which a person is asked. */
const DEATHS_MAX = 2;
const PHASES =
  '  - { id: one, components: [{ id: a, files: [a] }, { id: b, files: [b], touches: [c] }] }';

/** `gates: false` leaves out the gate, to show what it is for. `deaths`: owners die between an effect and its record. */
export async function playPair(
  pair: Pair,
  machine: QueueMachine,
  { gates = true, deaths = false }: { readonly gates?: boolean; readonly deaths?: boolean } = {},
): Promise<PlayedPair> {
  const random = seededRandom(pair.seed + 7);
  const world = new FeatureWorld({ phases: PHASES, ...(gates ? {} : { gates: [] }) });
  const works = new Map<string, WorkPoint>();
  const second: string[] = [];
  let [died, runs, asked] = [0, 0, 0];

  const build = async (key: string, input: Record<string, Json>): Promise<LooseEnd> => {
    const id = componentOfKey(key) ?? '';
    const from = startsFrom(input);
    runs += 1;
    const run = `c${String(runs).padStart(9, '0')}`;
    const { tries } = progressOf(world.state, id);
    works.set(id, await machine.work(run, from, patchOf(pair, id, tries)));
    return { kind: 'done', result: { run, outcome: { kind: 'unverified', reason: 'done' } } };
  };
  const endOf = async (key: string): Promise<LooseEnd | 'death'> => {
    const { command, input } = world.open.get(key) ?? assert.fail(key);
    const id = componentOfKey(key) ?? '';
    switch (command) {
      case 'run':
        return build(key, input);
      case 'collect-step': {
        const work = works.get(id) ?? assert.fail(id);
        return { kind: 'done', result: { work: { ...work, files: 1, names: [] }, base: null } };
      }
      case 'ask':
        asked += 1;
        return { kind: 'done', result: { answer: asked === 1 ? 'retry' : 'skip' } };
      default: {
        const result = await machine.perform(command, key, input);
        const isMerge = command !== 'open-base';
        if (deaths && isMerge && died < DEATHS_MAX && random() < 0.25) return 'death';
        if (id === SECOND && command !== 'commit-work') second.push(result['kind'] as string);
        return { kind: 'done', result };
      }
    }
  };

  for (let steps = 0; world.decide(); steps += 1) {
    assert.ok(steps < STEPS_MAX, 'it decides without end');
    const [key = ''] = world.open.keys();
    const command = world.open.get(key)?.command ?? '';
    const end = await endOf(key);
    if (end === 'death') {
      died += 1;
      world.crash();
    } else world.end(key, () => end);
    // The rule: whatever has happened, the branch is sound. A death after the commit is no exception.
    if (command !== 'commit-work') continue;
    const branch = await machine.branch();
    if (branch !== undefined && gates)
      assert.ok(isSound(branch), `a broken tip has landed: ${JSON.stringify(branch)}`);
  }
  return {
    landed: world.state.landed.map(({ id }) => id),
    second,
    feedback: progressOf(world.state, SECOND).feedback,
    deaths: died,
  };
}

/** The work that the agent of a component does in its next run. */
function patchOf(pair: Pair, id: string, tries: number): Patch {
  if (id === FIRST) return pair.first;
  if (tries <= 1) return pair.second;
  // It was told why its work did not fit. Now it adds a file of its own, or something wrong again.
  return tries <= pair.stubborn + 1
    ? { [`wrong-${tries}.txt`]: `use missing-${pair.seed} 1\n` }
    : { 'reworked.txt': 'define reworked 1\nuse reworked 1\n' };
}

function startsFrom(input: Record<string, Json>): WorkPoint {
  const { submission } = input as unknown as {
    submission: { settings: { workflow: { startsFrom: WorkPoint } } };
  };
  return submission.settings.workflow.startsFrom;
}

/** What the queue must find, by the kind of the pair alone. */
export function expectedOf({ kind, stubborn }: Pair): Pick<PlayedPair, 'landed' | 'second'> {
  const red = ['merged', 'failed'];
  const first = kind === 'clean' ? [] : kind === 'conflict' ? ['conflict'] : red;
  const again = Array.from({ length: stubborn }, () => red).flat();
  // After two failures, a person lets it try again once, and then leaves it out.
  const isLeftOut = stubborn >= 3;
  return {
    landed: isLeftOut ? [FIRST] : [FIRST, SECOND],
    second: [...first, ...again, ...(isLeftOut ? [] : ['merged', 'passed'])],
  };
}
