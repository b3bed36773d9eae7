/**
 * One run as screens and queries need it, folded from its stream. The view is stored for speed and can
 * be deleted: folding the stream again gives the same value.
 */
import { z } from 'zod';
import { BudgetView, foldBudget, NO_BUDGET_SPENT } from './budget-view.ts';
import { BUDGET_CHOICES, readBudgetAnswer } from './money-question.ts';
import { AcceptedGate } from '../words/accepted-gate.ts';
import { acceptedAfter, acceptedWhenBegun } from './accepted-view.ts';
import type { CommandEnded, CommandNoted } from '../commands.ts';
import type { RunEvent } from '../event.ts';
import type { Submission } from '../run-submission.ts';
import { runOfStream } from '../streams.ts';
import type { Signal } from '../signal.ts';
import { endsPause } from '../signal.ts';
import { caveatsOf } from '../words/gate-caveats.ts';
import { AGENT_PROGRAM } from '../agent-program-name.ts';
import { WORKFLOW_PROGRAM } from '../run-submission.ts';
import { CallHold } from '../words/call-hold.ts';
import { LoginExpiry } from '../words/login-expiry.ts';
import { RunOutcome } from '../outcome.ts';
import { isKeylessStart } from '../keyless-start.ts';
import type { AttemptSettings } from '../pinned-settings.ts';
import { writtenFiles } from '../written-files.ts';
import { foldWorkflowView, newWorkflowView, WorkflowView } from './workflow-view.ts';
import { FAILURE_REASONS } from '../failure-reason.ts';
import { QuotaView } from './quota-view.ts';
import { EMPTY_FIELDS } from './stored-view.ts';
import { OpenCommandView, openDetails } from './open-command-view.ts';
import { OpenQuestion } from './open-question.ts';

const GateView = z.strictObject({
  name: z.string(),
  verdict: z.enum(['running', 'passed', 'failed', 'unable']),
});
type GateView = z.infer<typeof GateView>;

export const RunView = z.strictObject({
  id: z.string(),
  program: z.string(),
  task: z.string(),
  project: z.string(),
  submittedAt: z.number(),
  /** The agent of its last attempt. Before the first, the one that its settings name. */
  agent: z.string().nullable(),
  /** For a long-lived agent: its name. */
  name: z.string().nullable(),
  /** The last gate of its last attempt. A red gate stays until the next attempt. */
  gate: GateView.nullable(),
  /** Gates that are red on its last work and that a person accepted. */
  accepted: z.array(AcceptedGate),
  /** Begun and not ended, oldest first. */
  open: z.array(OpenCommandView),
  begun: z.number().int(),
  /** How many of those were attempts, without those that lacked a key and never started. */
  attempts: z.number().int(),
  /** The number of the last attempt, which its key has too: a run counts on from the run that it continues. */
  lastAttempt: z.number().int(),
  /** Why its last attempt failed. Null: it did not. */
  failure: z.enum(FAILURE_REASONS).nullable(),
  interrupted: z.number().int(),
  /** For a long-lived agent: the number of lives that its supervisor has started. */
  lives: z.number().int(),
  /** The run that started it. For a long-lived agent: the run of its parent. */
  parent: z.string().nullable(),
  /** The run that it continues. */
  continues: z.string().nullable(),
  /** How many runs it has started. */
  children: z.number().int(),
  /** How many files its last committed work changes. */
  workFiles: z.number().int(),
  /** The commit that its workflow has made last. */
  committed: z.strictObject({ branch: z.string(), commit: z.string(), at: z.number() }).nullable(),
  stopAskedAt: z.number().nullable(),
  pausedAt: z.number().nullable(),
  budget: BudgetView,
  /** How much of a plan or a rate is left, as its provider last reported it. */
  quota: QuotaView.nullable(),
  /** The login that its agent uses, if it is about to expire. */
  login: LoginExpiry.nullable(),
  /** The model call that the gateway kept back last. It is over when its time has come. */
  heldCall: CallHold.nullable(),
  endedAt: z.number().nullable(),
  outcome: RunOutcome.nullable(),
  /** The answer of the last attempt, in the form that its role requires. */
  answer: z.json().nullable(),
  /** The limits of the proof by the gates of its last attempt. */
  caveats: z.array(z.string()),
  /** For a workflow: how far its steps are. */
  workflow: WorkflowView.nullable(),
  /** The seq of the last fact that this view has seen. */
  seq: z.number().int(),
  /** The owner adds it: a limit keeps its next command from starting. It is in no fact and is not stored. */
  isHeld: z.literal(true).exactOptional(),
  /** The owner adds them too: the open questions of the runs below it, oldest first. Absent: none. */
  asksBelow: z.array(OpenQuestion).exactOptional(),
});
export type RunView = z.infer<typeof RunView>;

