/**
 * The demo. First one task, and everything goes wrong: an agent hits a rate limit and the next agent continues its
 * work. The owner is killed with -9 and the run continues. An agent says "done" too early, and a gate finds out.
 * On a terminal the viewer causes the trouble. Then a workflow that the viewer approves, a feature whose
 * components meet in a conflict, and a long-lived agent.
 */
import { isRefusal } from '../../base/errors.ts';
import { parseJson, isRecord } from '../../base/json.ts';
import type { Client } from '../../client/client.ts';
import { isAlive, processTable } from '../../host/process/process-table.ts';
import type { ProcessId } from '../../host/process/process-table.ts';
import { fitLines } from '../../host/output/fit-lines.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { isRunEvent } from '../../protocol/streams.ts';
import { paint, printable } from '../cli-context.ts';
import type { Keys } from './keys.ts';
import type { PrintLine } from './agent-scene.ts';
import { playAgentScene } from './agent-scene.ts';
import type { DemoEnvironment, DemoPlan, DemoTrouble } from './demo-environment.ts';
import { FeatureScene } from './feature-scene.ts';
import { Silence } from './silence.ts';
import { narrateEnd, narrateEvent } from './narrate.ts';
import type { Decision } from './workflow-scene.ts';
import { askViewer, KEY_MS_MAX, WorkflowScene } from './workflow-scene.ts';

/** How the viewer takes part. */
export type DemoViewer = Pick<Keys, 'isThere' | 'pressed' | 'on'>;

const LOOK_MS = 20;
const GONE_MS_MAX = 10_000;
/** The longest wait of the story is the one for a key of the viewer. */
const SILENCE_MS_MAX = KEY_MS_MAX + 60_000;
/** Without a terminal, which has a width of its own. */
const COLUMNS = 80;

/** The keys that a viewer can press, and the trouble that each one causes. */
const TROUBLES: readonly (readonly [key: string, trouble: DemoTrouble, text: string])[] = [
  ['l', 'limit', 'rate limit: the provider now answers 429'],
  ['o', 'memory', 'the agent runs out of memory'],
  ['d', 'lie', 'the agent now says "done", and lies'],
  ['n', 'network', 'the network is down'],
];

/** What goes wrong by itself, and after which part of the steps. */
const SCRIPT = [
  [0.25, 'limit'],
  [0.5, 'kill'],
  [0.75, 'lie'],
] as const;

/** The same story with few steps and with many. */
export function demoPlan(steps: number): DemoPlan {
  return SCRIPT.map(([part, what]) => [Math.round(steps * part), what]);
}

export class DemoScript {
  readonly #environment: DemoEnvironment;
  readonly #viewer: DemoViewer;
  readonly #startedAt: number;
  readonly #silence: Silence;
  /** Lines that were shown. After a kill, the new stream repeats the output of the first attempt. */
  readonly #shown = new Set<string>();
  readonly #due: DemoPlan[number][];
  #kills = 0;
  #troubles = 0;
  /** From the first key on, only the viewer causes trouble. */
  #isTaken = false;
  #isOver = false;
  #run = '';
  #seen = 0;
  #agent: ProcessId | undefined;

