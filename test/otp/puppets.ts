/** Children that do as a scenario tells them: fail to start, be ignored, end, and not listen. */
import type { ChildHandle, ChildSpec, Exit, StartResult } from '../../src/supervision/index.ts';
import type { ChildInFile, Trouble } from './scenario.ts';

const RESTARTS = words('permanent', 'transient', 'temporary');
const SHUTDOWNS = words('infinity', 'brutal-kill');

/** The word of the library for a word of a file; one that is none of them becomes one that is none of ours. */
export function words<Word extends string>(...ours: readonly Word[]): (theirs: unknown) => Word {
  const byTheirs = new Map<unknown, Word>(ours.map((word) => [word.replaceAll('-', '_'), word]));
  return (theirs) => byTheirs.get(theirs) ?? ('no such word' as Word);
}

export class Puppets {
  readonly #troubles = new Map<string, Trouble>();
  readonly #alive = new Map<string, Puppet>();

  trouble(id: string, trouble: Trouble): void {
    this.#troubles.set(id, trouble);
  }

  /** Resolves when it has ended and its supervisor was told; false when there is none to end. */
  async end(id: string, exit: Exit): Promise<boolean> {
    const puppet = this.#alive.get(id);
    if (puppet === undefined) return false;
    puppet.end(exit);
    await puppet.exit;
    return true;
  }

  spec({ id, restart, shutdown, significant, stubborn }: ChildInFile): ChildSpec {
    return {
      id,
      restart: RESTARTS(restart),
      shutdown: typeof shutdown === 'number' ? shutdown : SHUTDOWNS(shutdown),
      significant: significant as boolean,
      start: async () => this.#start(id, stubborn),
    };
  }

  #start(id: string, stubborn: boolean): StartResult {
    const trouble = this.#troubles.get(id) ?? 0;
    if (trouble === 'ignore') {
      this.#troubles.set(id, 0);
      return { kind: 'ignored' };
    }
    if (trouble > 0) {
      this.#troubles.set(id, trouble - 1);
      return { kind: 'failed', reason: 'told to' };
    }
    const child = new Puppet(stubborn, () => this.#alive.delete(id));
    this.#alive.set(id, child);
    return { kind: 'started', child };
  }
}

class Puppet implements ChildHandle {
  readonly #stubborn: boolean;
  readonly #onEnd: () => void;
  readonly #exit = Promise.withResolvers<Exit>();

  constructor(stubborn: boolean, onEnd: () => void) {
    this.#stubborn = stubborn;
    this.#onEnd = onEnd;
  }

  get exit(): Promise<Exit> {
    return this.#exit.promise;
  }

  ask(): void {
    if (!this.#stubborn) this.end({ kind: 'shutdown' });
  }

  kill(): void {
    this.end({ kind: 'killed' });
  }

  end(exit: Exit): void {
    this.#onEnd();
    this.#exit.resolve(exit);
  }
}
