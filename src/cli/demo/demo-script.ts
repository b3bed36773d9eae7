/**
 * The main job as a short live story: one task, and everything goes wrong. A limit hits an agent and
 * the next one goes on with its work, the owner is killed with -9 and the run goes on all the same, an
 * agent says "done" and lies and a gate finds out. On a terminal the viewer does the breaking.
 */
import { isRefusal } from '../../base/errors.ts';
import { parseJson, isRecord } from '../../base/json.ts';
import type { Client } from '../../client/client.ts';
import { isAlive, processTable } from '../../host/process/process-table.ts';
import type { ProcessId } from '../../host/process/process-table.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { isRunEvent } from '../../protocol/event.ts';
import { paint, printable } from '../cli-context.ts';
import type { Keys } from './keys.ts';
import { playAgentScene } from './agent-scene.ts';
import type { DemoEnvironment, DemoTrouble } from './demo-environment.ts';
import { narrateEnd, narrateEvent } from './narrate.ts';

/** How the viewer takes part. */
export type DemoViewer = Pick<Keys, 'isThere' | 'pressed' | 'on'>;

const LOOK_MS = 20;
const GONE_MS_MAX = 10_000;

/** What a viewer can press, and what that is in words. */
const TROUBLES: readonly (readonly [key: string, trouble: DemoTrouble, words: string])[] = [
  ['l', 'limit', 'a limit: the provider says 429'],
  ['o', 'memory', 'out of memory'],
  ['d', 'lie', 'it will say "done" now, and lie'],
  ['n', 'network', 'the network is gone'],
];

/** Without a viewer: what goes wrong, and after how many steps. */
const SCRIPT: readonly (readonly [steps: number, what: DemoTrouble | 'kill'])[] = [
  [2, 'limit'],
  [4, 'kill'],
  [6, 'lie'],
];

export class DemoScript {
  readonly #environment: DemoEnvironment;
  readonly #viewer: DemoViewer;
  readonly #startedAt: number;
  /** Words that were shown; the second watch hears the first attempt again. */
  readonly #told = new Set<string>();
  readonly #due: (typeof SCRIPT)[number][];
  #kills = 0;
  #troubles = 0;
  #run = '';
  #seen = 0;
  #agent: ProcessId | undefined;

  constructor(environment: DemoEnvironment, viewer: DemoViewer) {
    this.#environment = environment;
    this.#viewer = viewer;
    // A viewer who only watches sees at least one thing go wrong.
    this.#due = viewer.isThere ? [[environment.steps - 4, 'kill']] : [...SCRIPT];
    this.#startedAt = environment.context.clock.now();
  }

