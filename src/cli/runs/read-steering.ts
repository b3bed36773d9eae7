/** Reads from the facts of runs what their turns showed. */
import type { Client } from '../../client/client.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { AttemptSettings } from '../../protocol/pinned-settings.ts';
import type { AnomalyNote, PinnedSteering } from '../../protocol/contracts/steering-contract.ts';
import { DEFAULT_STEERING } from '../../protocol/contracts/steering-contract.ts';
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
  for (const { id, outcome } of runs)
    for await (const event of runFacts(client, id)) {
      const note = anomalyOf(event);
      if (note === undefined) continue;
      const { detector, model, decision } = note;
      cases.push({
        run: id,
        detector,
        model,
        told: decision === 'sent',
        failed: hasFailed(outcome),
      });
    }
  return { cases, runs: runs.length };
}

function anomalyOf(event: RunEvent): AnomalyNote | undefined {
  if (event.type !== 'command.noted' || event.payload.command !== 'attempt') return undefined;
  const { note } = event.payload;
  return note.kind === 'anomaly' ? note : undefined;
}

/** Null: no gate has judged the work, or a person stopped it. */
function hasFailed(outcome: RunOutcome | null): boolean | null {
  if (outcome?.kind === 'succeeded') return false;
  return outcome !== null && FAILED.has(outcome.kind) ? true : null;
}

const FAILED: ReadonlySet<RunOutcome['kind']> = new Set(['failed', 'exhausted', 'blocked']);