const NONE: RunView['caveats'] = EMPTY_FIELDS.caveats;
const NONE_ACCEPTED: RunView['accepted'] = EMPTY_FIELDS.accepted;

/** The view after one more event of the run's own stream. Undefined: the run has no first fact yet. */
export function foldRunView(before: RunView | undefined, event: RunEvent): RunView | undefined {
  if (event.type === 'run.submitted') return created(event, event.payload);
  if (event.type === 'run.forked') {
    const { submission, from, budget = NO_BUDGET_SPENT } = event.payload;
    const fresh = created(event, submission);
    const { workflow = fresh.workflow } = event.payload;
    return { ...fresh, continues: from, budget, workflow };
  }
  if (before === undefined) return undefined;
  const budget = foldBudget(before.budget, event);
  const workflow = before.workflow && foldWorkflowView(before.workflow, event);
  return { ...before, ...changes(before, event), budget, workflow, seq: event.seq };
}

/** The changes by a fact, except those of the budget. */
function changes(view: RunView, event: RunEvent): Partial<RunView> | undefined {
  switch (event.type) {
    case 'command.begun': {
      const { key, command } = event.payload;
      const open = [
        ...view.open,
        { key, command, begunAt: event.at, ...openDetails(event.payload) },
      ];
      const begun = view.begun + 1;
      if (event.payload.command === 'gate')
        return {
          ...{ open, begun, gate: { name: event.payload.input.name, verdict: 'running' } },
          accepted: acceptedWhenBegun(view.accepted, event.payload.input),
        };
      if (event.payload.command === 'run') return { open, begun, children: view.children + 1 };
      if (event.payload.command !== 'attempt') return { open, begun };
      const attempts = view.attempts + 1;
      const { agent: spec, number: lastAttempt } = event.payload.input;
      const agent = spec.id;
      const fresh = {
        gate: null,
        answer: null,
        caveats: NONE,
        login: null,
        heldCall: null,
        accepted: NONE_ACCEPTED,
      };
      return { open, begun, attempts, lastAttempt, agent, ...fresh };
    }
    case 'command.ended': {
      const { key, end } = event.payload;
      const interrupted = view.interrupted + (end.kind === 'interrupted' ? 1 : 0);
      const open = view.open.filter((command) => command.key !== key);
      const answer = attemptAnswer(event.payload);
      const caveats = withCaveats(view.caveats, event.payload);
      const gate = gateAfter(view.gate, event.payload);
      const attempts = view.attempts - (isKeylessStart(event.payload) ? 1 : 0);
      const workFiles = filesOfStep(event.payload) ?? view.workFiles;
      const accepted = acceptedAfter(view.accepted, view.open, event.payload);
      const committed = commitOf(event.payload, event.at) ?? view.committed;
      const changed = {
        heldCall: event.payload.command === 'attempt' ? null : view.heldCall,
        failure: failureAfter(view.failure, event.payload),
        attempts,
        interrupted,
        open,
        caveats,
        gate,
        workFiles,
        accepted,
        committed,
      };
      return answer === undefined ? changed : { ...changed, answer };
    }
    case 'signal.received': {
      const { signal } = event.payload;
      const { kind } = signal;
      if (kind === 'start-life') return { lives: nextLifeCount(view.lives, signal.life) };
      if (kind === 'pause') return { pausedAt: view.pausedAt ?? event.at };
      const stops = kind === 'stop' || kind === 'kill' || isStopAnswer(view, signal);
      const stopAskedAt = stops ? (view.stopAskedAt ?? event.at) : view.stopAskedAt;
      return { stopAskedAt, pausedAt: endsPause(signal) ? null : view.pausedAt };
    }
    case 'command.noted':
      if (event.payload.command === 'run') return continuedChild(view, event);
      return {
        quota: reportedQuota(event.payload) ?? view.quota,
        login: reportedLogin(event.payload) ?? view.login,
        heldCall: reportedHold(event.payload) ?? view.heldCall,
        workFiles: committedFiles(event.payload) ?? view.workFiles,
      };
    case 'run.ended':
      return { endedAt: event.at, outcome: event.payload.outcome };
    case 'run.submitted':
    case 'run.forked':
    case 'command.cancelled':
      return undefined;
  }
}

