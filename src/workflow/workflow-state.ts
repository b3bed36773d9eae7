/** The state of a workflow, folded from its events. */
import type { MeasuredCoverage } from './measured-coverage.ts';
import type { Json } from '../base/json.ts';
import type { InterfaceChange } from '../protocol/answer.ts';
import type { AcceptedGate } from '../protocol/words/accepted-gate.ts';
import type { ApprovalNeeds } from '../protocol/approval.ts';
import type { GateOutcome } from '../protocol/contracts/gate-contract.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import type { WorkflowRunSettings } from '../protocol/pinned-settings.ts';
import type { AttemptsSubmission, WorkflowSubmission } from '../protocol/run-submission.ts';
import type {
  CollectStepResult,
  CommitWorkResult,
  DegradationLevel,
  StepConversation,
  StepFeedback,
  WorkPoint,
  WorkSize,
} from '../protocol/contracts/workflow-contract.ts';
import type { WorkflowDefinition, WorkflowStep } from '../protocol/workflow-definition.ts';

export type WorkflowState = {
  readonly task: string;
  readonly project: string;
  readonly settings: WorkflowRunSettings;
  readonly stage: Stage;
  readonly open: readonly OpenCommand[];
  /** The strongest stop that a user has asked for. Nothing begins after it. */
  readonly stop: 'stop' | 'kill' | null;
  /** The current state of the work. Null: no step has left or seen one yet. */
  readonly work: WorkPoint | null;
  /** The run of the last role that changed the work. Gates use its setup. Absent: no role has. */
  readonly setupOf?: string;
  /** The content that a person left when they edited the work. Absent: no person has. */
  readonly edited?: string;
  /** What the work changes. Null: nothing. */
  readonly size: WorkSize | null;
  /** What the last step that changed the work said about it. */
  readonly summary: string;
  /** The last step that may change the work and has ended. */
  readonly writer: string | null;
  /** By `step.name` and by `name`. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** How many steps, questions and waits have begun. */
  readonly counts: { readonly step: number; readonly ask: number; readonly wait: number };
  readonly steps: Readonly<Record<string, StepHistory>>;
  /** What the outcome has to mention, such as a step that was skipped. */
  readonly remarks: readonly string[];
  readonly committed: Extract<CommitWorkResult, { kind: 'committed' }> | null;
  /** Red gates that a person accepted, each on the work with this content. Absent: none. */
  readonly acceptedGates?: readonly AcceptedOn[];
  /** Changes of locked interfaces that its last role asks for. Absent: none. */
  readonly interfaceChanges?: readonly InterfaceChange[];
  /** By role: the conversation that its next step may continue. Absent: there is none. */
  readonly conversations?: Readonly<Record<string, RoleConversation>>;
  /** What its roles say to those who build on its work, the newest last. Absent: nothing. */
  readonly notes?: readonly string[];
};

/** `turns`: how many steps have continued it. */
type RoleConversation = StepConversation & { readonly turns: number };

type AcceptedOn = AcceptedGate & { readonly content: string };

/** What the workflow does now. */
type Stage =
  | { readonly kind: 'step'; readonly visit: Visit }
  /** Waits before a step is repeated, for the `nth` time in a row. */
  | {
      readonly kind: 'wait';
      readonly number: number;
      readonly nth: number;
      readonly why: string;
      readonly planned: PlannedVisit;
    }
  /** The circuit breaker of the step counts how the visit ended, before that is decided on. */
  | { readonly kind: 'breaker'; readonly visit: Visit; readonly repeats: number }
  | { readonly kind: 'ask'; readonly question: Question }
  | { readonly kind: 'end'; readonly outcome: RunOutcome };

/** A step that is about to begin, and why. */
export type PlannedVisit = {
  readonly step: string;
  readonly feedback: StepFeedback | null;
  readonly level: DegradationLevel;
  /** A gate step that runs again because the work has changed since. The workflow then continues there. */
  readonly recheck?: { readonly target: string | null; readonly isEdited?: true };
  /** A person wants it tried although its circuit breaker is open. */
  readonly isForced?: true;
};

/** One time that a step runs. */
export type Visit = PlannedVisit & {
  /** Counts all steps that have begun. */
  readonly number: number;
  readonly parts: readonly RolePart[];
  /** The results of its gates, in order. */
  readonly gates: readonly GateOutcome[];
  /** Results of gates that ran beside another one, which has not ended yet. */
  readonly aside?: readonly { readonly place: number; readonly outcome: GateOutcome }[];
  /** How often its next gate or its commit was interrupted because the owner died. */
  readonly interruptions: number;
  /** A person has approved the commit. */
  readonly approved: boolean;
};

/** One role that works in a visit. A review has several, side by side. */
export type RolePart = {
  readonly role: string;
  readonly phase: 'prepare' | 'run' | 'collect' | 'ended';
  /** How often it was started, because a reviewer that fails is tried once more. */
  readonly tries: number;
  /** How often one of its commands had to be repeated. Each key is used once. */
  readonly repeats: number;
  /** How often its next command was interrupted because the owner died. */
  readonly interruptions: number;
  /** Kept until the run of the step begins. */
  readonly submission: StepSubmission | null;
  readonly run: string | null;
  readonly outcome: RunOutcome | null;
  readonly collected: CollectStepResult | null;
  /** Why it has no result. Null: it has one, or has not ended. */
  readonly unable: string | null;
  /** The breaker of the step has counted failures. */
  readonly isCounted: boolean;
};

