/**
 * The events of the journal. A run is a stream of these facts and nothing else: the next step is
 * computed from them. So every change to this file is a change of the format on disk. A fact is never
 * edited. A new meaning gets a new type or a higher `v`.
 */
import { z } from 'zod';
import { BREAKER_REASON_MAX, BreakerKey } from './breaker.ts';
import { BudgetView } from './views/budget-view.ts';
import { WorkflowView } from './views/workflow-view.ts';
import type { CommandBegun, CommandEnded, CommandNoted } from './commands.ts';
import { RunOutcome } from './outcome.ts';
import { Signal } from './signal.ts';
import { RequestMark, Submission } from './run-submission.ts';
import { TreeSnapshot } from './tree-place.ts';
import { jsonRecord, writtenByOwner } from './written-by-owner.ts';

/** In characters. */
export const COOLDOWN_REASON_MAX = 200;
export const SCHEDULE_WHY_MAX = 1000;
/** More commits than one task makes. */
export const ROLLED_BACK_MAX = 1000;

/** How one command ended; `CommandEnd` in `commands.ts` has the results. */
const End = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('done'), result: jsonRecord }),
  z.strictObject({ kind: z.literal('interrupted') }),
  z.strictObject({ kind: z.literal('defect'), message: z.string() }),
]);

/** Only the monitor itself reads its memory. A memory that it can't read is dropped. */
const MonitorRecord = z.strictObject({
  monitor: z.string(),
  /** A run, or a place in the tree with several runs. */
  subject: z.string(),
  /** Null: the memory is empty. */
  memory: z.json(),
  /** The signals that it has decided on and may not have sent yet. */
  unsent: z.array(
    z.strictObject({
      run: z.string(),
      signal: Signal,
      /** When it was decided; milliseconds since 1970. */
      at: z.number(),
    }),
  ),
});
export type MonitorRecord = z.infer<typeof MonitorRecord>;

/** The stream of one run. */
const runBodies = {
  'run.submitted': Submission,
  /** The first fact of a run that continues from the first `seq` facts of another run, which are read there. */
  'run.forked': z.strictObject({
    from: z.string(),
    seq: z.number().int(),
    submission: Submission,
    /** The budget at its start: money that the other run has spent stays spent, wherever this run continues from. */
    budget: BudgetView.exactOptional(),
    /** The number of the other run's last attempt: those of this run come after it. Absent: it has none of its own. */
    lastAttempt: z.number().int().exactOptional(),
    /** How far the steps of a workflow were there. */
    workflow: WorkflowView.exactOptional(),
    request: RequestMark.exactOptional(),
  }),
  'command.begun': writtenByOwner<CommandBegun>(
    z.strictObject({
      key: z.string(),
      command: z.string(),
      input: jsonRecord,
      limits: z.array(z.string()),
    }),
  ),
  /** A fact about a running command, such as a session id or the place of its output. */
  'command.noted': writtenByOwner<CommandNoted>(
    z.strictObject({ key: z.string(), command: z.string(), note: jsonRecord }),
  ),
  'command.cancelled': z.strictObject({ key: z.string(), how: z.enum(['ask', 'kill']) }),
  'command.ended': writtenByOwner<CommandEnded>(
    z.strictObject({ key: z.string(), command: z.string(), end: End }),
  ),
  'signal.received': z.strictObject({ signal: Signal, request: RequestMark.exactOptional() }),
  'run.ended': z.strictObject({ outcome: RunOutcome }),
} as const;