  /** Plays it to its end; resolves true when it ended as it should. */
  async play(): Promise<boolean> {
    let client = await this.#environment.client();
    this.#say(
      'owner',
      'dim',
      `an owner is up in the background (pid ${await this.#environment.ownerPid()})`,
    );
    const view = await client.submit({
      task: `Write ${this.#environment.steps} steps into WORK.md.`,
      project: this.#environment.project,
      chain: [...this.#environment.agents],
      unsafe: true, // these agents are our own: they need no walls
    });
    this.#run = view.id;
    this.#say('you', 'bold', `supervisor run "${view.task}" --gate …  → run ${view.id}`);
    if (this.#viewer.isThere) this.#invite();

    while ((await this.#watchOrKill(client)) === 'killed') {
      client = await this.#environment.client();
      this.#say('you', 'bold', `supervisor resume ${this.#run}`);
      const pid = await this.#environment.ownerPid();
      this.#say('owner', 'dim', `a new owner is up (pid ${pid}) and reads the journal`);
    }
    const history = (await client.events({ run: this.#run })).filter(isRunEvent);
    const lived = await playAgentScene(this.#environment, client, (...words) =>
      this.#say(...words),
    );
    const isGood = narrateEnd(this.#environment, history, {
      kills: this.#kills,
      troubles: this.#troubles,
    });
    return lived && isGood;
  }

  /** Every key works as often as the viewer likes. */
  #invite(): void {
    const keys = TROUBLES.map(([key, trouble]) => `${key} ${trouble}`).join(', ');
    this.#say('', 'yellow', `break it, as often as you like: k kill -9, ${keys}`);
    for (const [key, trouble, words] of TROUBLES)
      this.#viewer.on(key, () => this.#cause(trouble, words));
  }

  #cause(trouble: DemoTrouble, words: string): void {
    this.#troubles += 1;
    this.#environment.cause(trouble);
    this.#say('you', 'red', words);
  }

  /** Watches the run until it ends, or until the owner is killed: by the viewer, or once by ourselves. */
  async #watchOrKill(client: Client): Promise<'ended' | 'killed'> {
    const pid = await this.#environment.ownerPid();
    const over = new AbortController();
    const watched = this.#watch(client);
    const first = await Promise.race([
      watched.then(() => 'ended' as const),
      this.#viewer.pressed('k'),
      this.#breakThings(over.signal),
    ]);
    over.abort();
    if (first === 'ended') return 'ended';
    await this.#killOwner(pid);
    await watched;
    return 'killed';
  }

  /** Does what is due at each step; resolves when the owner is to be killed. */
  async #breakThings(over: AbortSignal): Promise<void> {
    const { clock } = this.#environment.context;
    while (await clock.sleep(LOOK_MS, over)) {
      const [due] = this.#due;
      if (due === undefined || this.#environment.work().length < due[0]) continue;
      this.#due.shift();
      const [, what] = due;
      if (this.#viewer.isThere && this.#kills + this.#troubles > 0) continue;
      if (what === 'kill') return;
      this.#cause(what, TROUBLES.find(([, trouble]) => trouble === what)?.[2] ?? what);
    }
    return new Promise(() => {}); // it is over for another reason
  }

  async #killOwner(pid: number | undefined): Promise<void> {
    if (pid === undefined) return;
    this.#kills += 1;
    process.kill(pid, 'SIGKILL');
    const done = `${this.#environment.work().length} of ${this.#environment.steps} steps are on the disk`;
    this.#say('kill', 'red', `kill -9 ${pid}: the owner is dead, ${done}`);
    const agent = this.#agent;
    if (agent === undefined) return;
    const { clock } = this.#environment.context;
    const deadlineMs = clock.elapsedMs() + GONE_MS_MAX;
    while (isAlive(agent) && clock.elapsedMs() < deadlineMs) await clock.sleep(LOOK_MS);
    const fate = isAlive(agent) ? 'is still alive!' : 'is gone too: nothing runs unwatched';
    this.#say('', 'red', `its agent (pid ${agent.pid}) ${fate}`);
  }

  /** Shows facts and words as they come, until the run ends or the owner does. */
  async #watch(client: Client): Promise<void> {
    const left = new AbortController();
    const words = this.#listen(client, left.signal);
    try {
      for await (const event of client.followRun(this.#run, this.#seen)) {
        this.#seen = event.seq;
        if (event.type === 'run.ended') await words;
        await this.#show(event);
      }
    } catch (error) {
      if (!isRefusal(error, 'owner.unreachable')) throw error;
    } finally {
      left.abort();
      await words;
    }
  }

  async #listen(client: Client, signal: AbortSignal): Promise<void> {
    try {
      for await (const { text, key } of client.output(this.#run, { follow: true }, signal)) {
        for (const line of text.split('\n')) {
          const event = parseJson(line);
          if (!isRecord(event) || event['type'] !== 'text' || this.#told.has(key + line)) continue;
          this.#told.add(key + line);
          this.#say('agent', 'cyan', printable(String(event['text'])));
        }
      }
    } catch (error) {
      if (!isRefusal(error, 'owner.unreachable')) throw error;
    }
  }

  async #show(event: RunEvent): Promise<void> {
    if (event.type === 'command.noted') {
      const rows = await processTable.rows();
      this.#agent = rows.find(({ pid }) => pid === event.payload.note['pid']) ?? this.#agent;
    }
    const words = narrateEvent(event);
    if (words !== undefined) this.#say('owner', words[0], printable(words[1]));
  }

  #say(who: string, style: Parameters<typeof paint>[1], words: string): void {
    const { context } = this.#environment;
    const when = `${((context.clock.now() - this.#startedAt) / 1000).toFixed(1)}s`.padStart(6);
    context.out(
      `${paint(context, 'dim', when)}  ${who.padEnd(6)} ${paint(context, style, words)}\n`,
    );
  }
}
