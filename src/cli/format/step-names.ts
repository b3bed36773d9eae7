/** Events as a screen shows them: a command of a workflow has the name of its step and visit, not its key. */
import { isRefusal } from '../../base/errors.ts';
import type { RunEvent, StoredEvent } from '../../protocol/event.ts';
import { isRunEvent, runOfStream } from '../../protocol/streams.ts';
import { stepIds, VisitNames } from '../../protocol/visit-names.ts';

/** Reads facts of a run after a seq, in order. */
type ReadFacts = (page: {
  readonly run: string;
  readonly after: number;
  readonly limit: number;
}) => Promise<readonly StoredEvent[]>;

const PAGE = 500;
const RUNS_MAX = 1000;
const FORKS_MAX = 20;
const STEP_KEY = /^(?:step|prepare|collect|commit|breaker|gate|ask|wait|assess)-.*\d/;

export class StepNames {
  readonly #read: ReadFacts;
  readonly #runs = new Map<string, VisitNames | null>();

  constructor(read: ReadFacts) {
    this.#read = read;
  }

  /** Events of one run come in their order. Earlier facts are read only if the first ones were not shown here. */
  async named<Shown extends StoredEvent>(event: Shown): Promise<Shown> {
    const run = runOfStream(event.stream);
    if (run === undefined || !isRunEvent(event)) return event;
    if (event.type === 'run.submitted' || event.type === 'run.forked')
      this.#remember(run, await this.#begin(event, 0));
    if (!('key' in event.payload) || !STEP_KEY.test(event.payload.key)) return event;
    const names = await this.#namesOf(run, event.seq);
    const name = names?.nameOfPart(event.payload.key);
    return name === undefined ? event : { ...event, payload: { ...event.payload, key: name } };
  }

  async #namesOf(run: string, seq: number): Promise<VisitNames | null> {
    const known = this.#runs.get(run);
    if (known !== undefined) return known;
    const names = await this.#readNames(run, seq - 1, 0);
    this.#remember(run, names);
    return names;
  }

  #remember(run: string, names: VisitNames | null): void {
    const [oldest] = this.#runs.size >= RUNS_MAX ? this.#runs.keys() : [];
    if (oldest !== undefined) this.#runs.delete(oldest);
    this.#runs.set(run, names);
  }

  /** The names after the first `last` facts of a run. Null: the run is no workflow. */
  async #readNames(run: string, last: number, depth: number): Promise<VisitNames | null> {
    let names: VisitNames | null = null;
    for (let after = 0; after < last;) {
      const limit = Math.min(PAGE, after === 0 ? 1 : last - after);
      const page = await this.#facts(run, after, limit);
      for (const fact of page) {
        if (fact.type === 'run.submitted' || fact.type === 'run.forked')
          names = await this.#begin(fact, depth);
        else if ('key' in fact.payload) names?.nameOf(fact.payload.key);
      }
      if (names === null || page.length < limit) break;
      after += page.length;
    }
    return names;
  }

  /** A run that continues another also continues its visits. */
  async #begin(
    first: Extract<RunEvent, { type: 'run.submitted' | 'run.forked' }>,
    depth: number,
  ): Promise<VisitNames | null> {
    const { payload } = first;
    const ids = stepIds('submission' in payload ? payload.submission : payload);
    if (ids.length === 0) return null;
    if (!('from' in payload) || depth === FORKS_MAX) return new VisitNames(ids);
    return (await this.#readNames(payload.from, payload.seq, depth + 1)) ?? new VisitNames(ids);
  }

  async #facts(run: string, after: number, limit: number): Promise<readonly RunEvent[]> {
    try {
      return (await this.#read({ run, after, limit })).filter(isRunEvent);
    } catch (error) {
      if (isRefusal(error, 'run.not-found')) return [];
      throw error;
    }
  }
}
