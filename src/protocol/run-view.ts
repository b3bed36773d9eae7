/**
 * One run as facts that a screen or a query wants, folded from its stream. The view is stored for
 * speed and can be thrown away: folding the stream again gives the same value.
 */
import { z } from 'zod';
import type { StoredEvent, Submission } from './event.ts';
import { runOfStream } from './event.ts';
import { RunOutcome } from './outcome.ts';

export const OpenCommand = z.strictObject({
  key: z.string(),
  command: z.string(),
  begunAt: z.number(),
});

export const RunView = z.strictObject({
  id: z.string(),
  program: z.string(),
  task: z.string(),
  project: z.string(),
  submittedAt: z.number(),
  /** Begun and not ended, oldest first. */
  open: z.array(OpenCommand),
  begun: z.number().int(),
  /** How many of those were attempts. */
  attempts: z.number().int().default(0),
  lost: z.number().int(),
  stopAskedAt: z.number().nullable(),
  endedAt: z.number().nullable(),
  outcome: RunOutcome.nullable(),
  /** What the last attempt answered in the form that its role asks for. */
  answer: z.json().nullable().default(null),
  /** The seq of the last fact that this view has seen. */
  seq: z.number().int(),
});
export type RunView = z.infer<typeof RunView>;

/** The view after one more event of the run's own stream. Undefined: the run has no first fact yet. */
export function foldRunView(view: RunView | undefined, event: StoredEvent): RunView | undefined {
  if (event.type === 'run.submitted') return created(event, event.payload);
  if (event.type === 'run.forked') return created(event, event.payload.submission);
  if (view === undefined) return undefined;
  const seen = { ...view, seq: event.seq };
  switch (event.type) {
    case 'command.begun': {
      const { key, command } = event.payload;
      return {
        ...seen,
        begun: view.begun + 1,
        answer: command === 'attempt' ? null : (view.answer ?? null),
        attempts: attemptsOf(view) + (command === 'attempt' ? 1 : 0),
        open: [...view.open, { key, command, begunAt: event.at }],
      };
    }
    case 'command.ended': {
      const { key, end } = event.payload;
      const lost = view.lost + (end.kind === 'lost' ? 1 : 0);
      const open = view.open.filter((command) => command.key !== key);
      // What a person answers to a question is none.
      const isAttempt = view.open.some((one) => one.key === key && one.command === 'attempt');
      const answer = isAttempt && end.kind === 'done' ? end.result['answer'] : undefined;
      return answer === undefined
        ? { ...seen, lost, open }
        : { ...seen, lost, open, answer: answer as RunView['answer'] };
    }
    case 'signal.received': {
      const stops = event.payload.signal.kind === 'stop' || event.payload.signal.kind === 'kill';
      return stops ? { ...seen, stopAskedAt: view.stopAskedAt ?? event.at } : seen;
    }
    case 'run.ended':
      return { ...seen, endedAt: event.at, outcome: event.payload.outcome };
    case 'command.noted':
    case 'command.cancelled':
    case 'owner.started':
    case 'owner.stopped':
    case 'apply.begun':
    case 'apply.ended':
    case 'prune.begun':
    case 'prune.ended':
    case 'cooldown.set':
    case 'cooldown.cleared':
    case 'notice.begun':
    case 'notice.ended':
      return seen;
  }
}

/** A view that an older release has stored has no such count. */
function attemptsOf({ attempts }: { readonly attempts?: number }): number {
  return attempts ?? 0;
}

function created(event: StoredEvent, { program, task, project }: Submission): RunView {
  return {
    id: runOfStream(event.stream) ?? event.stream,
    program,
    task,
    project,
    submittedAt: event.at,
    open: [],
    begun: 0,
    attempts: 0,
    lost: 0,
    stopAskedAt: null,
    endedAt: null,
    outcome: null,
    answer: null,
    seq: event.seq,
  };
}

/** The states of a run that has not ended, beside its outcomes. */
export type RunStatus =
  | RunOutcome['kind']
  | 'queued'
  | 'preparing' // somebody looks around before an agent is chosen
  | 'running'
  | 'retrying' // an attempt after the first, or the wait before it
  | 'cooling' // only limits are in the way, and it waits for the first to end
  | 'verifying' // a gate runs
  | 'finalizing' // how it ends is decided; artifacts are taken over
  | 'waiting'
  | 'awaiting_input'
  | 'stopping';

/** Derived at every reading, never stored. */
export function runStatus(view: RunView): RunStatus {
  if (view.outcome !== null) return view.outcome.kind;
  if (view.stopAskedAt !== null) return 'stopping';
  const { open } = view;
  const attempts = attemptsOf(view);
  if (open.some(({ command }) => command === 'ask')) return 'awaiting_input';
  if (open.length === 0) return attempts === 0 ? 'queued' : 'retrying';
  if (open.every(({ command }) => command === 'wait')) return waiting(open);
  if (open.some(({ command }) => command === 'gate')) return 'verifying';
  if (open.some(({ command }) => command === 'finalize')) return 'finalizing';
  const isAttempt = open.some(({ command }) => command === 'attempt');
  if (isAttempt) return attempts > 1 ? 'retrying' : 'running';
  const looks = open.every(({ command }) => command === 'survey' || command === 'cool');
  if (!looks) return 'running';
  return attempts === 0 ? 'preparing' : 'retrying';
}

function waiting(open: RunView['open']): RunStatus {
  if (open.some(({ key }) => key.startsWith('cooling-'))) return 'cooling';
  return open.some(({ key }) => key.startsWith('backoff-')) ? 'retrying' : 'waiting';
}

/** The status as a person reads it. */
export function statusText(view: RunView): string {
  const status = runStatus(view);
  if (status !== 'retrying') return status;
  const isOpen = view.open.some(({ command }) => command === 'attempt');
  return `retrying (attempt ${attemptsOf(view) + (isOpen ? 0 : 1)})`;
}
