/** One command that is performed: it can be cancelled, more firmly the second time, and it ends once. */
import { describeError } from '../../base/errors.ts';
import type { CommandContext } from '../performer.ts';
import type {
  Command,
  CommandEnd,
  Note,
  PerformedCommand,
  Result,
} from '../../protocol/commands.ts';

type AppendNote = (note: Note<PerformedCommand>) => Promise<unknown>;

export class RunningCommand {
  /** How it ended. Never rejects: a throw of the performer is a defect, and that is an end. */
  readonly settled: Promise<CommandEnd>;
  readonly #asked = new AbortController();
  readonly #killed = new AbortController();

  constructor(
    work: (context: CommandContext) => Promise<Result<Command>>,
    note: AppendNote = () => Promise.resolve(),
  ) {
    const context: CommandContext = {
      asked: this.#asked.signal,
      killed: this.#killed.signal,
      note: async (fact) => {
        await note(fact);
      },
    };
    this.settled = work(context).then(
      (result) => ({ kind: 'done', result }),
      (error: unknown) => ({ kind: 'defect', message: describeError(error) }),
    );
  }

  cancel(how: 'ask' | 'kill'): void {
    this.#asked.abort();
    if (how === 'kill') this.#killed.abort();
  }
}
