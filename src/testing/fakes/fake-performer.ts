import type { Json } from '../../base/json.ts';
import type { CommandContext, CommandRequest, Performer } from '../../engine/performer.ts';
import type { PerformedCommand, Result } from '../../protocol/commands.ts';

/** A dance is no command of a run, so its result and its notes have types of their own. */
type DanceResult = Record<string, Json>;
type DanceContext = Omit<CommandContext, 'note'> & {
  readonly note: (fact: object) => Promise<void>;
};

/** One execution that a test controls. */
export type PerformerScript = {
  readonly run: string;
  readonly key: string;
  readonly label: string;
  readonly context: DanceContext;
  done(result?: DanceResult): void;
  fail(error: Error): void;
};

/** Performs `dance` commands: each runs until the test ends it, or until it is cancelled. */
export class FakePerformer implements Performer {
  readonly command = 'dance' as string as PerformedCommand;
  readonly #going = new Map<string, PerformerScript>();
  /** Every label that ever began, in order. */
  readonly begun: string[] = [];
  /** The running executions, oldest first. */
  get going(): readonly PerformerScript[] {
    return [...this.#going.values()];
  }

  perform(
    { run, key, input }: CommandRequest,
    context: CommandContext,
  ): Promise<Result<PerformedCommand>> {
    const { label } = input as unknown as { readonly label: string };
    this.begun.push(label);
    const { promise, resolve, reject } = Promise.withResolvers<DanceResult>();
    const id = `${run}/${key}`;
    const leave = (): void => void this.#going.delete(id);
    this.#going.set(id, {
      run,
      key,
      label,
      context: context as DanceContext,
      done: (result = {}) => (leave(), resolve(result)),
      fail: (error) => (leave(), reject(error)),
    });
    context.cancelSignal.addEventListener('abort', () => {
      if (label === 'deaf') return;
      leave();
      resolve({ calledOff: 'asked' });
    });
    context.killSignal.addEventListener('abort', () => (leave(), resolve({ calledOff: 'killed' })));
    return promise as Promise<Result<PerformedCommand>>;
  }

  /**
   * Ends the dance of this label; throws if there is none, so that a test can't pass by accident.
   */
  finish(label: string, result: DanceResult = {}): void {
    const dance = this.going.find((one) => one.label === label);
    if (dance === undefined)
      throw new Error(`no command performs ${label}; open are: ${this.labels().join(', ')}`);
    dance.done(result);
  }

  labels(): readonly string[] {
    return this.going.map(({ label }) => label);
  }
}
