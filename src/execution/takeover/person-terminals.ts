/** The terminals of people who take agents over, by run. Each run has one at most. */
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { PersonTerminal } from './person-terminal.ts';
import type { TerminalRequest } from './person-terminal.ts';

/** A command that asks for a takeover connects first, so the attempt normally finds its terminal at once. */
const WAIT_MS = 30_000;

export class PersonTerminals {
  readonly #open = new Map<string, PersonTerminal>();
  readonly #waiting = new Map<string, (terminal: PersonTerminal) => void>();

  /** Refuses a second person. */
  open(run: string, request: TerminalRequest): PersonTerminal {
    if (this.find(run) !== undefined) throw takenOver(run);
    const terminal = new PersonTerminal(request);
    this.#open.set(run, terminal);
    this.#waiting.get(run)?.(terminal);
    return terminal;
  }

  /** The terminal of a person who is still there. */
  find(run: string): PersonTerminal | undefined {
    const terminal = this.#open.get(run);
    return terminal === undefined || terminal.gone.aborted ? undefined : terminal;
  }

  close(run: string, terminal: PersonTerminal): void {
    if (this.#open.get(run) === terminal) this.#open.delete(run);
  }

  /** Undefined: none came in time, or the attempt was stopped first. */
  async waitFor(
    run: string,
    clock: Clock,
    signal: AbortSignal,
  ): Promise<PersonTerminal | undefined> {
    const found = this.find(run);
    if (found !== undefined || signal.aborted) return found;
    const over = new AbortController();
    const came = new Promise<PersonTerminal>((resolve) => this.#waiting.set(run, resolve));
    try {
      const waited = clock.sleep(WAIT_MS, AbortSignal.any([signal, over.signal]));
      return await Promise.race([came, waited.then(() => undefined)]);
    } finally {
      this.#waiting.delete(run);
      over.abort();
    }
  }
}

function takenOver(run: string): Refusal {
  return new Refusal({
    code: 'run.taken-over',
    message: `Run ${run} is already in the terminal of a person.`,
    hint: `End it there, or look on with: supervisor attach ${run}`,
  });
}
