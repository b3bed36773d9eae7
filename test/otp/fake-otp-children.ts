/**
 * Children that behave as a scenario says: fail to start, are ignored, end, or ignore a shutdown.
 */
import type { ChildSpec, Exit, StartResult } from '../../src/supervision/index.ts';
import { FakeChild } from '../../src/testing/fakes/fake-child.ts';
import type { ChildInFile, Trouble } from './scenario.ts';

const RESTARTS = otpWords('permanent', 'transient', 'temporary');
const SHUTDOWNS = otpWords('infinity', 'brutal-kill');

/**
 * The library's word for a word of a file. An unknown word becomes a value that the library does
 * not know.
 */
export function otpWords<Word extends string>(...ours: readonly Word[]): (theirs: unknown) => Word {
  const byTheirs = new Map<unknown, Word>(ours.map((word) => [word.replaceAll('-', '_'), word]));
  return (theirs) => byTheirs.get(theirs) ?? ('no such word' as Word);
}

export class FakeOtpChildren {
  readonly #troubles = new Map<string, Trouble>();
  readonly #alive = new Map<string, FakeChild>();

  trouble(id: string, trouble: Trouble): void {
    this.#troubles.set(id, trouble);
  }

  /** False if there is none to end. */
  end(id: string, exit: Exit): boolean {
    const puppet = this.#alive.get(id);
    puppet?.end(exit);
    return puppet !== undefined;
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
    const child = new FakeChild(stubborn ? 'stubborn' : 'obeys');
    this.#alive.set(id, child);
    void child.exit.then(() => this.#alive.delete(id));
    return { kind: 'started', child };
  }
}