/** The owner's own stream. */
const ownerBodies = {
  /** A process became the owner. Commands that had begun and not ended before this were interrupted. */
  'owner.started': z.strictObject({
    pid: z.number().int(),
    version: z.string(),
    /** The tag of its processes. */
    ownerId: z.string().optional(),
    /** When the owner before it was last known to be alive. Absent: there was none, or it is not known. */
    aliveAt: z.number().exactOptional(),
  }),
  'owner.stopped': z.strictObject({ reason: z.string() }),
  /** A run's work is about to be applied to the user's tree or to a branch. Written first. */
  'apply.begun': z.strictObject({
    run: z.string(),
    commit: z.string(),
    /** A new branch. Null: the user's tree. */
    branch: z.string().nullable(),
    /** The branch that was checked out. Absent: none, or the project is no repository. */
    onto: z.string().exactOptional(),
    /** The user's state before it, a commit of the shadow repository. Absent: no file of the tree changes. */
    before: z.string().exactOptional(),
    files: z.number().int(),
    /** The paths that need approval and that a person has approved. Absent: none. */
    included: z.array(z.string()).exactOptional(),
    request: RequestMark.exactOptional(),
  }),
  'apply.ended': z.strictObject({
    run: z.string(),
    commit: z.string(),
    how: z.string(),
    /** The answer to the caller. A caller that lost it gets it again. */
    answer: jsonRecord.exactOptional(),
  }),
  /** The applied files are in a commit of the user's repository. */
  'apply.committed': z.strictObject({
    run: z.string(),
    /** The commit of the user's repository. */
    made: z.string(),
    branch: z.string().nullable(),
  }),
  /** The branch with the work of a run was merged, by the user's own git. */
  'work.merged': z.strictObject({
    run: z.string(),
    branch: z.string(),
    /** The branch that was checked out. */
    into: z.string(),
    /** The commit that was checked out afterwards. */
    made: z.string(),
  }),
  /** The work of a run was taken out of the user's history: commits were reverted, or its branch was deleted. */
  'work.rolled-back': z.strictObject({
    run: z.string(),
    how: z.enum(['reverted', 'branch-deleted', 'branch-shortened']),
    /** The commits that had the work. */
    commits: z.array(z.string()).max(ROLLED_BACK_MAX),
    /** Only this phase of a feature. Absent: all work of the run. */
    phase: z.string().exactOptional(),
    /** The path of another project that the feature spans. Absent: that of the run. */
    project: z.string().exactOptional(),
  }),
  /** The files that an apply changed are about to be restored. Written first. */
  'undo.begun': z.strictObject({
    run: z.string(),
    commit: z.string(),
    /** The state that is restored: `before` of the apply. */
    restores: z.string(),
    files: z.number().int(),
    request: RequestMark.exactOptional(),
  }),
  'undo.ended': z.strictObject({
    run: z.string(),
    commit: z.string(),
    how: z.string(),
    answer: jsonRecord.exactOptional(),
  }),
  /**
   * Files of runs that ended before that time are about to be removed. Written first. `agents`: the active
   * agents whose earlier lives have left files.
   */
  'prune.begun': z.strictObject({
    before: z.number(),
    runs: z.number().int(),
    agents: z.number().int().exactOptional(),
  }),
  'prune.ended': z.strictObject({
    runs: z.number().int(),
    agents: z.number().int().exactOptional(),
    bytes: z.number().int(),
    remaining: z.number().int(),
  }),
} as const;

/** Which identities are cooling down, in all projects of one home. */
const cooldownBodies = {
  /** A limit of a provider has ended an attempt. The identity cools down until then, in all projects. */
  'cooldown.set': z.strictObject({
    identity: z.string(),
    /** Its name in the run. */
    agent: z.string(),
    run: z.string(),
    /** Milliseconds since 1970. */
    until: z.number(),
    reason: z.string().max(COOLDOWN_REASON_MAX),
  }),
  /** A person has allowed to try these again. */
  'cooldown.cleared': z.strictObject({ identities: z.array(z.string()) }),
} as const;

/** The circuit breakers of steps, in all projects of one home. */
const breakerBodies = {
  /** A visit of a step has failed. `failure` is its id, so that it counts once. */
  'breaker.failed': BreakerKey.extend({
    run: z.string(),
    failure: z.string(),
    reason: z.string().max(BREAKER_REASON_MAX),
  }),
  /** One run tries a step whose breaker is open. */
  'breaker.probed': BreakerKey.extend({ run: z.string() }),
  /** The step has passed. Without a run, a person closed the breaker. */
  'breaker.closed': BreakerKey.extend({ run: z.string().exactOptional() }),
} as const;

const ScheduleTime = z.strictObject({
  name: z.string(),
  /** The time that it is about; milliseconds since 1970. */
  due: z.number(),
});

/** Runs that start at set times. */
const scheduleBodies = {
  'schedule.added': z.strictObject({
    name: z.string(),
    cron: z.string(),
    /** An IANA name. */
    timeZone: z.string(),
    missed: z.enum(['run', 'skip']),
    /** What `supervisor run` would have sent. It is checked again when it is due. */
    runRequest: jsonRecord,
  }),
  'schedule.removed': z.strictObject({ name: z.string() }),
  /** A run for this time is about to be submitted. Written first. */
  'schedule.begun': ScheduleTime,
  'schedule.started': ScheduleTime.extend({ run: z.string() }),
  'schedule.refused': ScheduleTime.extend({ why: z.string().max(SCHEDULE_WHY_MAX) }),
  /** No run was started for this time, nor for those between the last one on record and this one. */
  'schedule.skipped': ScheduleTime.extend({ because: z.enum(['missed', 'still-running']) }),
} as const;

