/**
 * The third scene: a feature of three components. Two are built side by side and change the same line, so the merge queue
 * gives one of them back. The graph shows each change.
 */
import type { Client } from '../../client/client.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { PrintLine } from './agent-scene.ts';
import type { DemoEnvironment } from './demo-environment.ts';
import { DEMO_FEATURE, readSubjects } from './demo-repository.ts';

/** By what a component does: its sign in the graph. */
const SIGNS = { waits: '○', works: '●', merges: '◐', again: '↺', landed: '✔' } as const;
type Sign = keyof typeof SIGNS;

const NAMES: Readonly<Record<string, string>> = {
  'p1t1-ph1-c1': 'body',
  'p1t1-ph1-c2': 'lid',
  'p1t1-ph2-c1': 'handle',
};
const KEY = /^([a-z]+)-(p\d+t\d+-ph\d+-c\d+)-/;

export class FeatureScene {
  readonly #environment: DemoEnvironment;
  readonly #client: Client;
  readonly #print: PrintLine;
  readonly #signs = new Map<string, Sign>(Object.keys(NAMES).map((id) => [id, 'waits']));
  #drawn = '';

  constructor(environment: DemoEnvironment, client: Client, print: PrintLine) {
    this.#environment = environment;
    this.#client = client;
    this.#print = print;
  }

  /** Plays the scene to its end. Resolves with true if all three have landed, one after a conflict. */
  async play(): Promise<boolean> {
    const { repository, featureAgent } = this.#environment;
    const { id } = await this.#client.startFeature({
      ...{ project: repository, capacity: 2, agent: featureAgent, set: [] },
      file: { name: 'kettle.yaml', text: DEMO_FEATURE },
      unsafe: true, // the scripted agent is part of this package and needs no sandbox
    });
    this.#print('you', 'bold', 'supervisor feature start kettle.yaml --capacity 2');
    let conflicts = 0;
    for await (const event of this.#client.followRun(id, 0)) {
      if (this.#show(event) === 'conflict') conflicts += 1;
      if (event.type === 'run.ended') {
        const { kind, reason } = event.payload.outcome;
        this.#print('owner', kind === 'succeeded' ? 'green' : 'red', `${kind}: ${reason}`);
      }
    }
    const { branch, landed } = await this.#client.feature(id);
    const subjects = landed.length > 0 ? readSubjects(repository, branch) : [];
    this.#print('you', 'bold', `git log --reverse --format=%s HEAD..${branch}`);
    for (const subject of subjects) this.#print('', 'dim', subject);
    return subjects.length === this.#signs.size && conflicts > 0;
  }

  #show(event: RunEvent): 'conflict' | undefined {
    if (event.type !== 'command.begun' && event.type !== 'command.ended') return undefined;
    const { payload } = event;
    const [, , id = ''] = KEY.exec(payload.key) ?? [];
    if (!this.#signs.has(id)) return undefined;
    if (event.type === 'command.begun') {
      if (payload.command === 'run') this.#draw(id, 'works');
      if (payload.command === 'merge-work') this.#draw(id, 'merges');
      return undefined;
    }
    const { end, command } = event.payload;
    if (end.kind !== 'done') return undefined;
    if (command === 'commit-work' && end.result.kind === 'committed') this.#draw(id, 'landed');
    if (command !== 'merge-work' || end.result.kind !== 'conflict') return undefined;
    const files = end.result.files.join(', ');
    const text = `conflict in ${files}: its component starts again from there`;
    this.#print('owner', 'yellow', text);
    this.#draw(id, 'again');
    return 'conflict';
  }

  #draw(id: string, sign: Sign): void {
    this.#signs.set(id, sign);
    const [body, lid, handle] = [...this.#signs].map(
      ([key, own]) => `${SIGNS[own]} ${NAMES[key] ?? key}`,
    );
    const graph = `${body}  ${lid}  ─▶  ${handle}`;
    if (graph === this.#drawn) return;
    this.#drawn = graph;
    this.#print('graph', 'cyan', graph);
  }
}
