/** A random feature, played to its end against random ends of its commands. Plain code checks the rules at each step. */
import assert from 'node:assert/strict';
import { isRefusal } from '../../src/base/errors.ts';
import { randomInt, randomItem, seededRandom } from '../../src/base/random.ts';
import { featureState, phaseState } from '../../src/plan/component-states.ts';
import type { ComponentStates } from '../../src/plan/component-states.ts';
import { featureOf } from '../../src/plan/feature-state.ts';
import type { FeatureState } from '../../src/plan/feature-state.ts';
import { componentStates } from '../../src/plan/progress-states.ts';
import { componentOfKey } from '../../src/plan/fold-feature.ts';
import type { RunOutcome } from '../../src/protocol/outcome.ts';
import type { FeatureSetup } from './feature-world.ts';
import { FeatureWorld, goesWell } from './feature-world.ts';
import type { LooseEnd } from './run-event.ts';

type Random = () => number;
/** As it was generated: the checks below use nothing that the product has read or computed. */
type Part = {
  readonly name: string;
  readonly files: readonly string[];
  readonly needs: string[];
  /** Null: the plan is about one project. */
  readonly project: string | null;
};
export type RandomPlan = {
  readonly phases: readonly { readonly isOpen: boolean; readonly parts: readonly Part[] }[];
  /** Each may depend on those before it. Empty: the plan is about one. */
  readonly projects: readonly { readonly name: string; readonly needs: readonly string[] }[];
};

const STEPS_MAX = 5000;
const SHARED = ['shared.txt', 'list.txt'] as const;

/** Up to sixteen components in up to four phases. Some share files, and some wait for each other in a circle. */
export function randomPlan(random: Random, count: number): RandomPlan {
  const names = ['core', 'api', 'web'].slice(0, count);
  let made = 0;
  const phases = Array.from({ length: randomInt(random, 1, 4) }, () => ({
    isOpen: random() < 0.3,
    parts: Array.from({ length: randomInt(random, 1, 4) }, (): Part => {
      const name = `c${made}`;
      const drawn = names[made % Math.max(1, count)];
      made += 1;
      const shared = random() < 0.3 ? [randomItem(random, SHARED)] : [];
      return { name, files: [`${name}.txt`, ...shared], needs: [], project: drawn ?? null };
    }),
  }));
  const all = phases.flatMap(({ parts }) => parts);
  for (const [nth, part] of all.entries())
    while (all.length > 1 && random() < 0.35) {
      // Most edges point backwards, as people write them.
      const other =
        all[random() < 0.9 ? randomInt(random, 0, nth) : randomInt(random, 0, all.length - 1)];
      if (other !== undefined && other !== part && !part.needs.includes(other.name))
        part.needs.push(other.name);
    }
  const used = names.filter((name) => all.some(({ project }) => project === name));
  const projects = used.map((name, nth) => ({
    name,
    needs: used.slice(0, nth).filter(() => random() < 0.4),
  }));
  return { phases, projects };
}

function toText({ phases }: RandomPlan): string {
  return phases
    .map(({ isOpen, parts }, nth) => {
      const components = parts.map(({ name, files: [own = '', ...touches], needs, project }) => {
        const after = needs.length === 0 ? '' : `, depends_on: [${needs.join(', ')}]`;
        const more = touches.length === 0 ? '' : `, touches: [${touches.join(', ')}]`;
        const where = project === null ? '' : `, project: ${project}`;
        return `{ id: ${name}, files: [${own}]${more}${after}${where} }`;
      });
      const gate = isOpen ? ', gate: interfaces-locked' : '';
      return `  - { id: p${nth}${gate}, components: [${components.join(', ')}] }`;
    })
    .join('\n');
}

function projectLines({ projects }: RandomPlan): string {
  return projects
    .map(({ name, needs }) => `  ${name}: { path: ../${name}, depends_on: [${needs.join(', ')}] }`)
    .join('\n');
}

/** By name: everything that has to be complete before it. Undefined: they wait for each other in a circle. */
export function naiveAncestors(
  plan: RandomPlan,
): ReadonlyMap<string, ReadonlySet<string>> | undefined {
  const direct = new Map<string, Set<string>>();
  for (const [nth, { isOpen, parts }] of plan.phases.entries())
    for (const { name, needs, project } of parts) {
      const before = isOpen ? [] : plan.phases.slice(0, nth).flatMap((one) => one.parts);
      const first = projectsBefore(plan, project);
      const soFar = plan.phases.slice(0, nth + 1).flatMap((one) => one.parts);
      const others = soFar.filter((one) => first.has(one.project ?? ''));
      direct.set(name, new Set([...needs, ...[...before, ...others].map((one) => one.name)]));
    }
  // The closure, by repeating until nothing is added.
  for (let grows = true; grows;) {
    grows = false;
    for (const own of direct.values())
      for (const one of own)
        for (const further of direct.get(one) ?? [])
          if (!own.has(further)) {
            own.add(further);
            grows = true;
          }
  }
  return [...direct].some(([name, own]) => own.has(name)) ? undefined : direct;
}

