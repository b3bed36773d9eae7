/** Random graphs against random ends, and owners that die. Plain code computes what must have happened to each node. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { randomInt, randomItem, seededRandom } from '../../base/random.ts';
import type { Random } from '../../base/random.ts';
import type { OpenMove } from '../../../test/support/feature-world.ts';
import { FeatureWorld, goesWell } from '../../../test/support/feature-world.ts';
import type { LooseEnd } from '../../../test/support/run-event.ts';
import { graphOf, progressOf } from '../feature-state.ts';

type Kind = 'task' | 'gate' | 'human' | 'branch' | 'merge';
/** As it was generated. `if`: the branch that decides about it, and the answer that lets it run. */
type Node = {
  readonly id: string;
  readonly kind: Kind;
  readonly after: readonly string[];
  readonly if: readonly [branch: string, is: 'yes' | 'no'] | null;
  /** Of a branch: whose result it looks at, and for what. */
  readonly looks: readonly [node: string, value: string] | null;
};

const GRAPHS = 200;
const STEPS_MAX = 2000;
const GOOD: Readonly<Record<Kind, string>> = {
  ...{ task: 'landed', gate: 'green', human: 'yes', branch: 'yes', merge: 'done' },
};

function randomGraph(random: Random): readonly Node[] {
  const nodes: Node[] = [];
  for (let nth = 0; nth < randomInt(random, 2, 12); nth += 1) {
    const before = nodes.filter(() => random() < 0.3).map(({ id }) => id);
    const branches = nodes.filter(({ kind }) => kind === 'branch');
    const kinds: readonly [Kind, ...Kind[]] =
      nodes.length === 0
        ? ['task', 'gate', 'human']
        : ['task', 'task', 'gate', 'human', 'branch', 'branch', 'merge'];
    const kind = randomItem(random, kinds);
    const looked = kind === 'branch' ? randomItem(random, nodes as [Node, ...Node[]]) : null;
    const others = kind === 'merge' && before.length === 0 ? [nodes[0]?.id ?? ''] : before;
    const after = looked === null ? others : [...new Set([...others, looked.id])];
    const branch =
      branches.length > 0 && kind !== 'merge' && random() < 0.6
        ? randomItem(random, branches as [Node, ...Node[]])
        : null;
    nodes.push({
      ...{ id: `n${nth}`, kind, after },
      if: branch === null ? null : [branch.id, random() < 0.5 ? 'yes' : 'no'],
      looks: looked === null ? null : [looked.id, random() < 0.8 ? GOOD[looked.kind] : 'skipped'],
    });
  }
  return nodes;
}

function toLines(nodes: readonly Node[]): string {
  const targets = (branch: string, is: string): string =>
    nodes
      .filter((one) => one.if?.[0] === branch && one.if[1] === is)
      .map(({ id }) => id)
      .join(', ');
  return nodes
    .map(({ id, kind, after, looks }) => {
      const own = {
        ...{ task: `files: [${id}]`, gate: 'gates: [e2e]', human: 'question: Now?', merge: '' },
        branch: `when: { field: ${looks?.[0]}.result, operator: equals, value: ${looks?.[1]} }, then: [${targets(id, 'yes')}], else: [${targets(id, 'no')}]`,
      }[kind];
      return `  - { id: ${id}, kind: ${kind}, after: [${after.join(', ')}]${own === '' ? '' : `, ${own}`} }`;
    })
    .join('\n');
}

/** By id, in the order of the list: what must have become of each node, from what gates and people said. */
function expected(
  nodes: readonly Node[],
  said: (id: string) => string | undefined,
): ReadonlyMap<string, string> {
  const results = new Map<string, string>();
  for (const { id, kind, after, if: guard, looks } of nodes) {
    const before = [...after, ...(guard === null ? [] : [guard[0]])].map((one) => results.get(one));
    const skips = before.filter((one) => one === 'skipped').length;
    const isLeftOut = guard !== null && results.get(guard[0]) !== guard[1];
    const hasNoWay = kind === 'merge' ? skips > 0 && skips === before.length : skips > 0;
    const answer = looks === null ? said(id) : results.get(looks[0]) === looks[1] ? 'yes' : 'no';
    results.set(id, isLeftOut || hasNoWay ? 'skipped' : (answer ?? GOOD[kind]));
  }
  return results;
}

function randomEnd(random: Random, { key, command, input, isCancelled }: OpenMove): LooseEnd {
  const chance = random();
  if (isCancelled) return goesWell(key, command, true);
  if (command === 'ask') {
    // After a stop there is nothing to compare.
    const choices = (input['choices'] as [string]).filter((one) => one !== 'stop');
    return { kind: 'done', result: { answer: randomItem(random, choices as [string]) } };
  }
  if (command !== 'run' && command !== 'open-base' && chance < 0.03)
    return { kind: 'defect', message: 'oops' };
  if (command === 'gate' && chance > 0.7)
    return { kind: 'done', result: { kind: 'failed', name: 'e2e', exit: 1, tail: 'no' } };
  return goesWell(key, command, false);
}

function play(seed: number): string {
  const random = seededRandom(seed);
  const nodes = randomGraph(random);
  // Branches without any node are refused, and no part of this.
  const used = (id: string): boolean => nodes.some((one) => one.if?.[0] === id);
  if (nodes.some(({ id, kind }) => kind === 'branch' && !used(id))) return 'refused';
  const world = new FeatureWorld({ nodes: toLines(nodes), gates: [], capacity: 2 });
  for (let steps = 0; world.decide(); steps += 1) {
    assert.ok(steps < STEPS_MAX, 'it decides without end');
    if (random() < 0.1) world.crash();
    else if (world.open.size > 0) {
      const open = randomItem(random, [...world.open.values()] as [OpenMove]);
      world.end(open.key, () => randomEnd(random, open));
    }
  }
  const { state, outcome } = world;
  const ids = new Map(graphOf(state).components.map(({ id, name }) => [name, id]));
  const progress = (name: string): ReturnType<typeof progressOf> =>
    progressOf(state, ids.get(name) ?? '');
  const wanted = expected(nodes, (id) => progress(id).result);
  const isFailed = nodes.some(({ id }) => progress(id).state === 'failed');
  for (const { id, kind } of nodes) {
    const { state: own, result = 'landed', run } = progress(id);
    if (own === 'complete') assert.equal(result, wanted.get(id), id);
    else assert.ok(isFailed, `${id} is forgotten`);
    if (result === 'skipped') assert.equal(run, null, `${id} is skipped and never ran`);
    const isTested = nodes.some(({ looks }) => looks?.[0] === id);
    if (own === 'failed') assert.ok(kind !== 'branch' && !isTested, `${id} has no other way`);
  }
  const landed = nodes.filter(({ id, kind }) => kind === 'task' && wanted.get(id) === 'landed');
  if (!isFailed) assert.equal(state.landed.length, landed.length);
  return isFailed ? 'failed' : (outcome?.kind ?? '');
}

describe('a random graph', () => {
  test('does what its branches say, skips the rest, and ends', (t) => {
    const seen = new Map<string, number>();
    for (let seed = 1; seed <= GRAPHS; seed += 1)
      try {
        const kind = play(seed);
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
      } catch (error) {
        throw new Error(`the graph of seed ${seed} breaks a rule`, { cause: error });
      }
    t.diagnostic(JSON.stringify([...seen]));
    assert.deepEqual([...seen.keys()].toSorted(), ['failed', 'refused', 'unverified']);
    assert.ok((seen.get('unverified') ?? 0) > 20, 'many of them come to their end');
  });
});
