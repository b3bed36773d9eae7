/** The cooldowns of all projects of a home, stored as events of a stream of their own. */
import { oneLine, truncate } from '../base/text.ts';
import type { Payload } from '../protocol/event.ts';
import { COOLDOWN_REASON_MAX } from '../protocol/event.ts';
import { COOLDOWN_STREAM } from '../protocol/streams.ts';
import type { ProjectionPorts } from '../store/projection.ts';
import { Projection } from '../store/projection.ts';
import type { Cooldown, Cooldowns, CoolingAgent } from './cooldown-state.ts';
import { NO_COOLDOWNS, coolingAt, foldCooldowns, isKnown } from './cooldown-state.ts';

export type CooldownStorePorts = ProjectionPorts & {
  /** A snapshot is saved after this many events, so that a long history does not slow down the start of an owner. */
  readonly snapshotEvery?: number;
};

const SNAPSHOT_EVERY = 500;

export class CooldownStore {
  readonly #ports: CooldownStorePorts;
  readonly #cooldowns: Projection<Cooldowns, typeof COOLDOWN_STREAM>;

  private constructor(
    ports: CooldownStorePorts,
    cooldowns: Projection<Cooldowns, typeof COOLDOWN_STREAM>,
  ) {
    this.#ports = ports;
    this.#cooldowns = cooldowns;
  }

  static async open(ports: CooldownStorePorts): Promise<CooldownStore> {
    const cooldowns = await Projection.open({
      ...ports,
      stream: COOLDOWN_STREAM,
      initial: NO_COOLDOWNS,
      fold: foldCooldowns,
      snapshots: {
        kind: 'table',
        every: ports.snapshotEvery ?? SNAPSHOT_EVERY,
        maker: 'cooldowns@1',
        write: (state) => [...state.values()],
        read: (stored) =>
          new Map((stored as readonly Cooldown[]).map((one) => [one.identity, one])),
      },
    });
    return new CooldownStore(ports, cooldowns);
  }

  /** A repeated call is stored once, also if the cooldown is over or cleared by now. */
  cool({ reason, ...cooldown }: Payload<'cooldown.set'>): Promise<void> {
    const payload = { ...cooldown, reason: truncate(oneLine(reason), COOLDOWN_REASON_MAX) };
    return this.#cooldowns.change((state) =>
      isKnown(state, payload) ? [] : [{ type: 'cooldown.set', payload }],
    );
  }

  /** The agents that are cooling down now, the first to be free first. */
  cooling(): readonly CoolingAgent[] {
    return coolingAt(this.#cooldowns.state, this.#ports.clock.now());
  }

  /** Ends the cooldowns for which `which` is true. Resolves with them. */
  async clear(which: (cooldown: CoolingAgent) => boolean): Promise<readonly CoolingAgent[]> {
    let cleared: readonly CoolingAgent[] = [];
    await this.#cooldowns.change(() => {
      cleared = this.cooling().filter((cooldown) => which(cooldown));
      const identities = cleared.map(({ identity }) => identity);
      return identities.length === 0 ? [] : [{ type: 'cooldown.cleared', payload: { identities } }];
    });
    return cleared;
  }
}