/** With this answer to a question about money or a key, a run ends. A long-lived agent decides by itself. */
function isStopAnswer({ program, open }: RunView, signal: Signal): boolean {
  if (program === AGENT_PROGRAM || signal.kind !== 'answer') return false;
  const { about, choices = [] } = open.find(({ key }) => key === signal.key) ?? {};
  if (about === 'keys') return signal.answer.trim().toLowerCase() === 'stop';
  const isMoney = BUDGET_CHOICES.spent.every((choice) => choices.includes(choice));
  return isMoney && readBudgetAnswer(signal.answer) === 'stop';
}

function withCaveats(
  caveats: RunView['caveats'],
  { command, end }: CommandEnded,
): RunView['caveats'] {
  if (command !== 'gate' || end.kind !== 'done') return caveats;
  const more = caveatsOf(end.result);
  return more.length === 0 ? caveats : [...new Set([...caveats, ...more])];
}

/** An attempt that was stopped or interrupted says nothing about the next one. */
function failureAfter(
  failure: RunView['failure'],
  { command, end }: CommandEnded,
): RunView['failure'] {
  if (command !== 'attempt' || end.kind !== 'done') return failure;
  if (end.result.kind === 'failed') return end.result.reason;
  return end.result.kind === 'completed' ? null : failure;
}

/** A gate whose end is unknown has no verdict. */
function gateAfter(gate: GateView | null, { command, end }: CommandEnded): GateView | null {
  if (command !== 'gate') return gate;
  if (end.kind === 'done') return { name: end.result.name, verdict: end.result.kind };
  return end.kind === 'defect' && gate !== null ? { ...gate, verdict: 'unable' } : null;
}

function commitOf({ command, end }: CommandEnded, at: number): RunView['committed'] {
  if (command !== 'commit-work' || end.kind !== 'done' || end.result.kind !== 'committed')
    return null;
  const { branch, commit } = end.result;
  return { branch, commit, at };
}

function filesOfStep({ command, end }: CommandEnded): number | undefined {
  return command === 'collect-step' && end.kind === 'done' ? writtenFiles(end.result) : undefined;
}

/** The answer of an attempt. A person's answer to a question is not meant. */
function attemptAnswer({ command, end }: CommandEnded): RunView['answer'] | undefined {
  if (command !== 'attempt' || end.kind !== 'done' || end.result.kind === 'stopped')
    return undefined;
  return end.result.answer as RunView['answer'] | undefined; // readonly JSON
}

/** A fork continues a child that was open in the original. */
function continuedChild(
  view: RunView,
  event: RunEvent & { type: 'command.noted' },
): Partial<RunView> {
  const { key, command, note } = event.payload;
  if (command !== 'run') return {};
  const { run } = note.input;
  return {
    open: [...view.open, { key, command, begunAt: event.at, run }],
    children: view.children + 1,
  };
}

function reportedQuota({ command, note }: CommandNoted): QuotaView | undefined {
  if (command !== 'attempt' || note.kind !== 'quota') return undefined;
  const { kind: _, ...quota } = note;
  return quota;
}

function reportedLogin({ command, note }: CommandNoted): LoginExpiry | undefined {
  if (command !== 'attempt' || note.kind !== 'login-expires') return undefined;
  const { cli, expiresAt } = note;
  return { cli, expiresAt };
}

function reportedHold({ command, note }: CommandNoted): CallHold | undefined {
  if (command !== 'attempt' || note.kind !== 'call-held') return undefined;
  const { kind: _, ...hold } = note;
  return hold;
}

function committedFiles({ note }: CommandNoted): number | undefined {
  return 'kind' in note && note.kind === 'committed' ? note.files : undefined;
}

function created(event: RunEvent, submission: Submission): RunView {
  const { program, task, project, settings, login = null, parent } = submission;
  return {
    id: runOfStream(event.stream) ?? event.stream,
    program,
    task,
    project,
    submittedAt: event.at,
    open: [],
    begun: 0,
    interrupted: 0,
    stopAskedAt: null,
    pausedAt: null,
    attempts: 0,
    lives: 0,
    ...EMPTY_FIELDS,
    login,
    agent: (settings as Partial<AttemptSettings>).agent?.id ?? null,
    name: program === AGENT_PROGRAM ? settings.longLived.name : null,
    parent: program === AGENT_PROGRAM ? settings.longLived.parent : (parent?.run ?? null),
    workflow: program === WORKFLOW_PROGRAM ? newWorkflowView(settings.workflow) : null,
    endedAt: null,
    outcome: null,
    seq: event.seq,
  };
}

/** Only the next number starts a life. */
function nextLifeCount(lives: number, life: number): number {
  return life === lives + 1 ? life : lives;
}
