/** One command being carried out: it can be called off, more firmly the second time, and it ends once. */
import { describeError } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import type { CommandEnd } from '../../protocol/event.ts';
import type { CommandContext } from '../performer.ts';

type Note = (fact: Readonly<Record<string, Json>>) => Promise<unknown>;

export class RunningCommand {
  /** How it ended. Never rejects: a throw of the performer is a defect, and that is an end. */
  readonly settled: Promise<CommandEnd>;
  readonly #asked = new AbortController();
  readonly #killed = new AbortController();

  constructor(
    work: (errand: CommandContext) => Promise<Record<string, Json>>,
    note: Note = () => Promise.resolve(),
  ) {
    const errand: CommandContext = {
      asked: this.#asked.signal,
      killed: this.#killed.signal,
      note: async (fact) => {
        await note(fact);
      },
    };
    this.settled = work(errand).then(
      (result) => ({ kind: 'done', result }),
      (error: unknown) => ({ kind: 'defect', message: describeError(error) }),
    );
  }

  cancel(how: 'ask' | 'kill'): void {
    this.#asked.abort();
    if (how === 'kill') this.#killed.abort();
  }
}
