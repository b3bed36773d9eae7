/**
 * An event of the journal as scripts read it. It has the facts that a script can use, under stable names. The stored
 * form, with all settings and internal notes, is the format on disk and may change.
 */
import { z } from 'zod';
import { WAIT_REASONS } from '../protocol/commands.ts';
import { RunOutcome } from '../protocol/outcome.ts';
import { costUsd, documentSchema, field, runId, time, tokens } from './document.ts';
import { fullReason, shortReason } from './reason-fields.ts';

const text = z.string().nullable();
const count = z.int().nullable();

/** The kinds of steps in a run. */
export const COMMANDS = [
  'attempt',
  'gate',
  'baseline',
  'setup',
  'finalize',
  'check-availability',
  'set-cooldown',
  'claim-item',
  'release-item',
  'send-message',
  'deliver-message',
  'broadcast',
  'prepare-step',
  'collect-step',
  'open-base',
  'merge-work',
  'write-interfaces',
  'assess-change',
  'update-breaker',
  'commit-work',
  'run',
  'wait',
  'ask',
] as const;

const about = {
  key: field(z.string(), 'The step of the run, such as attempt-1. It begins and ends once.'),
  command: field(z.enum(COMMANDS), 'The kind of the step.'),
};

const DATA = {
  'run.submitted': {
    task: z.string(),
    project: z.string(),
    kind: field(z.enum(['run', 'agent']), 'agent: a long-lived agent.'),
    agent_id: field(text, 'The first agent to try.'),
    parent_run_id: field(runId.nullable(), 'The run that started it.'),
  },
  'run.forked': {
    from_run_id: field(runId, 'The run that it continues.'),
    from_seq: z.int(),
    task: z.string(),
    project: z.string(),
    parent_run_id: field(runId.nullable(), 'The run that started it.'),
  },
  'command.begun': {
    ...about,
    agent_id: field(text, 'For an attempt, a cooldown, or a wait before an attempt.'),
    attempt: field(count, 'For an attempt, and for a gate: the number of the attempt.'),
    gate: field(text, 'For a gate, on the base too: its name.'),
    wait_reason: field(z.enum(WAIT_REASONS).nullable(), 'For a wait.'),
    until: field(time.nullable(), 'For a wait or a cooldown: its end.'),
    question: field(text, 'For a question to you.'),
    choices: field(z.array(z.string()), 'For a question: the valid answers. Empty: any text.'),
    child_run_id: field(runId.nullable(), 'For run: the run that it starts.'),
  },
  'command.noted': {
    ...about,
    note: field(z.string(), 'What was noted: started, committed, spent, session, quota …'),
    pid: field(count, 'started: the process.'),
    sandbox: field(text, 'started: the backend, or none.'),
    container_id: text,
    session_id: field(text, "session: the agent's own name for its conversation."),
    total_tokens: field(tokens, 'spent: of these calls.'),
    input_tokens: field(tokens, 'spent: of these calls.'),
    output_tokens: field(tokens, 'spent: of these calls.'),
    cost_usd: field(costUsd, 'spent: of these calls. Null: a price is unknown.'),
    commit: field(text, 'committed: the commit that holds the work.'),
    ref: field(text, 'committed: the ref that names it.'),
    files_changed: field(count, 'committed: the number of files.'),
    child_run_id: field(runId.nullable(), 'continued: the run that continues a child.'),
    detector: field(text, 'anomaly, detector-defect: its detector.'),
    decision: field(text, 'anomaly: shadow, sent, held-out, outranked, undelivered or paused.'),
    turn: field(count, 'anomaly: the turn of its conversation.'),
    model: field(text, 'anomaly: the model.'),
    message_id: field(text, 'anomaly, message-seen: the message to the agent.'),
    detail: field(text, 'anomaly, detector-defect: what was found, or what went wrong.'),
  },
  'command.cancelled': { key: about.key, how: z.enum(['ask', 'kill']) },
  'command.ended': {
    ...about,
    result: field(
      z.string(),
      'completed, passed, failed, unable, stopped, interrupted, timed-out … or done, if there is no other word.',
    ),
    gate: field(text, 'For a gate, on the base too: its name.'),
    exit_code: field(count, 'For an attempt or a gate. Null: it did not exit by itself.'),
    failure_reason: field(text, 'For an attempt that failed.'),
    detail: field(text, 'A summary, an error, or an answer.'),
    child_run_id: field(runId.nullable(), 'For run: the run that has ended.'),
  },
  'signal.received': {
    signal: field(z.string(), 'stop, kill, pause, unpause, answer, message, tell …'),
    answer: field(text, 'For an answer.'),
    approver: field(text, 'For a decision about a change: the approver who gave their secret.'),
    tree: field(text, 'For a decision about a change: the work that it is about.'),
    channel: field(
      text,
      'For a decision: terminal, api, web or phone. For another answer: only web or phone.',
    ),
    edited_tree: field(text, 'For the answer edit: the work as the person has changed it.'),
    message_id: field(text, 'For tell: the message to the agent.'),
    verb: field(text, 'For tell: steer, queue or interrupt.'),
    origin: field(text, 'For tell: person, steering, violation or feedback.'),
  },
  'run.ended': { state: RunOutcome.shape.kind, reason: shortReason, full_reason: fullReason },
  'owner.started': { pid: z.int(), version: z.string() },
  'owner.stopped': { reason: z.string() },
  'apply.begun': { commit: z.string(), branch: text, files_changed: z.int() },
  'apply.ended': { commit: z.string(), result: z.string() },
  'apply.committed': {
    commit: field(z.string(), 'The commit of your repository.'),
    branch: text,
  },
  'work.merged': {
    branch: field(z.string(), 'The branch with the work.'),
    into: field(z.string(), 'The branch that was checked out.'),
    commit: field(z.string(), 'The commit that was checked out afterwards.'),
  },
  'work.rolled-back': {
    action: z.enum(['reverted', 'branch-deleted', 'branch-shortened']),
    commits: field(z.array(z.string()), 'The commits that had the work.'),
    phase: field(z.string().nullable(), 'The phase of a feature. Null: all work of the run.'),
    project: field(
      z.string().nullable(),
      'Another project that the feature spans. Null: that of the run.',
    ),
  },
  'undo.begun': { commit: z.string(), files_changed: z.int() },
  'undo.ended': { commit: z.string(), result: z.string() },
  'prune.begun': { before: time, runs: z.int(), agents: z.int() },
  'prune.ended': { runs: z.int(), agents: z.int(), bytes_deleted: z.int(), remaining: z.int() },
  'cooldown.set': { agent_id: z.string(), until: time, reason: z.string() },
  'cooldown.cleared': { identities: z.array(z.string()) },
  'breaker.failed': {
    project: z.string(),
    workflow: z.string(),
    step: z.string(),
    reason: z.string(),
  },
  'breaker.probed': { project: z.string(), workflow: z.string(), step: z.string() },
  'breaker.closed': { project: z.string(), workflow: z.string(), step: z.string() },
  'schedule.added': {
    name: z.string(),
    cron: z.string(),
    time_zone: z.string(),
    missed: z.enum(['run', 'skip']),
  },
  'schedule.removed': { name: z.string() },
  'schedule.begun': { name: z.string(), due: time },
  'schedule.started': { name: z.string(), due: time },
  'schedule.refused': { name: z.string(), due: time, reason: z.string() },
  'schedule.skipped': { name: z.string(), due: time, reason: z.enum(['missed', 'still-running']) },
  'notification.begun': {
    about: z.enum(['ended', 'asks', 'login', 'paused']),
    notifier: field(text, 'The notifier of the settings. Null: the address of the run.'),
  },
  'notification.ended': {
    result: z.string(),
    notifier: field(text, 'The notifier of the settings. Null: the address of the run.'),
  },
  'tree.snapshot': {},
  'tree.restarting': { supervisor: z.string(), child: z.string(), restarts_in_a_row: z.int() },
  'monitor.noted': { monitor: z.string(), subject: z.string() },
  'monitor.snapshot': {},
} as const;

