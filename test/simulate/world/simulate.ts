/** Simulates the world of one seed and checks every invariant. */
import { createHash } from 'node:crypto';
import { INVARIANTS } from './invariants.ts';
import { groupByRun, describeHistory } from './lineage.ts';
import type { WorldRecord } from './record.ts';
import type { Scenario } from './scenario.ts';
import { World } from './world.ts';

export type Simulation = {
  readonly seed: number;
  /** The same seed has the same hash, on every machine. */
  readonly hash: string;
  readonly record: WorldRecord;
  readonly breaches: readonly { readonly invariant: string; readonly says: string }[];
};

/** `change`: what a test sets differently from the seed. */
export async function simulate(
  seed: number,
  change?: (drawn: Scenario) => Scenario,
): Promise<Simulation> {
  const world = new World(seed, change);
  const record = await world.play();
  const trees = [...world.machine.work.trees].map(([project, tree]) => [project, [...tree]]);
  const { facts, processes, acks, followed, faults, remarks, trees: seen } = record;
  const trace = JSON.stringify({ facts, processes, acks, followed, faults, remarks, trees, seen });
  return {
    seed,
    hash: createHash('sha256').update(trace).digest('hex').slice(0, 16),
    record,
    breaches: INVARIANTS.flatMap(({ name, breaches }) =>
      breaches(record).map((expectedText) => ({ invariant: name, says: expectedText })),
    ),
  };
}

/** A report for people: the faults, and the history of each run that a violation names. */
export function explain({ record, breaches }: Simulation): readonly string[] {
  const { faults, facts } = record;
  const runs = [...groupByRun(facts)];
  const reported = runs.filter(([run]) =>
    breaches.some(({ says: expectedText }) => expectedText.includes(run)),
  );
  return [
    ...breaches
      .slice(0, 10)
      .map(({ invariant, says: expectedText }) => `✖ ${invariant}: ${expectedText}`),
    ...faults.map(
      ({ kind, elapsedMs }) => `${(elapsedMs / 1000).toFixed(3).padStart(10)} s  fault: ${kind}`,
    ),
    ...(reported.length === 0 ? runs : reported).flatMap(([, own]) =>
      describeHistory(own.filter(({ type }) => type !== 'command.noted')).slice(0, 60),
    ),
  ];
}
