/** What is known about a run that has not ended, for the records of its attempts. */
import type { Note } from '../protocol/commands.ts';
import type { Submission } from '../protocol/run-submission.ts';
import { WORKFLOW_PROGRAM } from '../protocol/run-submission.ts';
import { stepOfKey } from '../protocol/step-key.ts';
import type { AttemptHistory } from '../reports/runs/attempt-history.ts';

/** It is stored with the position of the fold, so it is plain data. */
export type OpenRun = {
  role: string | null;
  task: string;
  workflow: string | null;
  step: string | null;
  parent: string | null;
  /** It began with another agent than its default because of what earlier attempts say. */
  leftDefault: boolean;
  /** Of a workflow: the names of its steps. */
  steps: readonly string[];
  /** When its last fact was written. */
  lastAt: number;
  /** Since its last attempt. */
  throttledMs: number;
  waits: Record<string, number>;
  attempt: OpenAttempt | null;
  /** The place of the record of its last attempt. */
  last: number | null;
  /** Of a workflow: the place of the last record of each run that it has started. */
  children: Record<string, number>;
  /** Gates that are running: the record that each judges. */
  gates: Record<string, number>;
};

export type OpenAttempt = {
  history: AttemptHistory;
  queuedMs: number;
  model: string | null;
  /** When the calls began that are open now, by number. */
  calls: Record<string, number>;
  /** Since when at least one call is open. */
  busySince: number | null;
  modelMs: number | null;
};

/** `parent`: the run that started it, if that is known. */
export function openRun(submission: Submission, parent: OpenRun | undefined, at: number): OpenRun {
  const { settings, program, parent: link, choice } = submission;
  const definition = program === WORKFLOW_PROGRAM ? settings.workflow.definition : undefined;
  const steps = definition === undefined ? [] : Object.keys(definition.steps);
  // Runs of earlier versions may lack a part of their settings.
  const brief = (settings as Partial<typeof settings>).brief;
  return {
    role: brief?.role ?? null,
    task: brief?.answer ?? 'task',
    workflow: definition?.name ?? parent?.workflow ?? null,
    step: (link && parent && stepOfKey(link.key, parent.steps)?.step) ?? null,
    parent: link?.run ?? null,
    leftDefault: choice?.kind === 'learned' || choice?.kind === 'explored',
    steps,
    lastAt: at,
    throttledMs: 0,
    waits: {},
    attempt: null,
    last: null,
    children: {},
    gates: {},
  };
}

/** The time with an open model call, from the notes before and after each call. */
export function noteCall(attempt: OpenAttempt, note: Note<'attempt'>, at: number): void {
  if (note.kind === 'reserved') {
    attempt.calls[note.call] = at;
    attempt.busySince ??= at;
  } else if (note.kind === 'spent') {
    for (const call of note.settled) delete attempt.calls[call];
    if (Object.keys(attempt.calls).length === 0) closeCalls(attempt, at);
  } else if (note.kind === 'turn' && note.turn.kind === 'main') attempt.model ??= note.turn.model;
}

/** No call is open any more. */
export function closeCalls(attempt: OpenAttempt, at: number): void {
  if (attempt.busySince === null) return;
  attempt.modelMs = (attempt.modelMs ?? 0) + Math.max(0, at - attempt.busySince);
  attempt.busySince = null;
}
