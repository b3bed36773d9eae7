/**
 * The events of the journal. A run is a stream of these facts and nothing else: the next step is
 * computed from them. So every change to this file is a change of the format on disk. A fact is never
 * edited. A new meaning gets a new type or a higher `v`.
 */
import { z } from 'zod';
import { BudgetView } from './views/budget-view.ts';
import type { CommandBegun, CommandEnded, CommandNoted } from './commands.ts';
import type { AGENT_PROGRAM } from './long-lived-agent.ts';
import { MESSAGE_MAX } from './long-lived-agent.ts';
import type { AgentRunSettings, AttemptSettings } from './pinned-settings.ts';
import { Trigger } from './agent-rules.ts';
import { RunOutcome } from './outcome.ts';
import { TreeSnapshot } from './tree-place.ts';

/** In characters. */
export const COOLDOWN_REASON_MAX = 200;
const BECAUSE_MAX = 2000;
const NAME_MAX = 100;
export const REQUEST_KEY_MAX = 200;

const json: z.ZodType<Record<string, unknown>> = z.record(z.string(), z.json());

/** How one command ended; `CommandEnd` in `commands.ts` has the results. */
const End = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('done'), result: json }),
  z.strictObject({ kind: z.literal('interrupted') }),
  z.strictObject({ kind: z.literal('defect'), message: z.string() }),
]);

/**
 * The type of a value whose parts were typed when the owner wrote them. Over a wire, only its outer
 * form is checked.
 */
function written<Type>(outerForm: z.ZodType): z.ZodType<Type> {
  return outerForm as z.ZodType<Type>;
}

/** The signals that a person may send to any run. */
export const PersonSignal = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('stop') }),
  z.strictObject({ kind: z.literal('kill') }),
  z.strictObject({ kind: z.literal('retry-now') }),
  /** Let the next agent of the chain continue. */
  z.strictObject({ kind: z.literal('next') }),
  /** Until `unpause`, only questions begin and no model is called. A stop, a kill or a dismissal overrides it. */
  z.strictObject({ kind: z.literal('pause') }),
  z.strictObject({ kind: z.literal('unpause') }),
  z.strictObject({
    kind: z.literal('answer'),
    key: z.string(),
    answer: z.string(),
    /** By how much a spent budget is raised, if the answer is to continue. */
    budgetUsd: z.number().positive().exactOptional(),
    /** The cap on the tokens of the run, if the answer is to cap tokens because a price is unknown. */
    budgetTokens: z.int().positive().exactOptional(),
  }),
]);
export type PersonSignal = z.infer<typeof PersonSignal>;

const because = z.string().max(BECAUSE_MAX);

/**
 * The signals that only the owner sends, and only to a long-lived agent: for its supervisor, its parent, a
 * monitor or a person. Other runs ignore them.
 */
export const AgentSignal = z.discriminatedUnion('kind', [
  /** Its supervisor starts life n. Any number but the next one is ignored. */
  z.strictObject({ kind: z.literal('start-life'), life: z.int().positive() }),
  /** Its supervisor ends this life because of a sibling or an update. The work is kept. */
  z.strictObject({ kind: z.literal('end-life'), because }),
  /** It has used up its restarts. */
  z.strictObject({ kind: z.literal('restarts-exhausted'), because }),
  /** A person or its parent dismisses it. */
  z.strictObject({ kind: z.literal('dismiss'), because }),
  z.strictObject({
    kind: z.literal('message'),
    /** The name of an agent; null: a person. */
    from: z.string().max(NAME_MAX).nullable(),
    text: z.string().max(MESSAGE_MAX),
    /** The current turn is cancelled for it. */
    urgent: z.boolean().exactOptional(),
  }),
  z.strictObject({ kind: z.literal('trigger'), trigger: Trigger }),
  /** An issue for its parent, the root or a person. */
  z.strictObject({
    kind: z.literal('issue'),
    issue: z.strictObject({
      kind: z.string().max(NAME_MAX),
      what: because,
      choices: z.tuple([z.string().max(NAME_MAX)], z.string().max(NAME_MAX)),
      /** Other agents can't settle it: a person is asked at once. */
      direct: z.boolean().exactOptional(),
    }),
  }),
  /** It broke a rule. This only records the violation: the reaction is another signal. */
  z.strictObject({
    kind: z.literal('violation'),
    rule: z.string().max(NAME_MAX),
    action: z.enum(['log', 'notify', 'pause', 'reap', 'warn']),
    what: because,
    /** How often it broke this rule, as far as this owner knows. Not every violation has its own signal. */
    times: z.int().positive(),
  }),
]);

