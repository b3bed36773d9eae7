/**
 * The commands of users on the work of ended runs. A user who loses the owner sends the same
 * command again.
 */
import { isRefusal } from '../../../src/base/errors.ts';
import type { RunId } from '../../../src/base/ids.ts';
import { canonicalJson } from '../../../src/base/json.ts';
import { OWNER_GOES, TRIES_MAX } from '../../../src/client/persistent-transport.ts';
import type { Owner } from './owner.ts';
import type { Interruption, TreesAct } from './trees-scenario.ts';
import type { TreesOwner } from './trees-owner.ts';
import type { TreesWorld } from './trees-world.ts';
import type { World } from './world.ts';

/** `path`: the file that is about to change, if there is one. */
export type TreesFault = (interruption: Interruption, project: string, path?: string) => void;

const COMES_BACK_MS = 3000;
/** How long a user waits for a run to end before looking again. */
const LOOKS_AGAIN_MS = 10_000;

export class TreesUsers {
  readonly #world: World;
  readonly #trees: TreesWorld;
  readonly #strike: TreesFault;
  #sent = 0;

  constructor(world: World, trees: TreesWorld, strike: TreesFault) {
    this.#world = world;
    this.#trees = trees;
    this.#strike = strike;
  }

  arm(interruption: Interruption): void {
    const { steps, kind } = interruption;
    this.#trees.steps.arm(
      steps,
      (project, path) => this.#strike(interruption, project, path),
      kind === 'edit-at-hand',
    );
  }

  act(act: TreesAct): void {
    if (act.kind === 'edit') return this.#trees.store.edit(act.project, act.path);
    const { clock, scenario, owner } = this.#world;
    const runs = this.#candidates();
    const isEarly = act.kind !== 'prune' && runs.length === 0;
    if (owner === undefined || isEarly) {
      const waitMs = owner === undefined ? COMES_BACK_MS : LOOKS_AGAIN_MS;
      if (clock.elapsedMs + waitMs < scenario.horizonMs) clock.after(waitMs, () => this.act(act));
      return;
    }
    for (const interruption of act.meanwhile) this.arm(interruption);
    if (act.kind === 'prune') {
      const before = clock.now() - act.agoMs;
      void this.#taken(owner, async ({ prune }) => void (await prune.prune(before)));
      return;
    }
    const run = runs[act.nth % runs.length] ?? '';
    if (act.kind === 'apply') this.#apply(run, act.again);
    else void this.#taken(owner, async ({ work }) => void (await work.discard(run as RunId)));
  }

  /** There are no more faults: applies that could not continue are requested again. */
  settle(): void {
    this.#trees.lookForCutOff();
    for (const run of this.#trees.openApplies()) this.#apply(run, false);
  }

  #apply(run: string, again: boolean): void {
    this.#sent += 1;
    this.#send(run, `request-${this.#sent}`, again);
  }

  #send(run: string, key: string, again: boolean, tries = 1): void {
    const { owner, clock } = this.#world;
    const isAnswered = { yes: false };
    const sendAgain = (): void => this.#send(run, key, again, tries);
    if (owner === undefined) {
      clock.after(COMES_BACK_MS, sendAgain);
      return;
    }
    const look = (): void => {
      if (isAnswered.yes) return;
      if (owner.life.alive && !owner.life.isSuperseded) clock.after(COMES_BACK_MS, look);
      else sendAgain();
    };
    clock.after(COMES_BACK_MS, look);
    const mark = { key, digest: `apply ${run}` };
    const id = run as RunId;
    void this.#taken(owner, async ({ requests, work }) => {
      const answer = await requests
        .once(
          mark,
          (own) => work.apply(id, { evenIfFailed: true }, own),
          (fact) => work.findAnswer(fact),
        )
        .then(
          (applied) => canonicalJson(applied),
          (error: unknown) => {
            if (isRefusal(error)) return error.data.code;
            throw error;
          },
        );
      if (isAnswered.yes || owner.life.isSuperseded) return;
      isAnswered.yes = true;
      // The real client does the same: an owner that is closing has not answered the command.
      if (OWNER_GOES.has(answer) && tries < TRIES_MAX) {
        clock.after(COMES_BACK_MS, () => this.#send(run, key, again, tries + 1));
        return;
      }
      this.#trees.saw({
        ...({ kind: 'answered', run, request: key, answer } as const),
        isOnRecord: !answer.startsWith('{') || this.#isApplied(run),
      });
      if (again) this.#send(run, key, false);
    });
  }

  #isApplied(run: string): boolean {
    return this.#world.facts
      .all()
      .some(
        ({ type, payload }) =>
          type === 'apply.ended' &&
          payload.run === run &&
          payload.answer?.['applied'] !== undefined,
      );
  }

  /** Ended runs that have changed something. */
  #candidates(): readonly string[] {
    const { facts } = this.#world;
    facts.all();
    const { going } = facts;
    return [...this.#trees.store.folders].filter((run) => !going.includes(run));
  }

  /** A refusal is an answer. Anything else that is thrown is a bug of the product. */
  async #taken(owner: Owner, ask: (trees: TreesOwner) => Promise<void>): Promise<void> {
    if (owner.trees === undefined) return;
    try {
      await ask(owner.trees);
    } catch (error) {
      if (isRefusal(error) || owner.life.isSuperseded) this.#world.remark('refuse');
      else this.#world.defect(error);
    }
  }
}
