/** The streams of the journal, and which events each of them takes. */
import type {
  NewBreakerEvent,
  NewCooldownEvent,
  NewEvent,
  NewMonitorEvent,
  NewNotificationEvent,
  NewOwnerEvent,
  NewRunEvent,
  NewScheduleEvent,
  NewTreeEvent,
  RunEvent,
  Stored,
  StoredEvent,
} from './event.ts';

export const OWNER_STREAM = 'owner';
/** Which identities are cooling down until when: shared by all projects of one home. */
export const COOLDOWN_STREAM = 'cooldowns';
/** Which steps of workflows fail again and again: shared by all runs of one home. */
export const BREAKER_STREAM = 'breakers';
/** Runs that start at set times. */
export const SCHEDULE_STREAM = 'schedules';
/** Which notifications were sent. */
export const NOTIFICATION_STREAM = 'notifications';
/** The supervisors and children of the tree of long-lived agents, and how often they were restarted. */
export const TREE_STREAM = 'tree';
/** What the monitors remember about the agents that they watch. */
export const MONITOR_STREAM = 'monitors';

export type RunStream = `run/${string}`;

type NewEventsByStream = {
  readonly [OWNER_STREAM]: NewOwnerEvent;
  readonly [COOLDOWN_STREAM]: NewCooldownEvent;
  readonly [BREAKER_STREAM]: NewBreakerEvent;
  readonly [SCHEDULE_STREAM]: NewScheduleEvent;
  readonly [NOTIFICATION_STREAM]: NewNotificationEvent;
  readonly [TREE_STREAM]: NewTreeEvent;
  readonly [MONITOR_STREAM]: NewMonitorEvent;
};

/** The events that a stream takes. A stream whose name is only known at run time takes any. */
export type NewEventIn<Name extends string> = Name extends RunStream
  ? NewRunEvent
  : Name extends keyof NewEventsByStream
    ? NewEventsByStream[Name]
    : NewEvent;
export type EventIn<Name extends string> = Stored & NewEventIn<Name>;

export function runStream(run: string): RunStream {
  return `run/${run}`;
}

/** The run that a stream belongs to, or undefined for any other stream. */
export function runOfStream(stream: string): string | undefined {
  return stream.startsWith('run/') ? stream.slice(4) : undefined;
}

export function isRunEvent(event: StoredEvent): event is RunEvent {
  return runOfStream(event.stream) !== undefined;
}