export type StepSubmission = Omit<AttemptsSubmission, 'notify'>;

export type Question = {
  /** `approval`: of a result. `commit`: before the commit is made. `trouble`: the workflow cannot continue by itself. */
  readonly kind: 'approval' | 'commit' | 'trouble';
  readonly number: number;
  readonly step: string;
  readonly text: string;
  readonly choices: readonly string[];
  /** Why the workflow needs a person. */
  readonly why: string;
  /** The step that runs if the person sends the work back, or continues after trouble. */
  readonly back: PlannedVisit;
  /** The visit that continues after an approval. Null: it is over. */
  readonly visit: Visit | null;
  /** Whose approval it needs. Null: the risk is not assessed yet. Absent: any person may decide. */
  readonly needs?: ApprovalNeeds | null;
  /** When its time is over. It is set when the question is first asked, and more approvals do not move it. */
  readonly until?: number;
  /** Its time is over, and it stays open. */
  readonly parked?: true;
  /** The gate that is red, if the answer `accept` continues all the same. */
  readonly redGate?: string;
};

export type OpenCommand = {
  readonly key: string;
  readonly command: string;
  /** The place of its role in the visit, or of the gate in the step. */
  readonly part: number;
};

/** What the workflow remembers about one step. */
export type StepHistory = {
  readonly visits: number;
  /** How often work went back from it since a person last decided about it. */
  readonly rounds: number;
  /** Its failures in a row. */
  readonly failed: number;
  readonly level: DegradationLevel;
  /** The work before the first of these failures. */
  readonly before: Pick<WorkflowState, 'work' | 'size' | 'summary' | 'writer'> | null;
  /** The content of the work after each of its visits. */
  readonly contents: readonly string[];
  /** Visits in a row whose work was the same as before. */
  readonly unchanged: number;
  /** The findings of the last review, in a form that can be compared. Null: there was none. */
  readonly findings: readonly string[] | null;
  /** Why its gate was red the last time. */
  readonly red: string | null;
  /** The content that all of its gates were green on. */
  readonly green: string | null;
  /** Why these gates prove less than they seem to. */
  readonly proofLimits: readonly string[];
  /** The least coverage that its gates measured, of all lines or of the changed ones, and on which content. */
  readonly coverage?: MeasuredCoverage & { readonly content: string };
  /** The content that a person accepted although it was not green on it. */
  readonly accepted: string | null;
};

const NEW_STEP: StepHistory = {
  visits: 0,
  rounds: 0,
  failed: 0,
  level: 'full',
  before: null,
  contents: [],
  unchanged: 0,
  findings: null,
  red: null,
  green: null,
  proofLimits: [],
  accepted: null,
};

export const NEW_PART: Omit<RolePart, 'role'> = {
  phase: 'prepare',
  tries: 1,
  repeats: 0,
  interruptions: 0,
  submission: null,
  run: null,
  outcome: null,
  collected: null,
  unable: null,
  isCounted: false,
};

/** The state before the first step, which `start` of the program enters. */
export function emptyState({ task, project, settings }: WorkflowSubmission): WorkflowState {
  return {
    task,
    project,
    settings,
    stage: { kind: 'end', outcome: { kind: 'refused', reason: 'the workflow has no step' } },
    open: [],
    stop: null,
    work: settings.workflow.startsFrom ?? null,
    size: null,
    summary: '',
    writer: null,
    outputs: {},
    counts: { step: 0, ask: 0, wait: 0 },
    steps: {},
    remarks: [],
    committed: null,
  };
}

export function definitionOf({ settings }: WorkflowState): WorkflowDefinition {
  return settings.workflow.definition;
}

/** Undefined: the definition has no such step. */
export function stepOf(state: WorkflowState, id: string): WorkflowStep | undefined {
  const { steps } = definitionOf(state);
  return Object.hasOwn(steps, id) ? steps[id] : undefined;
}

export function historyOf({ steps }: WorkflowState, id: string): StepHistory {
  return Object.hasOwn(steps, id) ? (steps[id] ?? NEW_STEP) : NEW_STEP;
}

export function changeHistory(
  state: WorkflowState,
  id: string,
  change: Partial<StepHistory>,
): WorkflowState {
  return { ...state, steps: { ...state.steps, [id]: { ...historyOf(state, id), ...change } } };
}

/** Names the content of the current work. Empty: there is none. */
export function contentOf({ work }: WorkflowState): string {
  return work?.content ?? '';
}

/** Whether what the role writes becomes the work. Plans and reviews only read. */
export function isWriter({ settings }: WorkflowState, role: string): boolean {
  const answer = settings.workflow.roles[role]?.answer;
  return answer === 'implementation' || answer === 'generic';
}
