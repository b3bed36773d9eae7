/**
 * The visits of the steps of one workflow, read from its facts: how long each took, which runs it started, and whether the
 * work was another one after it.
 */
import type { Json } from '../../base/json.ts';
import { isRecord } from '../../base/json.ts';
import type { CommandBegun, CommandEnded } from '../../protocol/commands.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import { WORKFLOW_PROGRAM } from '../../protocol/run-submission.ts';
import { stepOfKey } from '../../protocol/step-key.ts';
import { runOfStream } from '../../protocol/streams.ts';
import type { PinnedWorkflow, WorkflowStep } from '../../protocol/workflow-definition.ts';

/** What a report needs to know about a step of the definition. */
export type StepShape = {
  readonly id: string;
  readonly kind: WorkflowStep['kind'];
  /** What its role writes becomes the work. */
  readonly writes: boolean;
  /** Its effect can be seen in the facts. A plan only has one through the steps after it. */
  readonly isMeasured: boolean;
  /** The names of its gates. */
  readonly gates: readonly string[];
};

export type StepVisit = {
  /** The run whose facts it is in. A fork also has the visits of the run that it continues. */
  readonly run: string;
  readonly step: string;
  readonly number: number;
  /** A person was asked, so the number counts questions. */
  readonly isQuestion: boolean;
  readonly begunAt: number;
  readonly endedAt: number | null;
  /** The runs that it started. */
  readonly children: readonly string[];
  /** The step that has sent the work back to this one. */
  readonly sentBackBy: string | null;
  /** The work is another one after it; if its role does not write, its answer is another one than before. */
  readonly changed: boolean;
  /** How its gates ended. Null: none has. */
  readonly gate: 'green' | 'red' | null;
};

export type StepTimeline = {
  readonly run: string;
  readonly template: string;
  readonly submittedAt: number;
  readonly shapes: readonly StepShape[];
  readonly visits: readonly StepVisit[];
  /** The steps at which a person has rejected the work for good. */
  readonly rejectedAt: readonly string[];
  readonly outcome: RunOutcome['kind'] | null;
  readonly endedAt: number | null;
  /** Names the content of the work. Null: it is not known yet. */
  readonly content: string | null;
  /** The last answer of each step whose role does not write. */
  readonly answers: Readonly<Record<string, string>>;
};

/** The timeline after one more fact. Undefined: the run is no workflow. */
export function foldStepTimeline(
  before: StepTimeline | undefined,
  event: RunEvent,
): StepTimeline | undefined {
  const run = runOfStream(event.stream) ?? event.stream;
  if (event.type === 'run.submitted') return begin(run, event.payload, event.at);
  if (event.type === 'run.forked') {
    const begun = begin(run, event.payload.submission, event.at);
    if (before === undefined || begun === undefined) return begun;
    const { template, shapes, submittedAt } = begun;
    return { ...before, run, template, shapes, submittedAt, outcome: null, endedAt: null };
  }
  if (before === undefined) return undefined;
  switch (event.type) {
    case 'command.begun':
      return commandBegun(before, event.payload, event.at);
    case 'command.noted': {
      const { key, command, note } = event.payload;
      return command === 'run' ? withChild(before, key, note.input.run) : before;
    }
    case 'command.ended':
      return commandEnded(before, event.payload, event.at);
    case 'run.ended':
      return { ...before, outcome: event.payload.outcome.kind, endedAt: event.at };
    case 'signal.received':
    case 'command.cancelled':
      return before;
  }
}

function begin(run: string, submission: Submission, at: number): StepTimeline | undefined {
  if (submission.program !== WORKFLOW_PROGRAM) return undefined;
  const { workflow } = submission.settings;
  return {
    run,
    template: workflow.definition.name,
    submittedAt: at,
    shapes: Object.values(workflow.definition.steps).map((step) => shapeOf(step, workflow)),
    visits: [],
    rejectedAt: [],
    outcome: null,
    endedAt: null,
    content: null,
    answers: {},
  };
}

function shapeOf(step: WorkflowStep, { roles, definition }: PinnedWorkflow): StepShape {
  const { id, kind, humanApproval } = step;
  const answer = step.kind === 'role' ? roles[step.role]?.answer : undefined;
  const gates = step.kind === 'gate' ? step.gates : step.kind === 'commit' ? step.before : [];
  const asks = humanApproval || (kind === 'commit' && !definition.git.autoCommit);
  const hasNoEffect = answer === 'plan' || (kind === 'commit' && gates.length === 0);
  return {
    ...{ id, kind },
    writes: answer === 'implementation' || answer === 'generic',
    isMeasured: !hasNoEffect || asks,
    gates: gates.map(({ name }) => name),
  };
}

