/** Gathers everything that the classification of an attempt is based on. */
import type { AgentVerdict } from '../adapters/adapter.ts';
import { writeDuration } from '../base/write-duration.ts';
import type { AttemptEvidence } from '../failures/evidence.ts';
import { userRules } from '../failures/rules/user-rules.ts';
import type { AttemptInput } from '../protocol/contracts/attempt-contract.ts';
import { PAST_DEADLINE } from '../protocol/outcome.ts';
import type { AttemptRun } from './attempt-run.ts';
import type { CommittedTree } from './environments/environment.ts';
import { describeTimeSpent } from './time-budget-end.ts';
import type { PreparedAttempt } from './prepare-attempt.ts';

export async function gatherEvidence(
  { adapter, environment, input, ports }: PreparedAttempt,
  run: AttemptRun,
  committed: CommittedTree | null,
): Promise<AttemptEvidence> {
  const { exit, container, transcript, tail } = run;
  const { cli } = input.agent;
  const calls = await environment.calls();
  const verdict = adapter.conclude(exit, transcript);
  // Work that was finished before the stop reached the agent still counts as finished.
  const isFinished = verdict.kind === 'done' && transcript.concluded !== null;
  const stoppedBy = isFinished ? null : run.stoppedBy;
  return {
    ...{ cli, exit, stoppedBy, container, calls, transcript, tail },
    gatewayFailure: environment.gatewayFailure(),
    seesEveryCall: environment.seesEveryCall,
    structured: adapter.structured,
    verdict: verdictOfStop(stoppedBy, run, input) ?? verdict,
    changed: committed?.changed ?? null,
    isReadOnly: environment.isReadOnly(),
    now: ports.clock.now(),
    zone: localTimeZone(),
    rules: userRules(input.rules, cli),
  };
}

/** What ended the agent, if that was not the agent itself and not a person. */
function verdictOfStop(
  stoppedBy: AttemptRun['stoppedBy'],
  { timeSpent }: AttemptRun,
  input: AttemptInput,
): AgentVerdict | undefined {
  if (stoppedBy === 'deadline')
    return { kind: 'interrupted', message: `${PAST_DEADLINE}${ofDeadline(input)}` };
  if (stoppedBy !== 'time-budget' || timeSpent === undefined) return undefined;
  return { kind: 'interrupted', message: describeTimeSpent(timeSpent) };
}

function ofDeadline({ deadlineMs }: Pick<AttemptInput, 'deadlineMs'>): string {
  return deadlineMs === null ? '' : ` of ${writeDuration(deadlineMs)}`;
}

let zone: string | undefined;

/** Stored, because the query takes as long as the rest of the classification. */
function localTimeZone(): string {
  zone ??= new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone;
}