type Data = { readonly [Type in keyof typeof DATA]: z.infer<z.ZodObject<(typeof DATA)[Type]>> };
export type EventData = {
  [Type in keyof Data]: { readonly type: Type; readonly data: Data[Type] };
}[keyof Data];

const head = {
  id: field(z.int(), 'Its position in the journal. It grows and is never reused.'),
  run_id: field(runId.nullable(), 'The run that it is about. Null: about no single run.'),
  seq: field(z.int(), 'Its position among the events of its stream, from 1.'),
  stream: field(z.string(), 'run/ID for the events of a run, or the stream of a component.'),
  at: time,
  message: field(z.string(), 'The same for a person. The words may change.'),
};

function eventOf<Type extends keyof typeof DATA>(type: Type) {
  return documentSchema('events', `An event of the type ${type}.`, {
    ...head,
    type: z.literal(type),
    data: z.strictObject(DATA[type]),
  });
}

const [first, ...rest] = (Object.keys(DATA) as (keyof typeof DATA)[]).map((type) => eventOf(type));

export const EventDocument = z
  .union(first === undefined ? [] : [first, ...rest])
  .meta({ title: 'supervisor events', description: 'An event of the journal, one per line.' });

export type EventDocument = EventData & {
  readonly schema: 'supervisor.events/1';
  readonly id: number;
  readonly run_id: string | null;
  readonly seq: number;
  readonly stream: string;
  readonly at: string;
  readonly message: string;
};
