/** State that is a map, stored as events of a stream of its own. A snapshot of it is the list of its values. */
import type { EventIn } from '../protocol/streams.ts';
import type { ProjectionPorts } from '../store/projection.ts';
import { Projection } from '../store/projection.ts';

export type KeyedProjection<Value, Name extends string> = Projection<
  ReadonlyMap<string, Value>,
  Name
>;

type KeyedOptions<Value, Name extends string> = {
  readonly stream: Name;
  /** Which fold makes the snapshots, such as `cooldowns@1`. */
  readonly maker: string;
  readonly idOf: (value: Value) => string;
  readonly fold: (
    state: ReadonlyMap<string, Value>,
    event: EventIn<Name>,
  ) => ReadonlyMap<string, Value>;
  readonly snapshotEvery?: number;
};

/** A long history must not slow down the start of an owner. */
const SNAPSHOT_EVERY = 500;

export function openKeyedProjection<Value, Name extends string>(
  ports: ProjectionPorts,
  { stream, maker, idOf, fold, snapshotEvery = SNAPSHOT_EVERY }: KeyedOptions<Value, Name>,
): Promise<KeyedProjection<Value, Name>> {
  return Projection.open<ReadonlyMap<string, Value>, Name>({
    ...{ ...ports, stream, fold, initial: new Map() },
    snapshots: {
      ...{ kind: 'table', every: snapshotEvery, maker },
      write: (state) => [...state.values()],
      read: (stored) => new Map((stored as readonly Value[]).map((one) => [idOf(one), one])),
    },
  });
}