  constructor(environment: DemoEnvironment, viewer: DemoViewer) {
    this.#environment = environment;
    this.#viewer = viewer;
    // A viewer who presses no key sees the story that the README tells.
    this.#due = [...demoPlan(environment.steps)];
    if (!viewer.isThere) environment.plan(this.#due);
    this.#startedAt = environment.context.clock.now();
    this.#silence = new Silence(environment.context.clock, SILENCE_MS_MAX);
  }

  /** Plays the demo to its end. Resolves with true if it ended as expected. */
  async play(): Promise<boolean> {
    const over = new AbortController();
    const story = await Promise.race([this.#tell(), this.#silence.tooLong(over.signal)]);
    over.abort();
    if (typeof story === 'boolean') return story;
    const seconds = SILENCE_MS_MAX / 1000;
    this.#print('', 'red', `nothing has happened for ${seconds} s, so the demo ends here`);
    return false;
  }

  async #tell(): Promise<boolean> {
    await this.#environment.prepare();
    this.#title('One task, and everything goes wrong. Nothing may be lost.');
    let client = await this.#environment.client();
    this.#print(
      'owner',
      'dim',
      `the owner runs in the background (pid ${await this.#environment.ownerPid()})`,
    );
    const view = await client.submit({
      task: `Write ${this.#environment.steps} steps into WORK.md.`,
      project: this.#environment.project,
      chain: [...this.#environment.agents],
      unsafe: true, // the scripted agents are part of this package and need no sandbox
    });
    this.#run = view.id;
    this.#print('you', 'bold', `supervisor run "${view.task}" --gate …`);
    if (this.#viewer.isThere) this.#invite();

    while ((await this.#watchOrKill(client)) === 'killed') {
      client = await this.#environment.client();
      this.#print('you', 'bold', `supervisor resume ${this.#run}`);
      const pid = await this.#environment.ownerPid();
      this.#print('owner', 'dim', `a new owner (pid ${pid}) reads the journal and resumes the run`);
    }
    this.#isOver = true;
    const history = (await client.events({ run: this.#run })).filter(isRunEvent);
    const hasAllSteps = narrateEnd(this.#environment, history, {
      kills: this.#kills,
      troubles: this.#troubles,
    });
    const print: PrintLine = (...line) => this.#print(...line);
    this.#title('A workflow: its gate is red, the agent reads why, and you approve the commit.');
    const decide = (): Promise<Decision> =>
      askViewer(this.#viewer, this.#environment.context, print);
    const isAsDecided = await new WorkflowScene(this.#environment, client, print, decide).play();
    this.#title('A feature: two components side by side. They change the same line.');
    const hasLanded = await new FeatureScene(this.#environment, client, print).play();
    this.#title('A long-lived agent: it crashes, and its supervisor restarts it.');
    const isAgentDone = await playAgentScene(this.#environment, client, print);
    return hasAllSteps && isAsDecided && hasLanded && isAgentDone;
  }

  /** Each key can be pressed any number of times. */
  #invite(): void {
    const keys = TROUBLES.map(([key, trouble]) => `${key} ${trouble}`).join(', ');
    this.#print(
      '',
      'yellow',
      'it breaks by itself. Or break it as often as you like. Press a key:',
    );
    this.#print('', 'yellow', `k kill -9, ${keys}`);
    this.#viewer.on('k', () => (this.#isTaken = true));
    for (const [key, trouble, text] of TROUBLES)
      this.#viewer.on(key, () => {
        this.#isTaken = true;
        this.#cause(trouble, text);
      });
  }

  #cause(trouble: DemoTrouble, text: string): void {
    if (this.#isOver) return; // no agent is left that it could hit
    this.#troubles += 1;
    if (this.#viewer.isThere) this.#environment.cause(trouble);
    this.#print(this.#isTaken ? 'you' : 'demo', 'red', text);
  }

  /** Watches the run until it ends, or until the viewer or the script kills the owner. */
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

  /** Causes the trouble that is due at each step. Resolves when the owner has to be killed. */
  async #breakThings(over: AbortSignal): Promise<void> {
    const { clock } = this.#environment.context;
    while (await clock.sleep(LOOK_MS, over)) {
      const [due] = this.#due;
      if (due === undefined || this.#environment.work().length < due[0]) continue;
      this.#due.shift();
      const [, what] = due;
      if (this.#isTaken) continue;
      if (what === 'kill') return;
      this.#cause(what, TROUBLES.find(([, trouble]) => trouble === what)?.[2] ?? what);
    }
    return new Promise(() => {}); // the run has ended, or the viewer has killed the owner
  }

  async #killOwner(pid: number | undefined): Promise<void> {
    if (pid === undefined) return;
    this.#kills += 1;
    process.kill(pid, 'SIGKILL');
    const done = `${this.#environment.work().length} of ${this.#environment.steps} steps are on disk`;
    this.#print('kill', 'red', `kill -9 ${pid}: the owner is dead, ${done}`);
    if (this.#agent !== undefined) await this.#waitForDeath(this.#agent);
    // The agent that waited for this is gone, and the next one may continue.
    if (!this.#viewer.isThere) this.#environment.plan(this.#due);
  }

  async #waitForDeath(agent: ProcessId): Promise<void> {
    const { clock } = this.#environment.context;
    const deadlineMs = clock.elapsedMs() + GONE_MS_MAX;
    while (isAlive(agent) && clock.elapsedMs() < deadlineMs) await clock.sleep(LOOK_MS);
    const fate = isAlive(agent) ? 'is still alive!' : 'was killed too: nothing runs unwatched';
    this.#print('', 'red', `its agent (pid ${agent.pid}) ${fate}`);
  }

  /** Shows events and output as they come, until the run or the owner ends. */
  async #watch(client: Client): Promise<void> {
    const left = new AbortController();
    const output = this.#showOutput(client, left.signal);
    try {
      for await (const event of client.followRun(this.#run, this.#seen)) {
        this.#seen = event.seq;
        if (event.type === 'run.ended') await output;
        await this.#show(event);
      }
    } catch (error) {
      if (!isRefusal(error, 'owner.unreachable')) throw error;
    } finally {
      left.abort();
      await output;
    }
  }

  async #showOutput(client: Client, signal: AbortSignal): Promise<void> {
    try {
      for await (const { text, key } of client.output.raw(this.#run, { follow: true }, signal)) {
        for (const line of text.split('\n')) {
          const event = parseJson(line);
          if (!isRecord(event) || event['type'] !== 'text' || this.#shown.has(key + line)) continue;
          this.#shown.add(key + line);
          this.#print('agent', 'cyan', printable(String(event['text'])));
        }
      }
    } catch (error) {
      if (!isRefusal(error, 'owner.unreachable')) throw error;
    }
  }

  async #show(event: RunEvent): Promise<void> {
    if (event.type === 'command.noted' && event.payload.note.kind === 'started') {
      const started = event.payload.note.pid;
      const rows = await processTable.rows();
      this.#agent = rows.find(({ pid }) => pid === started) ?? this.#agent;
    }
    const line = narrateEvent(event);
    if (line !== undefined) this.#print('owner', line[0], printable(line[1]));
  }

  #title(text: string): void {
    const { context } = this.#environment;
    context.out(`\n${paint(context, 'bold', text)}\n`);
  }

  #print(who: string, style: Parameters<typeof paint>[1], text: string): void {
    this.#silence.heard();
    const { context } = this.#environment;
    const when = `${((context.clock.now() - this.#startedAt) / 1000).toFixed(1)}s`.padStart(6);
    const line = `${paint(context, 'dim', when)}  ${who.padEnd(6)} ${paint(context, style, text)}\n`;
    context.out(context.terminal.isTty ? line : fitLines(line, COLUMNS));
  }
}
