import type { Json } from '../base/json.ts';
import type { CommandKey, RunId } from '../base/ids.ts';

/** One command to carry out. */
export type CommandRequest = {
  readonly run: RunId;
  readonly key: CommandKey;
  readonly input: Readonly<Record<string, Json>>;
};

/** What a performer may do besides its work. */
export type CommandContext = {
  /** Aborts when the command is called off: end well, soon. */
  readonly asked: AbortSignal;
  /** Aborts when there is no more time: end now. Always after `asked`. */
  readonly killed: AbortSignal;
  /**
   * Writes something learnt into the run's stream. Resolves when it is durable, or when nothing is
   * written any more since the command has ended or `killed` has aborted. Never rejects.
   */
  note(fact: Readonly<Record<string, Json>>): Promise<void>;
};

/**
 * Does one kind of command. It resolves with how that went, good or bad: an outcome is a result. It
 * rejects only on a defect, which the engine records as the command's end. It may be called
 * again for work that an earlier owner lost: at-least-once is the contract, under a new key.
 */
export interface Performer {
  /** The kind of command it performs; on many machines, the capability that routes to it. */
  readonly command: string;
  perform(order: CommandRequest, errand: CommandContext): Promise<Record<string, Json>>;
}
