/**
 * The report of an agent about itself, as a file that others read: status, activity, location, unit, time, environment.
 * Reports of agents elsewhere are data of unknown origin, so every text in them is bounded.
 */
import { z } from 'zod';
import { PACE_LEVELS } from './organization-contract.ts';
import { TOOL_ERRORS } from '../turn.ts';

const REPORT_STATES = [
  'idle',
  'active',
  'waiting',
  'error_recovery',
  'escalating',
  'complete',
  'aborted',
] as const;
const REPORT_HEALTH = ['nominal', 'degraded', 'critical'] as const;
export type ReportHealth = (typeof REPORT_HEALTH)[number];

const line = z.string().max(500).catch('');
const names = z.array(z.string().max(500)).max(50).catch([]);
const count = z.number().int().min(0).max(1e9).catch(0);
/** An unknown role is the empty text, and its report is refused. */
const ROLE_ID = /^[a-z][a-z0-9_-]{0,63}$/;

export const SaluteReport = z.object({
  _schema: z.literal('orgkernel:salute_report'),
  _version: z.string().max(20).catch('1.0'),
  status: z.object({
    state: z.enum(REPORT_STATES),
    progress: z.number().min(0).max(1).catch(0),
    pace_level: z.enum(PACE_LEVELS).catch('primary'),
    health: z.enum(REPORT_HEALTH).catch('nominal'),
  }),
  activity: z
    .object({
      current_task: line,
      bst_domain: line,
      htn_plan: line,
      htn_step: count,
      htn_total_steps: count,
      current_tool: line,
      iterations_on_current_step: count,
    })
    .partial()
    .catch({}),
  location: z
    .object({
      working_directory: line,
      files_modified: names,
      files_read: names,
      resources_claimed: names,
    })
    .partial()
    .catch({}),
  unit: z.object({
    role_id: z.string().regex(ROLE_ID),
    role_name: line,
    agent_number: count,
    reports_to: z.string().max(100).nullable().catch(null),
    organization: line,
  }),
  time: z.object({
    timestamp: z.iso.datetime({ offset: true }),
    task_started: z.string().max(50).nullable().catch(null),
    elapsed_seconds: z.number().min(0).catch(0),
    turns_elapsed: count,
    turns_since_progress: count,
    context_turns_remaining: z.number().nullable().catch(null),
  }),
  environment: z
    .object({
      model: line,
      context_fill_pct: z.number().min(0).max(1).nullable().catch(null),
      context_tokens_used: count,
      context_tokens_max: count,
      gpu_available: z.boolean().catch(false),
      tool_failures_consecutive: count,
      tool_failures_total: count,
      memory_fragments_stored: count,
      /** The last failures since a success. A report without them says only how many there are. */
      tool_failures_recent: z
        .array(
          z.object({
            tool: z.string().max(100),
            error_type: z.enum(TOOL_ERRORS).catch('execution'),
            signature: z.string().max(100).catch(''),
          }),
        )
        .max(20)
        .catch([]),
    })
    .partial()
    .catch({}),
});
export type SaluteReport = z.infer<typeof SaluteReport>;

/** What Supervisor thinks of an agent. It is a record of its own: the agent's report is never changed. */
export type AssessmentRecord = {
  readonly _schema: 'supervisor:assessment';
  readonly _version: '1.0';
  readonly role_id: string;
  readonly organization: string;
  readonly timestamp: string;
  readonly turn: number;
  readonly health: ReportHealth;
  /** The health that the agent reports. */
  readonly reported_health: ReportHealth;
  readonly anomalies: readonly { readonly detector: string; readonly words: string }[];
};
