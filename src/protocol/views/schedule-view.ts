/** Runs at set times: what a command asks for, and what it sees. */
import { z } from 'zod';
import { RunRequest } from '../api.ts';

/** More than a person looks after. */
export const SCHEDULES_MAX = 100;
const CRON_CHARS_MAX = 200;
const ZONE_CHARS_MAX = 100;

/** What happens to a time at which no owner ran: one run afterwards, or none. */
export const MISSED_POLICIES = ['run', 'skip'] as const;
export type MissedPolicy = (typeof MISSED_POLICIES)[number];

const ScheduleName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'is no name: use up to 32 of a-z, 0-9, - and _');

export const AddScheduleRequest = z.strictObject({
  /** Absent: the owner chooses one. */
  name: ScheduleName.optional(),
  cron: z.string().min(1).max(CRON_CHARS_MAX),
  /** An IANA name. */
  timeZone: z.string().min(1).max(ZONE_CHARS_MAX),
  missed: z.enum(MISSED_POLICIES).default('run'),
  run: RunRequest,
});
export type AddScheduleRequest = z.input<typeof AddScheduleRequest>;

export const RemoveScheduleRequest = z.strictObject({ name: z.string().min(1).max(200) });
export type RemoveScheduleRequest = z.infer<typeof RemoveScheduleRequest>;

const ScheduleLast = z.strictObject({
  /** Milliseconds since 1970. */
  due: z.number(),
  result: z.enum(['started', 'refused', 'missed', 'still-running']),
  /** The last run that it started. */
  run: z.string().nullable(),
  /** Why the run was refused. */
  why: z.string().nullable(),
});
export type ScheduleLast = z.infer<typeof ScheduleLast>;

export const ScheduleView = z.strictObject({
  name: z.string(),
  cron: z.string(),
  timeZone: z.string(),
  missed: z.enum(MISSED_POLICIES),
  task: z.string(),
  project: z.string(),
  addedAt: z.number(),
  /** Null: never again. */
  nextAt: z.number().nullable(),
  /** Null: it was never due. */
  last: ScheduleLast.nullable(),
});
export type ScheduleView = z.infer<typeof ScheduleView>;