/** Which notifications were sent. */
const notificationBodies = {
  /** A notification about a run is about to be sent. Written first, so that a repeated notification is known as one. */
  'notification.begun': z.strictObject({
    run: z.string(),
    /** The fact of the run that it is about. */
    seq: z.number().int(),
    /** The notifier of the settings. Absent: the address of the run. */
    to: z.string().exactOptional(),
    about: z.enum(['ended', 'asks', 'login', 'paused']),
  }),
  'notification.ended': z.strictObject({
    run: z.string(),
    seq: z.number().int(),
    to: z.string().exactOptional(),
    how: z.string(),
  }),
} as const;

/** The tree of long-lived agents. */
const treeBodies = {
  /** A snapshot of the tree of long-lived agents: its supervisors, and the restarts of each child. Earlier events need not be read. */
  'tree.snapshot': z.strictObject({ tree: TreeSnapshot }),
  /** A supervisor is about to restart a child. Written first, so that the next owner still recognizes a crash loop. */
  'tree.restarting': z.strictObject({
    /** From the top: `shop-1a2b/team`. */
    supervisor: z.string(),
    child: z.string(),
    /** Milliseconds since 1970. */
    at: z.number(),
    /** The restarts of this child in its own window, and in a row. */
    restarts: z.array(z.number()),
    streak: z.number().int(),
  }),
} as const;

/** What the monitors remember. */
const monitorBodies = {
  /** The memory of a monitor about one agent that it watches. The last event holds. */
  'monitor.noted': MonitorRecord,
  /** The same for all watched agents. Earlier events need not be read. */
  'monitor.snapshot': z.strictObject({ all: z.array(MonitorRecord) }),
} as const;

const bodies = {
  ...runBodies,
  ...ownerBodies,
  ...cooldownBodies,
  ...breakerBodies,
  ...scheduleBodies,
  ...notificationBodies,
  ...treeBodies,
  ...monitorBodies,
} as const;

export type EventType = keyof typeof bodies;
export type Payload<Type extends EventType> = z.infer<(typeof bodies)[Type]>;

type NewEventOf<Type extends EventType> = {
  readonly [Each in Type]: { readonly type: Each; readonly payload: Payload<Each> };
}[Type];

/** Events that are not stored yet, by stream. */
export type NewRunEvent = NewEventOf<keyof typeof runBodies>;
export type NewOwnerEvent = NewEventOf<keyof typeof ownerBodies>;
export type NewCooldownEvent = NewEventOf<keyof typeof cooldownBodies>;
export type NewBreakerEvent = NewEventOf<keyof typeof breakerBodies>;
export type NewScheduleEvent = NewEventOf<keyof typeof scheduleBodies>;
export type NewNotificationEvent = NewEventOf<keyof typeof notificationBodies>;
export type NewTreeEvent = NewEventOf<keyof typeof treeBodies>;
export type NewMonitorEvent = NewEventOf<keyof typeof monitorBodies>;
export type NewEvent = NewEventOf<EventType>;

export type Stored = {
  /** Its position in the whole journal. It grows and is never reused. */
  readonly id: number;
  readonly stream: string;
  /** Its position in its stream: 1, 2, 3 … without a gap. */
  readonly seq: number;
  /** The version of this event's payload. */
  readonly v: number;
  /** Milliseconds since 1970. */
  readonly at: number;
};

/** Events as the journal stores them, by stream. */
export type RunEvent = Stored & NewRunEvent;
export type OwnerEvent = Stored & NewOwnerEvent;
export type CooldownEvent = Stored & NewCooldownEvent;
export type BreakerEvent = Stored & NewBreakerEvent;
export type ScheduleEvent = Stored & NewScheduleEvent;
export type NotificationEvent = Stored & NewNotificationEvent;
export type TreeEvent = Stored & NewTreeEvent;
export type MonitorEvent = Stored & NewMonitorEvent;
export type StoredEvent = Stored & NewEvent;

export const EVENT_VERSION = 1;

const envelope = z.object({
  id: z.number().int(),
  stream: z.string(),
  seq: z.number().int(),
  v: z.literal(EVENT_VERSION),
  at: z.number(),
});

/** For events that come over a wire. The journal trusts its own events. */
export const StoredEventSchema: z.ZodType<StoredEvent> = z.custom<StoredEvent>(
  (value) => isEvent(value, bodies),
  'not an event of the journal',
);
export const RunEventSchema: z.ZodType<RunEvent> = z.custom<RunEvent>(
  (value) => isEvent(value, runBodies),
  'not an event of a run',
);

function isEvent(value: unknown, known: Readonly<Partial<Record<string, z.ZodType>>>): boolean {
  const head = envelope.safeParse(value);
  if (!head.success) return false;
  const { type, payload } = value as { type: string; payload: unknown };
  return Object.hasOwn(known, type) && known[type]?.safeParse(payload).success === true;
}
