/** What the detectors see of an agent elsewhere: its report, in place of its turns. */
import type { OrganizationRole, PaceLevel } from '../protocol/contracts/organization-contract.ts';
import { PACE_LEVELS } from '../protocol/contracts/organization-contract.ts';
import type { SaluteReport } from '../protocol/contracts/salute-contract.ts';
import { withPace } from '../steering/pace-level.ts';
import type { PastFailure } from '../steering/past-calls.ts';
import type { WatchHistory } from '../steering/watch-history.ts';
import { NO_HISTORY } from '../steering/watch-history.ts';

/** `before`: the history after the report before it. */
export function historyOfReport(
  report: SaluteReport,
  role: OrganizationRole,
  before: WatchHistory,
): WatchHistory {
  const { activity, environment, time } = report;
  const total = activity.htn_total_steps ?? 0;
  const failures = recentFailures(report);
  const known: WatchHistory = {
    ...NO_HISTORY,
    turn: time.turns_elapsed,
    lastNumber: time.turns_elapsed,
    failures,
    // A report does not say whether turns without progress brought something new. The limit of the role is strict.
    sinceProgress: time.turns_since_progress,
    context: environment.context_fill_pct ?? null,
    compactions: before.compactions,
    plan: total === 0 ? null : { done: activity.htn_step ?? 0, total },
    subject: subjectOf(report),
    pace: before.pace,
  };
  // A report may say only how many calls failed. That is enough for the level, and not for a loop.
  const counted = countedFailures(report, failures);
  return { ...known, pace: reportedPace(withPace({ ...known, failures: counted }, role), report) };
}

/** The work of the agent is another one, so its history begins again. */
export function isNewWork(report: SaluteReport, before: SaluteReport | null): boolean {
  if (before === null) return true;
  return (
    report.time.task_started !== before.time.task_started ||
    report.time.turns_elapsed < before.time.turns_elapsed
  );
}

/** A report does not say what a failure was about. */
const NO_FINDING = { output: '', isTestRun: false, isFinding: false, isMissing: false } as const;

function recentFailures({ environment, time }: SaluteReport): readonly PastFailure[] {
  return (environment.tool_failures_recent ?? []).map(
    ({ tool, error_type: error, signature }, nth, all): PastFailure => ({
      // A report does not say in which turns they were. Most agents make one call in a turn.
      turn: Math.max(1, time.turns_elapsed - (all.length - 1 - nth)),
      ...{ tool, error, subject: null, call: signature, ...NO_FINDING },
      // Without the arguments, a tool with the same error is the best that is known.
      signature: signature === '' ? `${tool} ${error}` : signature,
    }),
  );
}

function countedFailures(
  { environment, time }: SaluteReport,
  recent: readonly PastFailure[],
): readonly PastFailure[] {
  const count = Math.min(20, environment.tool_failures_consecutive ?? 0);
  if (recent.length >= count) return recent;
  return Array.from({ length: count }, (_, nth): PastFailure => ({
    ...{ turn: time.turns_elapsed, tool: '', signature: `${nth}`, call: `${nth}` },
    ...{ error: 'execution', subject: null, ...NO_FINDING },
  }));
}

/** The agent's own level counts if it is more severe: it knows more than its report says. */
function reportedPace(
  { pace, turn }: WatchHistory,
  { status }: SaluteReport,
): WatchHistory['pace'] {
  if (pace === null || rank(status.pace_level) <= rank(pace.level)) return pace;
  return {
    ...pace,
    level: status.pace_level,
    calmTurns: 0,
    changedAt: pace.changedAt.at(-1) === turn ? pace.changedAt : [...pace.changedAt, turn],
  };
}

function rank(level: PaceLevel): number {
  return PACE_LEVELS.indexOf(level);
}

function subjectOf({ activity }: SaluteReport): string | null {
  const { htn_plan: plan = '', htn_step: step = 0, current_task: task = '' } = activity;
  if (plan !== '' && plan !== 'todo') return `${plan}, step ${step}`.slice(0, 160);
  return task === '' ? null : task.slice(0, 160);
}
