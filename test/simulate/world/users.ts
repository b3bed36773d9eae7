/**
 * The users of the simulated world. They reach the owner, or they do not; each acknowledgement is
 * recorded.
 */
import { isRefusal } from '../../../src/base/errors.ts';
import type { RunId } from '../../../src/base/ids.ts';
import type { StoredEvent } from '../../../src/protocol/event.ts';
import type { Signal } from '../../../src/protocol/signal.ts';
import type { EmbeddedEngine } from '../../../src/engine/embedded/embedded-engine.ts';
import { refuseAgent } from '../../../src/owner/runs/resume-run.ts';
import { isPaused } from './pauses.ts';
import type { FollowedRun } from './record.ts';
import type { UserAct } from './scenario.ts';
import type { World } from './world.ts';

const COMES_BACK_MS = 3000;

export class Users {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** A user who finds no owner tries again. */
  act(act: UserAct): void {
    const engine = this.#world.owner?.engine;
    if (engine === undefined) this.#world.clock.after(COMES_BACK_MS, () => this.act(act));
    else void this.#taken(this.#do(act, engine));
  }

  /** Unpauses paused runs, answers every question, ends every long wait, and kills endless work. */
  async settle(runs: readonly string[], round: number): Promise<void> {
    const engine = this.#world.owner?.engine;
    if (engine === undefined) return;
    for (const run of runs) {
      this.#world.facts.all();
      if (isPaused(this.#world.facts.of(run)))
        await this.#taken(this.#signal(engine, run, { kind: 'unpause' }));
      for (const key of this.#questions(run))
        await this.#taken(this.#answer(engine, run, key, round));
      if (this.#world.facts.isCooling(run))
        await this.#taken(this.#signal(engine, run, { kind: 'retry-now' }));
      if (this.#world.machine.alive.some((one) => one.run === run && one.endless))
        await this.#taken(this.#signal(engine, run, { kind: 'kill' }));
    }
  }

  /** A refusal is an answer. Anything else that is thrown is a bug of the product. */
  async #taken(request: Promise<void>): Promise<void> {
    const life = this.#world.owner?.life;
    try {
      await request;
    } catch (error) {
      if (isRefusal(error) || life?.isSuperseded === true) this.#world.remark('refuse');
      else this.#world.defect(error);
    }
  }

  async #do(act: UserAct, engine: EmbeddedEngine): Promise<void> {
    if (act.kind === 'submit') {
      const run = await engine.start(act.submission);
      this.#world.acks.push({ kind: 'started', run, facts: this.#durable });
      return;
    }
    const runs = this.#meant(act);
    const run = runs[act.nth % runs.length];
    if (run === undefined) return;
    switch (act.kind) {
      case 'stop':
      case 'kill':
      case 'pause':
      case 'unpause':
      case 'retry-now':
      case 'next':
        return this.#signal(engine, run, { kind: act.kind });
      case 'stop-then-kill':
        this.#world.clock.after(act.afterMs, () => this.#again(run));
        return this.#signal(engine, run, { kind: 'stop' });
      case 'answer': {
        const key = this.#questions(run)[0] ?? 'nobody-asked';
        return this.#answer(engine, run, key, act.nth);
      }
      case 'look':
        for (const view of await engine.list({ limit: 100 })) this.#world.owner?.compareView(view);
        return;
      case 'fork': {
        const view = await engine.get(run as RunId);
        if (view !== undefined) refuseAgent(view);
        const last = view?.seq ?? 1;
        const fork = await engine.fork(run as RunId, 1 + (act.place % last));
        this.#world.acks.push({ kind: 'started', run: fork, facts: this.#durable });
        return;
      }
      case 'follow': {
        const last = (await engine.get(run as RunId))?.seq ?? 1;
        const followed: FollowedRun = {
          run,
          after: act.place % (last + 1),
          seen: [],
          complete: false,
        };
        this.#world.followed.push(followed);
        return this.#follow(engine, followed);
      }
    }
  }

  /** A user who sends `next` usually looks at a run that waits for a limit, if there is one. */
  #meant({ kind, nth }: Exclude<UserAct, { kind: 'submit' }>): readonly string[] {
    const { facts } = this.#world;
    if (kind !== 'next' || nth % 4 === 0) return facts.runs;
    facts.all();
    const resting = facts.runs.filter((run) => facts.isCooling(run));
    return resting.length > 0 ? resting : facts.runs;
  }

  #again(run: string): void {
    const engine = this.#world.owner?.engine;
    if (engine !== undefined) void this.#taken(this.#signal(engine, run, { kind: 'kill' }));
  }

  async #follow(engine: EmbeddedEngine, followed: FollowedRun): Promise<void> {
    const { run, after, seen } = followed;
    const off = new AbortController();
    for await (const { seq, type } of engine.follow(run as RunId, after, off.signal)) {
      seen.push(seq);
      if (type === 'run.ended') followed.complete = true;
    }
  }

  async #signal(engine: EmbeddedEngine, run: string, signal: Signal): Promise<void> {
    await engine.signal(run as RunId, signal);
    this.#world.acks.push({ kind: 'signalled', run, signal: signal.kind, facts: this.#durable });
  }

  /** For an agent, one of the offered answers; otherwise yes. */
  #answer(engine: EmbeddedEngine, run: string, key: string, nth: number): Promise<void> {
    const question = this.#world.facts.of(run).findLast((fact) => isQuestion(fact, key));
    const choices =
      question?.type === 'command.begun' && question.payload.command === 'ask'
        ? question.payload.input.choices
        : undefined;
    const isOffered = choices !== undefined && this.#world.facts.agents.includes(run);
    const answer = isOffered ? choices[nth % choices.length] : 'yes';
    return this.#signal(engine, run, { kind: 'answer', key, answer: String(answer) });
  }

  #questions(run: string): readonly string[] {
    this.#world.facts.all();
    const open = this.#world.facts.openKeys(run);
    return this.#world.facts.of(run).flatMap((fact) => {
      if (fact.type !== 'command.begun') return [];
      const { command, key } = fact.payload;
      return command === 'ask' && open.includes(key) ? [key] : [];
    });
  }

  get #durable(): number {
    return this.#world.disk.events.length;
  }
}

function isQuestion(fact: StoredEvent, key: string): boolean {
  return fact.type === 'command.begun' && fact.payload.key === key;
}
