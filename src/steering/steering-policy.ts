/** Which detectors watch a conversation, in which mode, and with which thresholds. */
import { hashText } from '../base/hash-text.ts';
import { simpleGlobSource } from '../base/simple-glob.ts';
import type { Doctrine, TaskDomain } from '../protocol/contracts/organization-contract.ts';
import type {
  DetectorName,
  PinnedSteering,
  SteeringMode,
  ThresholdName,
} from '../protocol/contracts/steering-contract.ts';
import { DETECTORS, THRESHOLDS } from '../protocol/contracts/steering-contract.ts';

export type Thresholds = Readonly<Record<ThresholdName, number>>;

export type SteeringPolicy = {
  readonly modes: Readonly<Record<DetectorName, SteeringMode>>;
  readonly thresholds: Thresholds;
  /** The thresholds that settings or a role have set. They are never learned. */
  readonly chosen: readonly ThresholdName[];
  /** Whether the others may be. */
  readonly learns: boolean;
  readonly checkTurns: number;
  readonly cooldownTurns: number;
  readonly heldOut: number;
};

/** Whose turns are watched. `role`: its name. Null: the run has none. */
type PolicySubject = {
  readonly model: string;
  readonly role: string | null;
  /** The work that its turns show. Absent: not known. */
  readonly domain?: TaskDomain | null;
};

export function choosePolicy(
  pinned: PinnedSteering,
  { model, role, domain = null }: PolicySubject,
  doctrine: Doctrine | null = null,
): SteeringPolicy {
  const matching = pinned.overrides.filter(
    (one) =>
      (one.model === undefined || matches(one.model, model)) &&
      (one.role === undefined || one.role === role) &&
      (one.domain === undefined || one.domain === domain),
  );
  const all = [pinned, ...matching];
  const mode = all.findLast((one) => one.mode !== undefined)?.mode ?? 'shadow';
  const modes = Object.assign({}, ...all.map((one) => one.modes)) as PinnedSteering['modes'];
  const changes = Object.assign(
    {},
    doctrine === null ? {} : doctrineThresholds(doctrine),
    ...all.map((one) => one.thresholds),
  ) as PinnedSteering['thresholds'];
  return {
    modes: Object.fromEntries(DETECTORS.map((name) => [name, modes[name] ?? mode])) as Record<
      DetectorName,
      SteeringMode
    >,
    thresholds: withinBounds(changes),
    chosen: Object.keys(changes) as ThresholdName[],
    learns: pinned.learn !== false,
    // Reports must not come more often than checks.
    checkTurns: Math.max(1, Math.min(pinned.checkTurns, doctrine?.saluteIntervalTurns ?? Infinity)),
    cooldownTurns: pinned.cooldownTurns,
    heldOut: pinned.heldOut,
  };
}

function matches(glob: string, model: string): boolean {
  return new RegExp(`^${simpleGlobSource(glob)}$`, 'i').test(model);
}

/** A role that names a limit means it strictly: new findings do not extend it. */
function doctrineThresholds({ maxTurnsWithoutProgress: turns }: Doctrine): Partial<Thresholds> {
  return { 'stall.turns': turns, 'stall.turns_exploring': turns };
}

function withinBounds(changes: PinnedSteering['thresholds']): Thresholds {
  return Object.fromEntries(
    Object.entries(THRESHOLDS).map(([name, { initial, least, most }]) => {
      const value = changes[name as ThresholdName] ?? initial;
      return [name, Math.min(most, Math.max(least, value))];
    }),
  ) as Thresholds;
}

/** Whether a run gets no message of a detector. It depends on the run alone, so it holds for all of its attempts. */
export function isHeldOut(run: string, detector: DetectorName, share: number): boolean {
  const part = Number.parseInt(hashText(`${run} ${detector}`).slice(0, 8), 16) / 2 ** 32;
  return part < share;
}
