/**
 * The main job as a short live story: one task, an owner that is killed with -9 in the middle of it,
 * and the run that goes on all the same. On a terminal the viewer does the killing.
 */
import { isRefusal } from '../../base/errors.ts';
import { parseJson, isRecord } from '../../base/json.ts';
import type { Client } from '../../client/client.ts';
import { isAlive, processTable } from '../../host/process-table.ts';
import type { ProcessId } from '../../host/process-table.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { paint, printable } from '../face.ts';
import type { Stage } from './stage.ts';

/** How the viewer takes part: resolves when they press the key, or never. */
export type Viewer = { readonly isThere: boolean; pressed(key: string): Promise<void> };

const LOOK_MS = 20;
const GONE_MS_MAX = 10_000;

export class Story {
  readonly #stage: Stage;
  readonly #viewer: Viewer;
  readonly #startedAt: number;
  /** Words that were shown; the second watch hears the first attempt again. */
  readonly #told = new Set<string>();
  #kills = 0;
  #run = '';
  #seen = 0;
  #agent: ProcessId | undefined;

  constructor(stage: Stage, viewer: Viewer) {
    this.#stage = stage;
    this.#viewer = viewer;
    this.#startedAt = stage.face.clock.now();
  }

  /** Plays it to its end; resolves true when it ended as it should. */
  async play(): Promise<boolean> {
    let client = await this.#stage.client();
    this.#say(
      'owner',
      'dim',
      `an owner is up in the background (pid ${await this.#stage.ownerPid()})`,
    );
    const view = await client.submit({
      task: `Write ${this.#stage.steps} steps into WORK.md.`,
      project: this.#stage.project,
      agent: 'worker',
    });
    this.#run = view.id;
    this.#say('you', 'bold', `supervisor run "${view.task}"  → run ${view.id}`);
    if (this.#viewer.isThere)
      this.#say('', 'yellow', 'press k to kill -9 the owner, as often as you like');

    while ((await this.#watchOrKill(client)) === 'killed') {
      client = await this.#stage.client();
      this.#say('you', 'bold', `supervisor resume ${this.#run}`);
      const pid = await this.#stage.ownerPid();
      this.#say('owner', 'dim', `a new owner is up (pid ${pid}) and reads the journal`);
    }
    return this.#tell(await client.events({ run: this.#run }));
  }

  /** Watches the run until it ends, or until the owner is killed: by the viewer, or once by ourselves. */
  async #watchOrKill(client: Client): Promise<'ended' | 'killed'> {
    const pid = await this.#stage.ownerPid();
    const watched = this.#watch(client);
    const first = await Promise.race([
      watched.then(() => 'ended' as const),
      this.#viewer.pressed('k'),
      ...(this.#kills === 0 ? [this.#workIsUnderWay()] : []),
    ]);
    if (first === 'ended') return 'ended';
    await this.#killOwner(pid);
    await watched;
    return 'killed';
  }

  /** A viewer gets longer to find the key, but a story without a kill would be none. */
  async #workIsUnderWay(): Promise<void> {
    const enough = this.#viewer.isThere ? this.#stage.steps - 4 : 3;
    while (this.#stage.work().length < enough) await this.#stage.face.clock.sleep(LOOK_MS);
  }

  async #killOwner(pid: number | undefined): Promise<void> {
    if (pid === undefined) return;
    this.#kills += 1;
    process.kill(pid, 'SIGKILL');
    const done = `${this.#stage.work().length} of ${this.#stage.steps} steps are on the disk`;
    this.#say('kill', 'red', `kill -9 ${pid}: the owner is dead, ${done}`);
    const agent = this.#agent;
    if (agent === undefined) return;
    const { clock } = this.#stage.face;
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
      for await (const { text, key } of client.output(this.#run, true, signal)) {
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

  async #show(event: StoredEvent): Promise<void> {
    if (event.type === 'command.begun') this.#say('owner', 'dim', `${event.payload.key} begins`);
    if (event.type === 'command.noted') {
      const rows = await processTable.rows();
      this.#agent = rows.find(({ pid }) => pid === event.payload.note['pid']);
    }
    if (event.type === 'command.ended' && event.payload.end.kind === 'lost') {
      this.#say(
        'owner',
        'yellow',
        `${event.payload.key} began and never ended: it was lost with its owner`,
      );
    }
    if (event.type === 'run.ended') {
      const { kind, reason } = event.payload.outcome;
      this.#say('owner', 'green', `${kind}: ${reason}`);
    }
  }

  #tell(history: readonly StoredEvent[]): boolean {
    const { face } = this.#stage;
    const steps = this.#stage.work();
    const twice = steps.length - new Set(steps).size;
    face.out(`\n${paint(face, 'bold', 'What is on the disk')}  WORK.md\n`);
    for (const step of steps) face.out(paint(face, 'green', `  + ${step}\n`));
    face.out(`\n${paint(face, 'bold', 'What the journal says')}\n`);
    for (const event of history) face.out(`  ${String(event.seq).padStart(2)}  ${fact(event)}\n`);
    const lost = history.filter(
      (event) => event.type === 'command.ended' && event.payload.end.kind === 'lost',
    );
    const whole = steps.length === this.#stage.steps && twice === 0;
    const good = whole && lost.length > 0 && history.at(-1)?.type === 'run.ended';
    const kills = this.#kills === 1 ? 'one kill -9' : `${this.#kills} kill -9`;
    const verdict = good
      ? `${steps.length} steps, none lost, none done twice, across ${kills}.`
      : `This is not how it should end: ${steps.length} steps, ${twice} done twice.`;
    face.out(`\n${paint(face, good ? 'green' : 'red', verdict)}\n`);
    return good;
  }

  #say(who: string, style: Parameters<typeof paint>[1], words: string): void {
    const { face } = this.#stage;
    const when = `${((face.clock.now() - this.#startedAt) / 1000).toFixed(1)}s`.padStart(6);
    face.out(`${paint(face, 'dim', when)}  ${who.padEnd(6)} ${paint(face, style, words)}\n`);
  }
}

function fact(event: StoredEvent): string {
  const more =
    event.type === 'command.ended'
      ? `${event.payload.key} ${event.payload.end.kind}`
      : 'key' in event.payload
        ? event.payload.key
        : '';
  return `${event.type.padEnd(16)} ${more}`;
}
