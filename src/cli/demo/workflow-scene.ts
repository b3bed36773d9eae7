/**
 * The second scene: a workflow. Its gate is red once, the agent reads why, and a person approves the commit by a key.
 */
import { isRecord, parseJson } from '../../base/json.ts';
import type { Client } from '../../client/client.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { ApprovalSubject } from '../../protocol/contracts/workflow-contract.ts';
import type { CliContext } from '../cli-context.ts';
import { printable } from '../cli-context.ts';
import type { PrintLine } from './agent-scene.ts';
import type { DemoEnvironment } from './demo-environment.ts';
import { DEMO_WORKFLOW, readCommit } from './demo-repository.ts';
import type { Keys } from './keys.ts';
import { narrateEvent } from './narrate.ts';

/** How long the demo waits for a key. Nothing is approved because time has passed. */
export const KEY_MS_MAX = 60_000;

export type Decision = 'approve' | 'reject' | 'none';

/** What the viewer presses. Without a keyboard the demo presses the key itself, and says so. */
export async function askViewer(
  viewer: Pick<Keys, 'isThere' | 'pressed'>,
  { clock }: Pick<CliContext, 'clock'>,
  print: PrintLine,
  waitMs = KEY_MS_MAX,
): Promise<Decision> {
  if (!viewer.isThere) {
    print('', 'yellow', 'this is no terminal, so the demo presses the key a itself');
    return 'approve';
  }
  const seconds = Math.round(waitMs / 1000);
  print('', 'yellow', `press a to approve it, or r to reject it (within ${seconds} s)`);
  const over = new AbortController();
  const decision = await Promise.race([
    viewer.pressed('a').then(() => 'approve' as const),
    viewer.pressed('r').then(() => 'reject' as const),
    clock.sleep(waitMs, over.signal).then(() => 'none' as const),
  ]);
  over.abort();
  return decision;
}

/** Plays the scene to its end. Resolves with true if it ended as the viewer decided. */
export class WorkflowScene {
  readonly #environment: DemoEnvironment;
  readonly #client: Client;
  readonly #print: PrintLine;
  readonly #decide: () => Promise<Decision>;
  #run = '';
  #decision: Decision = 'none';
  /** The branch of the commit. Null: there is no commit. */
  #branch: string | null = null;

  constructor(
    environment: DemoEnvironment,
    client: Client,
    print: PrintLine,
    decide: () => Promise<Decision>,
  ) {
    this.#environment = environment;
    this.#client = client;
    this.#print = print;
    this.#decide = decide;
  }

  async play(): Promise<boolean> {
    const { repository, workflowAgent } = this.#environment;
    const { id, task } = await this.#client.submit({
      task: 'Add a sum.',
      project: repository,
      workflow: DEMO_WORKFLOW,
      agent: workflowAgent,
      unsafe: true, // the scripted agent is part of this package and needs no sandbox
    });
    this.#run = id;
    this.#print('you', 'bold', `supervisor run "${task}" --workflow ${DEMO_WORKFLOW}`);
    for await (const event of this.#client.followRun(id, 0)) await this.#show(event);
    return (this.#branch !== null) === (this.#decision === 'approve');
  }

  async #show(event: RunEvent): Promise<void> {
    if (event.type === 'command.begun') {
      const { command, input } = event.payload;
      if (command === 'prepare-step') this.#print('owner', 'dim', `step ${input.step} begins`);
      if (command === 'run') await this.#followStep(input.run);
      if (command === 'ask') await this.#answer(input.approval);
      return;
    }
    if (event.type === 'run.ended') this.#showEnd(event.payload.outcome);
    if (event.type !== 'command.ended' || event.payload.end.kind !== 'done') return;
    const { command, end } = event.payload;
    if (command === 'commit-work' && end.result.kind === 'committed')
      this.#branch = end.result.branch;
    const line = command === 'gate' ? narrateEvent(event) : undefined;
    if (line !== undefined) this.#print('owner', line[0], `step check: ${printable(line[1])}`);
  }

  /** The run of a step: what its agent says, and what the gate says about it. */
  async #followStep(run: string): Promise<void> {
    let shown = 0;
    for await (const event of this.#client.followRun(run, 0)) {
      if (event.type === 'run.ended') return;
      const hasSpoken = event.type === 'command.ended' && event.payload.command === 'attempt';
      if (hasSpoken) shown = await this.#showWords(run, shown);
      else this.#narrate(event);
    }
  }

  /** Prints what the agents have said since, and returns how much they have said in all. */
  async #showWords(run: string, shown: number): Promise<number> {
    const said: string[] = [];
    for await (const { text } of this.#client.output.raw(run, {}))
      for (const line of text.split('\n')) {
        const event = parseJson(line);
        if (isRecord(event) && event['type'] === 'text') said.push(String(event['text']));
      }
    for (const text of said.slice(shown)) this.#print('agent', 'cyan', printable(text));
    return said.length;
  }

  async #answer(approval: ApprovalSubject | undefined): Promise<void> {
    if (approval === undefined) {
      await this.#client.signal(this.#run, { kind: 'stop' }); // a step needs help, which is not in the story
      return;
    }
    const { step, needs } = approval;
    const risk = needs === undefined ? '' : `${needs.tier}: ${needs.reasons.join('; ')}`;
    this.#print('owner', 'yellow', `step ${step} waits for your approval`);
    this.#print('', 'dim', `risk ${risk}`);
    this.#print('you', 'bold', `supervisor diff ${this.#run}`);
    const { text } = await this.#client.diff(this.#run);
    for (const line of printable(text).split('\n'))
      if (/^\+(?!\+)/.test(line)) this.#print('', 'green', line);
    this.#decision = await this.#decide();
    await this.#send(this.#decision);
  }

  async #send(decision: Decision): Promise<void> {
    if (decision === 'none') {
      this.#print('', 'yellow', 'no key was pressed: nothing is approved by itself');
      this.#print('you', 'bold', `supervisor stop ${this.#run}`);
      await this.#client.signal(this.#run, { kind: 'stop' });
      return;
    }
    const reason = decision === 'reject' ? { text: 'not now' } : {};
    const words = decision === 'reject' ? ' --reason "not now"' : '';
    this.#print('you', 'bold', `supervisor ${decision} ${this.#run}${words}`);
    await this.#client.decide(this.#run, { decision, ...reason, channel: 'terminal' });
  }

  #showEnd({ kind }: RunOutcome): void {
    const branch = this.#branch;
    if (branch === null) {
      this.#print('owner', 'yellow', `${kind}: there is no commit`);
      return;
    }
    this.#print('owner', 'green', `${kind}: committed on ${branch}`);
    this.#print('you', 'bold', `git log -1 ${branch}`);
    const { repository } = this.#environment;
    for (const line of readCommit(repository, branch)) this.#print('', 'green', printable(line));
  }

  #narrate(event: RunEvent): void {
    const line = narrateEvent(event);
    if (line !== undefined) this.#print('owner', line[0], printable(line[1]));
  }
}
