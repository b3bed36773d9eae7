import type { CommandKey, RunId } from '../base/ids.ts';
import type { Input, Note, PerformedCommand, Result } from '../protocol/commands.ts';

/** One command to perform. */
export type CommandRequest<Name extends PerformedCommand = PerformedCommand> = {
  readonly run: RunId;
  readonly key: CommandKey;
  readonly input: Input<Name>;
};

/** What a performer may do besides its work. */
export type CommandContext<Name extends PerformedCommand = PerformedCommand> = {
  /** Aborts when the command is cancelled: exit cleanly, soon. */
  readonly cancelSignal: AbortSignal;
  /** Aborts when there is no more time: exit now. Always after `cancelSignal`. */
  readonly killSignal: AbortSignal;
  /**
   * Appends a note to the run's stream. Resolves when it is durable, or when nothing is written any
   * more because the command has ended or `killSignal` has aborted. Never rejects.
   */
  note(fact: Note<Name>): Promise<void>;
};

/**
 * Performs one kind of command. It resolves with the outcome, good or bad. It rejects only on a defect,
 * which the engine records as the command's end. It may be called again for work that was
 * interrupted, under a new key: the contract is at-least-once.
 */
export interface Performer<Name extends PerformedCommand = PerformedCommand> {
  /** The kind of command it performs; on many machines, the capability that routes to it. */
  readonly command: Name;
  perform(request: CommandRequest<Name>, context: CommandContext<Name>): Promise<Result<Name>>;
}
