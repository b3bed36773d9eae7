/**
 * Which output and which trees of a long-lived agent are of lives that are long over. Facts in, names out: it touches
 * nothing. The newest lives are kept, for `logs` and `why`; what is not known to be over is never named.
 */
import type { RunEvent } from '../../protocol/event.ts';

/** The life that goes on, and so many before it, are left alone. */
const EARLIER_LIVES_KEPT = 2;

export type EarlierLives = {
  /** Of the commands whose output can go: how the names of their files begin. */
  readonly stems: ReadonlySet<string>;
  /** Trees with a smaller number are of these lives alone. */
  readonly treesBelow: number;
  /** How many lives that is. */
  readonly lives: number;
};

/** The stem of a file that holds output of a command; undefined for any other file. */
export function stemOfFile(name: string): string | undefined {
  return /^([a-z0-9][a-z0-9-]*)-(?:stdout|stderr|calls)\.(?:\d+\.\d+\.part|index\.json)$/.exec(
    name,
  )?.[1];
}

/** Output is kept under the command's key, without dots. */
function stemOfKey(key: string): string {
  return key.replaceAll('.', '-');
}

/** Folds the facts of one agent. Remembers only commands of which there are files. */
export class LivesFold {
  readonly #present: ReadonlySet<string>;
  /** When each life began; the first has number 1. */
  readonly #begunAt: number[] = [];
  readonly #lifeOf = new Map<string, number>();
  readonly #open = new Set<string>();
  /** The lowest number of the trees that a life has worked in. */
  readonly #treeOf = new Map<number, number>();

  constructor(present: ReadonlySet<string>) {
    this.#present = present;
  }

  take(event: RunEvent): void {
    if (event.type === 'signal.received') {
      const { signal } = event.payload;
      // Only the number that follows begins a life.
      if (signal.kind === 'live' && signal.life === this.#begunAt.length + 1)
        this.#begunAt.push(event.at);
    }
    if (event.type === 'command.begun') this.#begin(event.payload);
    if (event.type === 'command.ended') this.#open.delete(stemOfKey(event.payload.key));
  }

  #begin({ key, command, input }: BegunPayload): void {
    const [stem, life] = [stemOfKey(key), this.#begunAt.length];
    this.#open.add(stem);
    if (this.#present.has(stem)) this.#lifeOf.set(stem, life);
    if (command !== 'attempt') return;
    const tree = typeof input['tree'] === 'number' ? input['tree'] : 1;
    this.#treeOf.set(life, Math.min(tree, this.#treeOf.get(life) ?? tree));
  }

  /** Those of the lives that were over before then. A life is over when the next one begins. */
  choose(before: number): EarlierLives {
    const most = Math.max(0, this.#begunAt.length - 1 - EARLIER_LIVES_KEPT);
    const over = this.#begunAt.slice(1, most + 1).findIndex((at) => at >= before);
    const lives = over === -1 ? most : over;
    const isOld = ([stem, life]: [string, number]): boolean =>
      life >= 1 && life <= lives && !this.#open.has(stem);
    const kept = [...this.#treeOf].filter(([life]) => life > lives).map(([, tree]) => tree);
    return {
      stems: new Set([...this.#lifeOf].filter(isOld).map(([stem]) => stem)),
      // If no later turn says in which tree the agent goes on, none is known to be left.
      treesBelow: kept.length === 0 ? 0 : Math.min(...kept),
      lives,
    };
  }
}

type BegunPayload = Extract<RunEvent, { type: 'command.begun' }>['payload'];
