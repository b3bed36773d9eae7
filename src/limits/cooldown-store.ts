/** The cooldowns of all projects of a home, stored as events of a stream of their own. */
import { defined } from '../base/defined.ts';
import { oneLine, truncate } from '../base/text.ts';
import type { Payload } from '../protocol/event.ts';
import { COOLDOWN_REASON_MAX } from '../protocol/event.ts';
import { COOLDOWN_STREAM } from '../protocol/streams.ts';
import type { ProjectionPorts } from '../store/projection.ts';
import type { Cooldown, CoolingAgent } from './cooldown-state.ts';
import { coolingAt, foldCooldowns, isKnown } from './cooldown-state.ts';
import type { KeyedProjection } from './keyed-projection.ts';
import { openKeyedProjection } from './keyed-projection.ts';

export type CooldownStorePorts = ProjectionPorts & {
  /** A snapshot is saved after this many events, so that a long history does not slow down the start of an owner. */
  readonly snapshotEvery?: number;
};

export class CooldownStore {
  readonly #ports: CooldownStorePorts;
  readonly #cooldowns: KeyedProjection<Cooldown, typeof COOLDOWN_STREAM>;

  private constructor(
    ports: CooldownStorePorts,
    cooldowns: KeyedProjection<Cooldown, typeof COOLDOWN_STREAM>,
  ) {
    this.#ports = ports;
    this.#cooldowns = cooldowns;
  }

  static async open(ports: CooldownStorePorts): Promise<CooldownStore> {
    const { snapshotEvery } = ports;
    const cooldowns = await openKeyedProjection<Cooldown, typeof COOLDOWN_STREAM>(ports, {
      ...{ stream: COOLDOWN_STREAM, maker: 'cooldowns@1', fold: foldCooldowns },
      idOf: ({ identity }) => identity,
      ...defined({ snapshotEvery }),
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