type At = { readonly step: string; readonly number: number; readonly isQuestion: boolean };

function placeOf({ shapes }: StepTimeline, key: string, command: string): At | undefined {
  const ids = shapes.map(({ id }) => id);
  const found = stepOfKey(key, ids);
  return found && { ...found, isQuestion: command === 'ask' };
}

function change(
  timeline: StepTimeline,
  { step, number, isQuestion }: At,
  more: (visit: StepVisit) => Partial<StepVisit>,
): StepTimeline {
  const visits = timeline.visits.map((one) =>
    one.step === step && one.number === number && one.isQuestion === isQuestion
      ? { ...one, ...more(one) }
      : one,
  );
  return { ...timeline, visits };
}

function commandBegun(timeline: StepTimeline, begun: CommandBegun, at: number): StepTimeline {
  const { key, command } = begun;
  const place = placeOf(timeline, key, command);
  if (place === undefined || command === 'wait' || command === 'assess-change') return timeline;
  const { step, number, isQuestion } = place;
  // Time in which a person decides counts only for a step that is nothing else.
  if (isQuestion && kindOf(timeline, step) !== 'human') return timeline;
  const isKnown = timeline.visits.some(
    (one) => one.step === step && one.number === number && one.isQuestion === isQuestion,
  );
  const feedback = command === 'prepare-step' ? begun.input.feedback : null;
  const isOwn = feedback?.from === step && feedback.category !== 'person';
  const fresh: StepVisit = {
    ...{ run: timeline.run, step, number, isQuestion, begunAt: at, endedAt: null, children: [] },
    ...{ sentBackBy: isOwn ? null : (feedback?.from ?? null), changed: false, gate: null },
  };
  const entered = isKnown ? timeline : { ...timeline, visits: [...timeline.visits, fresh] };
  return command === 'run' ? withChild(entered, key, begun.input.run) : entered;
}

function withChild(timeline: StepTimeline, key: string, run: string): StepTimeline {
  const place = placeOf(timeline, key, 'run');
  if (place === undefined) return timeline;
  return change(timeline, place, ({ children }) => ({ children: [...children, run] }));
}

function kindOf({ shapes }: StepTimeline, id: string): StepShape['kind'] | undefined {
  return shapes.find((shape) => shape.id === id)?.kind;
}

function commandEnded(
  timeline: StepTimeline,
  { key, command, end }: CommandEnded,
  at: number,
): StepTimeline {
  const place = placeOf(timeline, key, command);
  if (place === undefined) return timeline;
  const closed = change(timeline, place, () => ({ endedAt: at }));
  if (end.kind === 'interrupted') return closed;
  if (command === 'gate') {
    const isRed =
      end.kind === 'defect' || (end.result.kind !== 'passed' && end.result.warns !== true);
    return change(closed, place, ({ gate }) => ({
      gate: isRed || gate === 'red' ? 'red' : 'green',
    }));
  }
  if (end.kind === 'defect') return closed;
  if (command === 'collect-step') return collected(closed, place, end.result);
  const isRejection =
    command === 'ask' && 'answer' in end.result && /^\s*reject(?::|\s*$)/.test(end.result.answer);
  if (!isRejection) return closed;
  return { ...closed, rejectedAt: [...closed.rejectedAt, place.step] };
}

type Collected = Extract<CommandEnded<'collect-step'>['end'], { kind: 'done' }>['result'];

function collected(
  timeline: StepTimeline,
  place: At,
  { answer, work, base }: Collected,
): StepTimeline {
  const { step } = place;
  if (timeline.shapes.find(({ id }) => id === step)?.writes !== true)
    return answered(timeline, place, answer);
  const before = timeline.content ?? base?.content ?? null;
  const content = work?.content ?? before;
  const isOther = content !== before;
  return change({ ...timeline, content }, place, ({ changed }) => ({
    changed: changed || isOther,
  }));
}

function answered(timeline: StepTimeline, place: At, answer: Json): StepTimeline {
  const text = isRecord(answer) ? JSON.stringify(answer) : '';
  const before = timeline.answers[place.step];
  const answers = { ...timeline.answers, [place.step]: text };
  const isOther = before !== undefined && before !== text;
  return change({ ...timeline, answers }, place, () => ({ changed: isOther }));
}