function projectsBefore(plan: RandomPlan, project: string | null): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (name: string | null): void => {
    for (const one of plan.projects.find((other) => other.name === name)?.needs ?? []) {
      found.add(one);
      add(one);
    }
  };
  add(project);
  return found;
}

/** How such a plan is built. */
export function randomSetup(
  random: Random,
  plan: RandomPlan,
): FeatureSetup & { readonly capacity: number } {
  return {
    phases: toText(plan),
    ...(plan.projects.length === 0 ? {} : { projects: projectLines(plan) }),
    capacity: randomInt(random, 1, 5),
    gates: random() < 0.5 ? ['test'] : ['lint', 'test'],
    ask: random() < 0.8,
  };
}

type Played = { readonly outcome: string; readonly crashes: number; readonly steps: number };

/**
 * Throws if a rule is broken. `diesAt`: the owner dies before this decision and no other. Default: before one that the seed
 * chooses, and before others by chance.
 */
export function playPlan(seed: number, diesAt?: number): Played {
  const random = seededRandom(seed);
  // Every third one spans two or three projects.
  const plan = randomPlan(random, seed % 3 === 0 ? randomInt(random, 2, 3) : 0);
  const ancestors = naiveAncestors(plan);
  const setup = randomSetup(random, plan);
  let world: FeatureWorld;
  try {
    world = new FeatureWorld(setup);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    assert.match(error.message, /the components wait for each other/);
    assert.equal(ancestors, undefined, 'only circles are refused');
    return { outcome: 'refused', crashes: 0, steps: 0 };
  }
  assert.ok(ancestors !== undefined, 'circles are refused');
  const rules = new PlanRules(world, plan, ancestors, setup.capacity);
  const chosen = randomInt(random, 1, 60);
  const dies = (step: number): boolean => {
    const byChance = random() < 0.03;
    return diesAt === undefined ? step === chosen || byChance : step === diesAt;
  };
  let crashes = 0;
  let steps = 0;
  for (; world.decide(); steps += 1) {
    assert.ok(steps < STEPS_MAX, 'it decides without end');
    if (dies(steps)) {
      world.crash();
      crashes += 1;
    } else if (world.isParked || random() < 0.04) act(world, random);
    else if (random() < 0.002) world.stop();
    else if (world.open.size > 0) {
      const key = randomItem(random, [...world.open.keys()] as [string]);
      world.end(key, (name, command, isCancelled) => randomEnd(random, name, command, isCancelled));
    }
    rules.check();
  }
  rules.checkEnd();
  return { outcome: world.outcome?.kind ?? '', crashes, steps };
}

/** A person holds, releases or skips something. What makes no sense is ignored. */
function act(world: FeatureWorld, random: Random): void {
  const ids = Object.keys(world.state.components);
  const component = random() < 0.4 ? null : randomItem(random, ids as [string]);
  world.queue(randomItem(random, ['hold', 'release', 'release', 'release', 'skip']), component);
}

const done = (result: object): LooseEnd => ({ kind: 'done', result });

export function randomEnd(
  random: Random,
  key: string,
  command: string,
  isCancelled: boolean,
): LooseEnd {
  const end = goesWell(key, command, isCancelled);
  if (isCancelled) return end;
  const chance = random();
  switch (command) {
    case 'run': // a limit, or work that failed
      return chance < 0.1 ? done({ run: 'c', outcome: { kind: 'failed', reason: 'limit' } }) : end;
    case 'ask':
      return done({ answer: randomItem(random, ['retry', 'retry', 'retry', 'skip']) });
    case 'collect-step':
    case 'merge-work': {
      if (chance < 0.04) return { kind: 'defect', message: 'oops' };
      if (command === 'merge-work' && chance < 0.2)
        return done({ kind: 'conflict', files: ['shared.txt'], text: 'diff' });
      const { result } = end as { result: { work: object } };
      // Some change files that they did not declare.
      const names = [
        `${componentOfKey(key)}.txt`,
        ...(chance > 0.8 ? [randomItem(random, SHARED)] : []),
      ];
      return command === 'merge-work'
        ? done({ ...result, names })
        : done({ ...result, work: { ...result.work, names } });
    }
    case 'gate':
      return chance < 0.15 ? done({ kind: 'failed', name: 'test', exit: 1, tail: 'no' }) : end;
    default:
      return chance < 0.04 ? { kind: 'defect', message: 'oops' } : end;
  }
}