export type AgentSignal = z.infer<typeof AgentSignal>;

export const Signal = z.union([PersonSignal, AgentSignal]);
export type Signal = z.infer<typeof Signal>;

const PERSON_KINDS: ReadonlySet<string> = new Set(
  PersonSignal.options.map(({ shape }) => shape.kind.value),
);

export function isAgentSignal(signal: Signal): signal is AgentSignal {
  return !PERSON_KINDS.has(signal.kind);
}

/** A pause does not hold back a run that must end. */
export function endsPause({ kind }: Signal): boolean {
  return kind === 'unpause' || kind === 'stop' || kind === 'kill' || kind === 'dismiss';
}

/**
 * The request that a fact was written for: the key that the caller chose, and a digest of the request. A
 * caller that lost the answer asks again with the same key, and the fact shows that it was done.
 */
export const RequestMark = z.strictObject({
  key: z.string().max(REQUEST_KEY_MAX),
  digest: z.string(),
});
export type RequestMark = z.infer<typeof RequestMark>;

type SubmissionOf<Program extends string, Settings> = {
  readonly program: Program;
  readonly task: string;
  /** The absolute path of the project that the run belongs to. */
  readonly project: string;
  /** Pinned when submitted: a later edit of a file changes later runs only. */
  readonly settings: Settings;
  /** Where a notification goes when the run ends or asks: a command, or a URL. */
  readonly notify?: string | undefined;
  readonly request?: RequestMark;
};

/** A request for a run: the task, the project, and the program with its pinned settings. */
export type Submission = AttemptsSubmission | AgentSubmission;
export type AttemptsSubmission = SubmissionOf<typeof ATTEMPTS_PROGRAM, AttemptSettings>;
export type AgentSubmission = SubmissionOf<typeof AGENT_PROGRAM, AgentRunSettings>;

/** The name of the program of plain runs, in a run's first event. */
export const ATTEMPTS_PROGRAM = 'attempts';

export const Submission = written<Submission>(
  z.strictObject({
    program: z.string(),
    task: z.string(),
    project: z.string(),
    settings: json,
    notify: z.string().optional(),
    request: RequestMark.exactOptional(),
  }),
);

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
    request: RequestMark.exactOptional(),
  }),
  'command.begun': written<CommandBegun>(
    z.strictObject({
      key: z.string(),
      command: z.string(),
      input: json,
      limits: z.array(z.string()),
    }),
  ),
  /** A fact about a running command, such as a session id or the place of its output. */
  'command.noted': written<CommandNoted>(
    z.strictObject({ key: z.string(), command: z.string(), note: json }),
  ),
  'command.cancelled': z.strictObject({ key: z.string(), how: z.enum(['ask', 'kill']) }),
  'command.ended': written<CommandEnded>(
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
  }),
  'owner.stopped': z.strictObject({ reason: z.string() }),
  /** A run's work is about to be applied to the user's tree or to a branch. Written first. */
  'apply.begun': z.strictObject({
    run: z.string(),
    commit: z.string(),
    branch: z.string().nullable(),
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
    answer: json.exactOptional(),
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

/** Which notifications were sent. */
const notificationBodies = {
  /** A notification about a run is about to be sent. Written first, so that a repeated notification is known as one. */
  'notification.begun': z.strictObject({
    run: z.string(),
    /** The fact of the run that it is about. */
    seq: z.number().int(),
    about: z.enum(['ended', 'asks']),
  }),
  'notification.ended': z.strictObject({ run: z.string(), seq: z.number().int(), how: z.string() }),
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
export type NewNotificationEvent = NewEventOf<keyof typeof notificationBodies>;
type NewTreeEvent = NewEventOf<keyof typeof treeBodies>;
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

export const OWNER_STREAM = 'owner';
/** Which identities are cooling down until when: shared by all projects of one home. */
export const COOLDOWN_STREAM = 'cooldowns';
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
