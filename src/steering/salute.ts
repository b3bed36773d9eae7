/** Makes the report of a role, and decides when one is due: on its interval, and when its state or its level changes. */
import type {
  OrganizationRole,
  PaceLevel,
  TaskDomain,
} from '../protocol/contracts/organization-contract.ts';
import type {
  AssessmentRecord,
  ReportHealth,
  SaluteReport,
} from '../protocol/contracts/salute-contract.ts';
import type { Anomaly } from './anomaly.ts';
import type { ReportFacts } from './report-facts.ts';
import type { WatchHistory } from './watch-history.ts';

/** What a report is about. */
export type ReportSubject = {
  readonly organization: string;
  readonly role: OrganizationRole;
  readonly domain: TaskDomain | null;
  readonly task: string;
  readonly folder: string;
  readonly model: string;
  /** The number of the attempt. */
  readonly number: number;
  readonly startedAt: number;
  readonly history: WatchHistory;
  readonly facts: ReportFacts;
  /** How the work ended. Absent: it continues. */
  readonly ended?: 'complete' | 'aborted';
};

/** The last report that was written. */
export type LastReport = {
  readonly role: string;
  readonly turn: number;
  readonly state: SaluteReport['status']['state'];
  readonly level: PaceLevel;
};

const TASK_CHARS_MAX = 300;

export function isReportDue(last: LastReport | null, next: LastReport, interval: number): boolean {
  if (last === null || last.role !== next.role) return true;
  if (last.state !== next.state || last.level !== next.level) return true;
  return next.turn - last.turn >= interval;
}

export function lastReportOf({ status, unit, time }: SaluteReport): LastReport {
  return {
    role: unit.role_id,
    turn: time.turns_elapsed,
    state: status.state,
    level: status.pace_level,
  };
}

export function makeReport(subject: ReportSubject, now: number): SaluteReport {
  const { role, history, facts, domain } = subject;
  const level = history.pace?.level ?? 'primary';
  const plan = history.plan ?? { done: 0, total: 0 };
  const task = subject.task.replaceAll(/\s+/g, ' ').slice(0, TASK_CHARS_MAX);
  return {
    _schema: 'orgkernel:salute_report',
    _version: '1.0',
    status: {
      state: stateOf(subject, level),
      progress: plan.total === 0 ? 0 : Math.round((plan.done / plan.total) * 100) / 100,
      pace_level: level,
      health: healthOf(level, history.failures.length),
    },
    activity: {
      current_task: task,
      bst_domain: domain ?? '',
      htn_plan: plan.total === 0 ? '' : 'todo',
      htn_step: plan.done,
      htn_total_steps: plan.total,
      current_tool: facts.tool,
      iterations_on_current_step: history.sinceProgress,
    },
    location: {
      working_directory: subject.folder,
      files_modified: [...facts.modified],
      files_read: [...facts.read],
      resources_claimed: [],
    },
    unit: {
      role_id: role.id,
      role_name: role.name,
      agent_number: subject.number,
      reports_to: role.reportsTo,
      organization: subject.organization,
    },
    time: {
      timestamp: new Date(now).toISOString(),
      task_started: new Date(subject.startedAt).toISOString(),
      elapsed_seconds: Math.max(0, Math.round((now - subject.startedAt) / 1000)),
      turns_elapsed: history.turn,
      turns_since_progress: history.sinceProgress,
      context_turns_remaining: null,
    },
    environment: {
      model: subject.model,
      context_fill_pct: history.context,
      context_tokens_used: facts.contextTokens,
      context_tokens_max: facts.contextTokensMax,
      gpu_available: false,
      tool_failures_consecutive: history.failures.length,
      tool_failures_total: facts.failuresTotal,
      memory_fragments_stored: 0,
      tool_failures_recent: history.failures.map(({ tool, error, signature }) => ({
        ...{ tool, error_type: error, signature },
      })),
    },
  };
}

function stateOf({ ended, domain, facts }: ReportSubject, level: PaceLevel): LastReport['state'] {
  if (ended !== undefined) return ended;
  switch (level) {
    case 'emergency':
      return 'aborted';
    case 'contingent':
      return 'escalating';
    case 'alternate':
      return 'error_recovery';
    case 'primary':
      if (domain === null) return 'idle';
      return facts.isWaiting ? 'waiting' : 'active';
  }
}

function healthOf(level: PaceLevel, failures: number): ReportHealth {
  if (level === 'contingent' || level === 'emergency') return 'critical';
  return level === 'alternate' || failures >= 2 ? 'degraded' : 'nominal';
}

const SEVERE: ReadonlySet<string> = new Set(['pace-emergency', 'pace-contingent', 'cascade']);
const ANOMALIES_MAX = 10;

/** What Supervisor thinks of the agent of a report. It may differ from what the report says. */
export function assess(
  { status, unit, time }: SaluteReport,
  anomalies: readonly Pick<Anomaly, 'detector' | 'words'>[],
  now: number,
): AssessmentRecord {
  const isSevere = anomalies.some(({ detector }) => SEVERE.has(detector));
  return {
    _schema: 'supervisor:assessment',
    _version: '1.0',
    role_id: unit.role_id,
    organization: unit.organization,
    timestamp: new Date(now).toISOString(),
    turn: time.turns_elapsed,
    health: isSevere ? 'critical' : anomalies.length > 0 ? 'degraded' : 'nominal',
    reported_health: status.health,
    anomalies: anomalies
      .slice(0, ANOMALIES_MAX)
      .map(({ detector, words }) => ({ detector, words: words.slice(0, TASK_CHARS_MAX) })),
  };
}
