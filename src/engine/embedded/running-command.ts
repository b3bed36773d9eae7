/** One running command. It can be cancelled, first by request and then by kill, and it ends once. */
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
  /** The end of the command. Never rejects: if the performer throws, the end is a defect. */
  readonly settled: Promise<CommandEnd>;
  readonly #cancel = new AbortController();
  readonly #kill = new AbortController();

  constructor(
    work: (context: CommandContext) => Promise<Result<Command>>,
    note: AppendNote = () => Promise.resolve(),
  ) {
    const context: CommandContext = {
      cancelSignal: this.#cancel.signal,
      killSignal: this.#kill.signal,
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
    this.#cancel.abort();
    if (how === 'kill') this.#kill.abort();
  }
}
