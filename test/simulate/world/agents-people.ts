/**
 * The actions of people and monitors on the long-lived agents of the simulated world, through the
 * agents API if an owner is up.
 */
import { isRefusal } from '../../../src/base/errors.ts';
import type { RunId } from '../../../src/base/ids.ts';
import type { AgentAct } from './agents-scenario.ts';
import { QUEUE } from './agents-scenario.ts';
import type { Owner } from './owner.ts';
import type { World } from './world.ts';

const COMES_BACK_MS = 3000;

export class AgentUsers {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** A user who finds no owner tries again. */
  act(act: AgentAct): void {
    const { owner } = this.#world;
    if (owner === undefined) this.#world.clock.after(COMES_BACK_MS, () => this.act(act));
    else void this.#taken(this.#do(act, owner));
  }

  /** Dismisses the agents without a parent; their children must follow. */
  async letAllGo(): Promise<void> {
    const api = this.#world.owner?.agents?.api;
    for (const { run, parent, ended } of api?.list() ?? [])
      if (parent === null && !ended) await this.#taken(this.#dismiss(run));
  }

  /** A refusal is an answer. Anything else that is thrown is a bug of the product. */
  async #taken(request: Promise<void>): Promise<void> {
    const life = this.#world.owner?.life;
    try {
      await request;
    } catch (error) {
      if (isRefusal(error) || life?.isSuperseded === true) this.#world.remark('agent-refuse');
      else this.#world.defect(error);
    }
  }

  async #do(act: AgentAct, owner: Owner): Promise<void> {
    const { facts, folders } = this.#world;
    if (act.kind === 'item') return folders.lay(`${act.project}/${QUEUE}/${act.name}`, act.name);
    const api = owner.agents?.api;
    if (api === undefined) return;
    if (act.kind === 'declare') {
      await api.declare(act.project);
      return;
    }
    if (act.kind === 'summon') {
      const { project } = act.request;
      const there = api.list(project);
      const parent = act.under === null ? undefined : there[act.under % there.length]?.run;
      const { run } = await api.spawn({
        ...act.request,
        ...(parent === undefined ? {} : { parent }),
      });
      this.#acknowledge({ kind: 'started', run });
      return;
    }
    const { agents } = facts;
    const run = agents[act.nth % agents.length];
    if (run === undefined) return;
    switch (act.kind) {
      case 'send':
        await api.send(run, act.text);
        this.#acknowledge({ kind: 'signalled', run, signal: 'message' });
        return;
      case 'urge':
        await owner.engine?.signal(run as RunId, {
          kind: 'message',
          from: 'a monitor',
          text: act.text,
          urgent: true,
        });
        this.#acknowledge({ kind: 'signalled', run, signal: 'message' });
        return;
      case 'issue':
        await owner.engine?.signal(run as RunId, {
          kind: 'issue',
          issue: { kind: act.about, what: `it is ${act.about}`, choices: ['continue', 'dismiss'] },
        });
        this.#acknowledge({ kind: 'signalled', run, signal: 'issue' });
        return;
      case 'reject':
        await api.reject(run, 'this is not it');
        this.#acknowledge({ kind: 'signalled', run, signal: 'trigger' });
        return;
      case 'kill':
        await owner.engine?.signal(run as RunId, { kind: 'kill' });
        this.#acknowledge({ kind: 'signalled', run, signal: 'kill' });
        return;
      case 'let-go':
        return this.#dismiss(run);
    }
  }

  async #dismiss(run: string): Promise<void> {
    await this.#world.owner?.agents?.api.dismiss(run);
    this.#acknowledge({ kind: 'signalled', run, signal: 'dismiss' });
  }

  #acknowledge(
    ack:
      | { readonly kind: 'started'; readonly run: string }
      | { readonly kind: 'signalled'; readonly run: string; readonly signal: string },
  ): void {
    this.#world.acks.push({ ...ack, facts: this.#world.disk.events.length });
  }
}
