/**
 * Decides which outputs and trees of a long-lived agent belong to lives that ended long ago. It is
 * pure: facts in, names out. The newest lives stay, for `logs` and `why`. Anything that may still
 * be in use stays too.
 */
import type { CommandBegun } from '../../protocol/commands.ts';
import type { RunEvent } from '../../protocol/event.ts';

/** The current life and this many lives before it are kept. */
const EARLIER_LIVES_KEPT = 2;

export type EarlierLives = {
  /** The file name prefixes of commands whose output can be removed. */
  readonly stems: ReadonlySet<string>;
  /** Trees with a smaller number belong only to these lives. */
  readonly treesBelow: number;
  /** The number of these lives. */
  readonly lives: number;
};

/** The name prefix of a file with output of a command. Undefined for any other file. */
export function stemOfFile(name: string): string | undefined {
  return /^([a-z0-9][a-z0-9-]*)-(?:stdout|stderr|calls)\.(?:\d+\.\d+\.part|index\.json)$/.exec(
    name,
  )?.[1];
}

/** Output is stored under the key of its command, without dots. */
function stemOfKey(key: string): string {
  return key.replaceAll('.', '-');
}

/** Folds the facts of one agent. Remembers only commands that have files. */
export class LivesFold {
  readonly #present: ReadonlySet<string>;
  /** When each life started. The first life has the number 1. */
  readonly #begunAt: number[] = [];
  readonly #lifeByStem = new Map<string, number>();
  readonly #open = new Set<string>();
  /** The lowest number of the trees in which a life has worked. */
  readonly #lowestTree = new Map<number, number>();

  constructor(present: ReadonlySet<string>) {
    this.#present = present;
  }

  add(event: RunEvent): void {
    if (event.type === 'signal.received') {
      const { signal } = event.payload;
      // Only the next number starts a life.
      if (signal.kind === 'start-life' && signal.life === this.#begunAt.length + 1)
        this.#begunAt.push(event.at);
    }
    if (event.type === 'command.begun') this.#begin(event.payload);
    if (event.type === 'command.ended') this.#open.delete(stemOfKey(event.payload.key));
  }

  #begin({ key, command, input }: CommandBegun): void {
    const [stem, life] = [stemOfKey(key), this.#begunAt.length];
    this.#open.add(stem);
    if (this.#present.has(stem)) this.#lifeByStem.set(stem, life);
    if (command !== 'attempt') return;
    const { tree = 1 } = input;
    this.#lowestTree.set(life, Math.min(tree, this.#lowestTree.get(life) ?? tree));
  }

  /** Chooses the lives that ended before then. A life ends when the next one starts. */
  choose(before: number): EarlierLives {
    const candidates = Math.max(0, this.#begunAt.length - 1 - EARLIER_LIVES_KEPT);
    const ended = this.#begunAt.slice(1, candidates + 1).findIndex((at) => at >= before);
    const lives = ended === -1 ? candidates : ended;
    const isOld = ([stem, life]: [string, number]): boolean =>
      life >= 1 && life <= lives && !this.#open.has(stem);
    const remainingTrees = [...this.#lowestTree]
      .filter(([life]) => life > lives)
      .map(([, tree]) => tree);
    return {
      stems: new Set([...this.#lifeByStem].filter(isOld).map(([stem]) => stem)),
      // If no later turn says in which tree the agent works, no tree is known to be unused.
      treesBelow: remainingTrees.length === 0 ? 0 : Math.min(...remainingTrees),
      lives,
    };
  }
}
