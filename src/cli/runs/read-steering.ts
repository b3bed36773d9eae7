/** Reads from the facts of runs what their turns showed. */
import type { Client } from '../../client/client.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { AttemptSettings } from '../../protocol/pinned-settings.ts';
import type { PinnedSteering } from '../../protocol/contracts/steering-contract.ts';
import { DEFAULT_STEERING } from '../../protocol/contracts/steering-contract.ts';
import { casesOf, foldSteering, NO_STEERING } from '../../reports/steering-cases.ts';
import type { SteeringCase } from '../../reports/steering-report.ts';
import type { RecordedTurn } from '../../turns/list-turns.ts';
import { recordedTurn, runFacts } from './read-turns.ts';

export type WatchedRun = {
  readonly turns: readonly RecordedTurn[];
  readonly steering: PinnedSteering;
  readonly role: string | null;
};

export async function readWatchedRun(client: Client, run: string): Promise<WatchedRun> {
  const turns: RecordedTurn[] = [];
  let settings: Partial<AttemptSettings> = {};
  for await (const event of runFacts(client, run)) {
    settings = pinnedSettings(event) ?? settings;
    const turn = recordedTurn(event);
    if (turn !== undefined) turns.push(turn);
  }
  const { steering = DEFAULT_STEERING, brief } = settings;
  return { turns, steering, role: brief?.role ?? null };
}

function pinnedSettings(event: RunEvent): Partial<AttemptSettings> | undefined {
  if (event.type === 'run.submitted') return event.payload.settings;
  return event.type === 'run.forked' ? event.payload.submission.settings : undefined;
}

/** The anomalies of the newest ended runs. */
export async function readSteeringCases(
  client: Client,
  limit: number,
): Promise<{ readonly cases: readonly SteeringCase[]; readonly runs: number }> {
  const runs = await client.runs({ ended: true, limit });
  const cases: SteeringCase[] = [];
  for (const { id, outcome } of runs) {
    let folded = NO_STEERING;
    for await (const event of runFacts(client, id)) folded = foldSteering(folded, event);
    cases.push(...casesOf(id, folded, outcome));
  }
  return { cases, runs: runs.length };
}
