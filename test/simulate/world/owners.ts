/** The owners in one world, one after the other or side by side, and how each of them ends. */
import type { Random } from '../../../src/base/random.ts';
import { randomInt } from '../../../src/base/random.ts';
import type { OwnerPorts } from './owner.ts';
import { Owner } from './owner.ts';
import type { FaultRecord } from './record.ts';
import type { FaultKind } from './scenario.ts';

type OwnersPorts = Omit<OwnerPorts, 'witness'> & {
  readonly witness: Omit<OwnerPorts['witness'], 'died'>;
  /**
   * Separate random streams for the reaper and for power loss, so that they change nothing else.
   */
  readonly random: Random;
  readonly happened: (kind: FaultKind) => void;
};

const NEVER_MS = 1_000_000_000;

export class Owners {
  readonly troubles: FaultRecord[] = [];
  readonly #ports: OwnersPorts;
  readonly #all: Owner[] = [];
  #owner: Owner | undefined;
  /** Since when there has been no owner; undefined while one is up. */
  #downSinceMs: number | undefined = 0;
  /** How long the owner is down after a death inside a write. */
  downForMs = 0;

  constructor(ports: OwnersPorts) {
    this.#ports = ports;
  }

  /** The last owner, which may still be opening. */
  get last(): Owner | undefined {
    return this.#owner;
  }

  open(): void {
    const { machine, onDefect, witness, ...ports } = this.#ports;
    // The sweep: nothing is resumed before every process of the earlier owners is gone.
    for (const { life } of this.#all) machine.reap(life.number);
    const owner = new Owner(this.#all.length + 1, {
      ...ports,
      machine,
      onDefect,
      witness: {
        ...witness,
        died: (when) => {
          if (when === 'power') this.losePowerAtSync();
          else this.crash(when === 'before' ? 'crash-before-write' : 'crash-after-write');
        },
      },
    });
    this.#all.push(owner);
    this.#owner = owner;
    void this.#opened(owner).catch(onDefect);
  }

  async #opened(owner: Owner): Promise<void> {
    await owner.open();
    if (!owner.life.alive) return; // it died at this moment
    const toMs = this.#ports.clock.elapsedMs;
    this.troubles.push({ fromMs: this.#downSinceMs ?? 0, toMs });
    this.#downSinceMs = undefined;
  }

  /**
   * Kills the owner: its memory is gone. Its agents continue until the reaper, or the next owner,
   * kills them.
   */
  crash(kind: FaultKind, downMs = this.downForMs): void {
    if (this.#owner === undefined) return;
    const { happened, clock, machine } = this.#ports;
    happened(kind);
    const { life } = this.#owner;
    life.alive = false;
    clock.after(this.#reaperMs(), () => machine.reap(life.number));
    this.#goDown(downMs);
  }

  /** When the next write is committed and not yet synced. */
  losePowerAtSync(): void {
    this.#ports.disk.onSync = () => this.losePower(this.downForMs);
  }

  /** The whole machine stops at once: every owner and every agent. Unsynced writes may be lost. */
  losePower(downMs: number): void {
    const { happened, disk, machine, random } = this.#ports;
    disk.losePower(random);
    this.#ports.trees?.losePower();
    happened('power-cut');
    for (const { life } of this.#all) {
      life.alive = false;
      machine.reap(life.number);
    }
    if (this.#owner !== undefined) this.#goDown(downMs);
  }

  /** Mostly at once. Sometimes the reaper is starved, or was killed itself. */
  #reaperMs(): number {
    const { random } = this.#ports;
    const draw = random();
    if (draw < 0.6) return randomInt(random, 0, 50);
    return draw < 0.8 ? randomInt(random, 50, 30_000) : NEVER_MS;
  }

  overlap(forMs: number): void {
    const owner = this.#owner;
    if (owner?.isOpen !== true) return;
    const { happened, clock } = this.#ports;
    happened('owner-overlap');
    const { life } = owner;
    life.isSuperseded = true;
    this.#downSinceMs ??= clock.elapsedMs;
    clock.after(forMs, () => (life.alive = false));
    this.open();
  }

  async restart(downMs: number): Promise<void> {
    const owner = this.#owner;
    if (owner?.isOpen !== true) return;
    this.#ports.happened('owner-restart');
    this.#downSinceMs ??= this.#ports.clock.elapsedMs;
    await owner.close();
    if (!owner.life.alive) return;
    if (this.#owner === owner) this.#goDown(downMs);
  }

  #goDown(downMs: number): void {
    this.#owner = undefined;
    this.#downSinceMs ??= this.#ports.clock.elapsedMs;
    this.#ports.clock.after(downMs, () => this.open());
  }
}
