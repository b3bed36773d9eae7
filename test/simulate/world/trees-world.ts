/** The trees of one world: their disk, its faults, and the record. */
import { isRefusal } from '../../../src/base/errors.ts';
import type { Random } from '../../../src/base/random.ts';
import { seededRandom } from '../../../src/base/random.ts';
import type { Fact, Process } from './record.ts';
import type { Remover, TreeEvent, TreesRecord } from './trees-record.ts';
import type { TreesScenario } from './trees-scenario.ts';
import { PATHS } from './trees-scenario.ts';
import { isOfEarlierLife } from './tree-lives.ts';
import { TreeSteps } from './tree-steps.ts';
import type { WorldTree } from './tree-store.ts';
import { TreeStore, UNKEEPABLE_PATH } from './tree-store.ts';
import type { WorldClock } from './world-clock.ts';

export class TreesWorld {
  readonly store = new TreeStore();
  readonly steps: TreeSteps;
  readonly slowMs: number;
  readonly #events: TreeEvent[] = [];
  readonly #facts: () => readonly Fact[];
  readonly #scenario: TreesScenario;
  readonly #random: Random;
  /** Applies that the last owner reported as impossible to continue. */
  #hasRefused = false;
  #cutOff: readonly string[] | undefined;

  /** `facts`: all facts on the disk at that moment. */
  constructor(
    scenario: TreesScenario,
    seed: number,
    clock: WorldClock,
    facts: () => readonly Fact[],
  ) {
    this.steps = new TreeSteps(clock);
    this.slowMs = scenario.slowMs;
    this.#scenario = scenario;
    this.#facts = facts;
    this.#random = seededRandom(seed);
  }

  saw(event: TreeEvent): void {
    this.#events.push(event);
  }

  given({ place, work, truth }: WorldTree, { key }: Process, holder: string | null): void {
    const paths = new Set([...(work?.keys() ?? []), ...(truth?.keys() ?? [])]);
    const differs = [...paths].filter((path) => work?.get(path) !== truth?.get(path));
    this.saw({ kind: 'given', run: place.run, key, differs, holder });
    this.store.folders.add(place.run);
  }

  agentWrites(tree: WorldTree, who: string, number: number): void {
    const path = PATHS[number % PATHS.length] ?? PATHS[0];
    for (const files of [tree.work, tree.truth])
      if (number === 3) files?.delete(path);
      else files?.set(path, `by ${who}, step ${number}`);
    if (this.#random() < this.#scenario.unkeepable)
      for (const files of [tree.work, tree.truth]) files?.set(UNKEEPABLE_PATH, who);
  }

  removed(tree: WorldTree, by: Remover): void {
    const { run, attempt } = tree.place;
    this.saw({
      kind: 'removed',
      run,
      by,
      lost: this.store.unkept(tree),
      isOver: this.#isOver(run),
      isOfEarlierLife: isOfEarlierLife(this.#facts(), run, attempt),
    });
  }

  cleared(run: string): void {
    this.saw({ kind: 'cleared', run, isOver: this.#isOver(run) });
  }

  /** A tree without a record was never completed: no attempt worked in it. */
  finalized(tree: WorldTree): void {
    if (tree.record === undefined) return;
    const unkept = this.store.unkept(tree).filter((path) => path !== UNKEEPABLE_PATH);
    this.saw({ kind: 'finalized', run: tree.place.run, unkept });
  }

  touched(run: string, path: string): void {
    this.saw({ kind: 'touched', run, path, isBegun: this.#openApplies().includes(run) });
  }

  tidied(run: string, root: string): void {
    this.saw({ kind: 'tidied', run, differs: this.store.differences(root) });
  }

  refusedTakeUp(error: unknown): void {
    if (isRefusal(error)) this.#hasRefused = true;
  }

  losePower(): void {
    this.store.losePower(this.#random);
    this.store.locks.clear();
  }

  /**
   * Without faults and with an owner up, a begun apply has ended, or the owner has reported why
   * not.
   */
  lookForCutOff(): void {
    this.#cutOff ??= this.#hasRefused ? [] : this.#openApplies();
  }

  /** Runs whose apply has begun and not ended. */
  openApplies(): readonly string[] {
    return this.#openApplies();
  }

  record(): TreesRecord {
    const { store } = this;
    const lostCommits = this.#facts().flatMap((fact) => {
      if (fact.type !== 'command.noted' || fact.payload.note.kind !== 'committed') return [];
      const { commit } = fact.payload.note;
      return store.isLost(commit) ? [`${commit} of ${fact.stream}`] : [];
    });
    const differences = [...store.projects.keys()].flatMap((root) =>
      store.differences(root).map((what) => `${root}: ${what}`),
    );
    return { events: this.#events, lostCommits, differences, cutOff: this.#cutOff ?? [] };
  }

  #isOver(run: string): boolean {
    return this.#facts().some(
      ({ type, stream }) => type === 'run.ended' && stream === `run/${run}`,
    );
  }

  #openApplies(): readonly string[] {
    const open = new Set<string>();
    for (const { type, payload } of this.#facts()) {
      if (type === 'apply.begun') open.add(payload.run);
      if (type === 'apply.ended') open.delete(payload.run);
    }
    return [...open];
  }
}
