/** Counts how often agents are used, from the events of all runs. The count is snapshotted now and then. */
import { COOLDOWN_STREAM } from '../protocol/streams.ts';
import type { ProjectionPorts } from '../store/projection.ts';
import { Projection } from '../store/projection.ts';
import type { AgentUsageCounts } from './agent-usage.ts';
import { UsageCounter } from './agent-usage.ts';

const SNAPSHOT_EVERY = 2000;
/** Without a snapshot, older events are not counted: the first count must not take minutes. */
const EVENTS_BACK_MAX = 100_000;

/** Folds the events of all streams. */
type UsageProjection = Projection<UsageCounter, string>;

export class AgentUsageStore {
  readonly #ports: ProjectionPorts;
  #usage: Promise<UsageProjection> | undefined;

  constructor(ports: ProjectionPorts) {
    this.#ports = ports;
  }

  /** Counts everything that is committed when it is called. */
  async read(): Promise<AgentUsageCounts> {
    this.#usage ??= this.#open();
    const usage = await this.#usage;
    return (await usage.catchUp()).counts();
  }

  /** Only when the counts are first needed: an owner that runs nothing does not read the whole journal. */
  #open(): Promise<UsageProjection> {
    const opening = Projection.open<UsageCounter, string>({
      ...this.#ports,
      stream: COOLDOWN_STREAM,
      initial: new UsageCounter(),
      fold: (counter, event) => {
        counter.count(event);
        return counter;
      },
      snapshots: {
        kind: 'table',
        every: SNAPSHOT_EVERY,
        maker: 'uses@3',
        write: (counter) => counter.counts(),
        read: (stored) => new UsageCounter(stored as AgentUsageCounts),
        allStreamsBack: EVENTS_BACK_MAX,
      },
    });
    opening.catch(() => (this.#usage = undefined)); // the next read tries again
    return opening;
  }
}