const AT_WORK: ReadonlySet<string> = new Set(['implementing', 'testing', 'merging']);

/** What the rules look at: the state of a feature, its open commands, and how it has ended. */
export type WatchedPlan = {
  readonly state: FeatureState;
  readonly open: ReadonlyMap<string, { readonly key: string; readonly command: string }>;
  readonly outcome: RunOutcome | undefined;
};

export class PlanRules {
  readonly #world: WatchedPlan;
  readonly #plan: RandomPlan;
  readonly #ancestors: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #capacity: number;
  readonly #names: ReadonlyMap<string, string>;

  constructor(
    world: WatchedPlan,
    plan: RandomPlan,
    ancestors: ReadonlyMap<string, ReadonlySet<string>>,
    capacity: number,
  ) {
    this.#world = world;
    this.#plan = plan;
    this.#ancestors = ancestors;
    this.#capacity = capacity;
    this.#names = new Map(
      plan.phases.flatMap(({ parts }, p) =>
        parts.map(({ name }, c) => [`P1T1-PH${p + 1}-C${c + 1}`, name] as const),
      ),
    );
  }

  check(): void {
    const { state, open } = this.#world;
    const states = componentStates(state);
    this.#checkFiles(states);
    this.#checkRollUps(states);
    const running = [...open.values()].filter(({ command }) => command === 'run');
    const ids = running.map(({ key }) => componentOfKey(key));
    assert.equal(new Set(ids).size, ids.length, 'no component is at work twice');
    assert.ok(running.length <= this.#capacity, 'the capacity is kept');
    const landed = state.landed.map(({ id }) => this.#names.get(id) ?? id);
    assert.equal(new Set(landed).size, landed.length, 'no component lands twice');
    for (const [nth, name] of landed.entries())
      for (const before of this.#ancestors.get(name) ?? [])
        assert.ok(landed.slice(0, nth).includes(before), `${name} lands after ${before}`);
  }

  #checkFiles(states: ComponentStates): void {
    const seen = new Map<string, string>();
    const parts = new Map(
      this.#plan.phases.flatMap((one) => one.parts).map((one) => [one.name, one]),
    );
    for (const [id, own] of states) {
      if (!AT_WORK.has(own)) continue;
      const part = parts.get(this.#names.get(id) ?? '');
      for (const file of part?.files ?? []) {
        const place = `${part?.project ?? ''}:${file}`;
        assert.equal(seen.get(place), undefined, `${place} has one component at work`);
        seen.set(place, id);
      }
    }
  }

  /** All complete; else any failed; else none begun; else in progress. */
  #checkRollUps(states: ComponentStates): void {
    const { plan } = featureOf(this.#world.state);
    const naive = (all: readonly string[]): string => {
      const count = (word: string): number => all.filter((one) => one === word).length;
      if (count('complete') === all.length) return 'complete';
      if (count('failed') > 0) return 'failed';
      return count('pending') === all.length ? 'pending' : 'in_progress';
    };
    const phases = this.#plan.phases.map(({ parts }, p) =>
      naive(parts.map((_, c) => states.get(`P1T1-PH${p + 1}-C${c + 1}`) ?? 'pending')),
    );
    assert.deepEqual(
      plan.phases.map((phase) => phaseState(phase, states)),
      phases,
    );
    assert.equal(featureState(plan, states), naive(phases));
  }

  checkEnd(): void {
    const { state, outcome } = this.#world;
    if (outcome?.kind === 'cancelled') return;
    if (outcome?.kind === 'refused') {
      // A project could not be stored, so nothing has begun.
      assert.ok(Object.values(state.lanes).some(({ base }) => base === null));
      assert.deepEqual(state.landed, []);
      return;
    }
    const states = new Map(
      [...componentStates(state)].map(([id, own]) => [this.#names.get(id) ?? id, own]),
    );
    const landed = state.landed.map(({ id }) => this.#names.get(id));
    for (const [name, own] of states) {
      assert.equal(landed.includes(name), own === 'complete', `${name} is complete once landed`);
      if (own === 'complete' || own === 'failed') continue;
      const before = [...(this.#ancestors.get(name) ?? [])];
      assert.equal(own, 'pending', `${name} is not left behind`);
      assert.ok(
        before.some((one) => states.get(one) === 'failed'),
        `${name} is not forgotten`,
      );
    }
    const isWhole = landed.length === states.size;
    assert.equal(outcome?.kind, isWhole ? 'succeeded' : 'failed');
  }
}
