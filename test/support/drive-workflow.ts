/**
 * Drives the program of workflows alone: a script answers its moves, and the result is a list of short sentences. It
 * needs no engine, machine or time.
 */
import assert from 'node:assert/strict';
import { at } from '../../src/base/clock.ts';
import type { Json } from '../../src/base/json.ts';
import type { BreakerAdmission, Breakers } from '../../src/limits/breaker-state.ts';
import {
  admitVisit,
  breakerId,
  foldBreakers,
  NO_BREAKERS,
  stateAt,
} from '../../src/limits/breaker-state.ts';
import type { UpdateBreakerInput } from '../../src/protocol/breaker.ts';
import { failureClass } from '../../src/failures/failure.ts';
import type { Move } from '../../src/engine/program.ts';
import type { ApprovalNeeds, ApprovalPolicy, RiskTier } from '../../src/protocol/approval.ts';
import type { BreakerEvent, NewBreakerEvent, NewRunEvent } from '../../src/protocol/event.ts';
import { EVENT_VERSION } from '../../src/protocol/event.ts';
import type { FailureReason } from '../../src/protocol/failure-reason.ts';
import type {
  CoverageFigures,
  GateInput,
  GateOutcome,
} from '../../src/protocol/contracts/gate-contract.ts';
import type { WorkflowSubmission } from '../../src/protocol/run-submission.ts';
import type { RunOutcome } from '../../src/protocol/outcome.ts';
import type { Signal } from '../../src/protocol/signal.ts';
import type {
  ApprovalSubject,
  AssessChangeInput,
  CollectStepInput,
  CollectStepResult,
  CommitWorkInput,
  CommitWorkResult,
  PrepareStepInput,
} from '../../src/protocol/contracts/workflow-contract.ts';
import type { WorkflowDefinition } from '../../src/protocol/workflow-definition.ts';
import { workflowProgram } from '../../src/workflow/workflow-program.ts';
import type { WorkflowState } from '../../src/workflow/workflow-state.ts';
import { textIn } from './agent-history-fixture.ts';
import { begunCommand } from './begun-command.ts';
import { START_MS } from './drive-attempts.ts';
import type { LooseEnd } from './run-event.ts';
import { runEvent } from './run-event.ts';
import { workflowSubmission } from './workflow-fixture.ts';

/** How the run of a step ends. */
type RunEnd = {
  readonly outcome?: RunOutcome;
  readonly answer?: Json;
  readonly failure?: FailureReason;
  /** The content that it leaves. Null: it leaves no work. Absent: new content each time. */
  readonly content?: string | null;
  readonly summary?: string;
  /** Gates that a person accepted in the run of the step. */
  readonly accepted?: CollectStepResult['accepted'];
  /** Its agent has no conversation that could be continued. */
  readonly isForgotten?: true;
};

type ScriptedDecision = {
  readonly answer: string;
  readonly by: string;
  /** The person has changed the work to this content. */
  readonly edited?: string;
  /** The content that the person saw. Absent: that of the question, or `none`. */
  readonly work?: string;
};

export type WorkflowScript = {
  readonly definition: WorkflowDefinition;
  /** False: the run may ask no person. */
  readonly ask?: false;
  /** How the runs of each role end, in order. After the last: well. `refused`: it cannot be prepared. */
  readonly runs?: Readonly<Record<string, readonly (RunEnd | 'refused')[]>>;
  /** The results of each gate, in order. After the last: green. */
  readonly gates?: Readonly<Record<string, readonly ScriptedGate[]>>;
  /** What each gate measures, in percent. */
  readonly coverage?: Readonly<Record<string, CoverageFigures>>;
  readonly commits?: readonly CommitWorkResult[];
  /** A decision names the approver. `work` is filled in with what was asked. */
  readonly answers?: readonly (string | ScriptedDecision)[];
  /** Questions that no person answers in time. Each takes no answer of the script. */
  readonly late?: readonly string[];
  /** The policy of the run, and the risk of the work each time that it is assessed. After the last: low. */
  readonly approvals?: ApprovalPolicy;
  readonly risks?: readonly (RiskTier | 'defect')[];
  /** Signals sent while the command with that key is open, before it ends. */
  readonly says?: Readonly<Record<string, readonly Signal[]>>;
  /** The step whose circuit breaker other runs have opened. */
  readonly opened?: string;
  /** Commands whose owner dies while they are open. */
  readonly dies?: readonly string[];
};

export type DrivenWorkflow = {
  readonly trace: readonly string[];
  readonly state: WorkflowState;
  readonly events: readonly NewRunEvent[];
  readonly prepared: readonly PrepareStepInput[];
  readonly gates: readonly GateInput[];
  readonly commits: readonly CommitWorkInput[];
  readonly questions: readonly string[];
};

const MOVES_MAX = 1000;
/** How long a person takes to answer. */
const ANSWER_MS = 60_000;
const STOPPED: RunOutcome = { kind: 'cancelled', reason: 'stopped by the user during attempt 1' };

export function driveWorkflow(script: WorkflowScript): DrivenWorkflow {
  const trace: string[] = [];
  const events: NewRunEvent[] = [];
  const prepared: PrepareStepInput[] = [];
  const gates: GateInput[] = [];
  const commits: CommitWorkInput[] = [];
  const questions: string[] = [];
  const runs = new Map<string, { role: string; end: RunEnd }>();
  const used: Record<string, number> = {};
  const nth = (what: string): number => (used[what] = (used[what] ?? 0) + 1) - 1;
  const rolesOfKeys = new Map<string, string>();
  let state = workflowProgram.start(
    withAsk(withApprovals(workflowSubmission(script.definition), script.approvals), script.ask),
  );
  let now = START_MS;
  let breakers = script.opened === undefined ? NO_BREAKERS : openBreaker(script.opened);
  const write = (event: NewRunEvent): void => {
    events.push(event);
    const position = { id: events.length, stream: 'run/a', seq: events.length + 1 };
    state = workflowProgram.fold(state, { ...position, v: EVENT_VERSION, at: now, ...event });
    // A snapshot may be taken after any fact, so the state must survive JSON.
    assert.deepEqual(JSON.parse(JSON.stringify(state)) as Json, state);
  };
  const end = (key: string, command: string, how: LooseEnd): void =>
    write(runEvent({ type: 'command.ended', payload: { key, command, end: how } }));
  const toResult = (): DrivenWorkflow => ({
    ...{ trace, state, events, prepared, gates, commits, questions },
  });

  for (let moves = 0; moves < MOVES_MAX; moves += 1) {
    const begun = new Set(
      events.flatMap((one) => (one.type === 'command.begun' ? [one.payload.key] : [])),
    );
    const wanted = workflowProgram
      .next(state, at(now), 0.5)
      .filter((move) => move.kind === 'cancel' || !('key' in move) || !begun.has(move.key));
    const [first] = wanted;
    if (first === undefined) return toResult();
    if (first.kind === 'finish') {
      trace.push(`${first.outcome.kind}: ${first.outcome.reason}`);
      write({ type: 'run.ended', payload: { outcome: first.outcome } });
      return toResult();
    }
    if (first.kind === 'cancel') {
      const { key } = first;
      trace.push(`calls off ${key}`);
      const command = state.open.find((one) => one.key === key)?.command ?? '';
      const child = { run: null, outcome: STOPPED };
      const refused = { kind: 'refused', why: 'it was cancelled', ref: '' };
      end(key, command, { kind: 'done', result: { cancelled: true, ...refused, ...child } });
      continue;
    }
    // Commands that begin together end in the reverse order.
    const together = wanted.flatMap((move) => begin(move));
    for (const { key, command, input } of together.toReversed()) {
      for (const signal of script.says?.[key] ?? [])
        write({ type: 'signal.received', payload: { signal } });
      if (state.stop !== null) break;
      const how =
        script.dies?.includes(key) === true
          ? ({ kind: 'interrupted' } as const)
          : play(key, command, input);
      if (how === undefined) return toResult();
      end(key, command, how);
    }
  }
  throw new Error(`it decides without end: ${trace.slice(-10).join(', ')}`);

  function begin(
    move: Move,
  ): readonly { key: string; command: string; input: Record<string, Json> }[] {
    if (move.kind === 'finish' || move.kind === 'cancel' || move.kind === 'park') return [];
    const { command, input } = begunCommand(move);
    const { key } = move;
    const line = describe(command, input);
    if (line !== undefined) trace.push(line);
    if (command === 'prepare-step')
      rolesOfKeys.set(
        key.replace('prepare-', 'step-'),
        (input as unknown as PrepareStepInput).role,
      );
    write(runEvent({ type: 'command.begun', payload: { key, command, input, limits: [] } }));
    return [{ key, command, input }];
  }

  function stored(event: NewBreakerEvent): BreakerEvent {
    return { id: 1, stream: 'breakers', seq: 1, v: EVENT_VERSION, at: now, ...event };
  }

  function admit({ project, step, breaker }: PrepareStepInput): BreakerAdmission {
    if (breaker === undefined) return { kind: 'pass', isCounted: false };
    const { workflow, isForced } = breaker;
    const key = { project, workflow, step };
    const visitor = { run: 'a', isForced, isProbeOver: false };
    const admission = admitVisit(breakers.get(breakerId(key)), now, visitor);
    const probed = { type: 'breaker.probed', payload: { ...key, run: 'a' } } as const;
    if (admission.kind === 'probe') breakers = foldBreakers(breakers, stored(probed));
    return admission;
  }

  /** Undefined: it does not end. */
  function play(key: string, command: string, input: Record<string, Json>): LooseEnd | undefined {
    switch (command) {
      case 'prepare-step': {
        const step = input as unknown as PrepareStepInput;
        prepared.push(step);
        const { role } = step;
        if (script.runs?.[role]?.[used[role] ?? 0] === 'refused') {
          nth(role);
          return done({ kind: 'refused', why: 'no context fits' });
        }
        const admission = admit(step);
        if (admission.kind === 'open') return done({ kind: 'breaker-open', why: admission.why });
        const { settings } = workflowSubmission(script.definition);
        const submission = { program: 'attempts', task: step.task, project: '/app', settings };
        const isCounted = admission.kind === 'probe' || admission.isCounted;
        return done({ kind: 'prepared', submission, ...(isCounted ? { isCounted } : {}) });
      }
      case 'run': {
        const role =
          rolesOfKeys.get(key) ?? rolesOfKeys.get(key.replace(/\.\d+$/, '')) ?? 'unknown';
        const scripted = script.runs?.[role]?.[nth(role)] ?? {};
        assert.ok(scripted !== 'refused');
        const run = `run of ${key}`;
        runs.set(run, { role, end: scripted });
        const outcome = scripted.outcome ?? goodOrBad(scripted);
        return done({ run, outcome });
      }
      case 'collect-step':
        return done({ ...collect(input as unknown as CollectStepInput) });
      case 'gate': {
        const gate = input as unknown as GateInput;
        gates.push(gate);
        const coverage = script.coverage?.[gate.name];
        const how = script.gates?.[gate.name]?.[nth(`gate ${gate.name}`)];
        return done({
          ...gateOutcome(gate.name, how),
          ...(coverage === undefined ? {} : { coverage }),
        });
      }
      case 'commit-work': {
        const wanted = input as unknown as CommitWorkInput;
        commits.push(wanted);
        return done(
          script.commits?.[nth('commit')] ?? {
            ...{
              kind: 'committed',
              branch: wanted.branch ?? 'main',
              commit: 'c0ffee',
              pullRequest: null,
            },
          },
        );
      }
      case 'assess-change': {
        const tier = script.risks?.[nth('risk')] ?? 'low';
        if (tier === 'defect') return { kind: 'defect', message: 'no repository' };
        return done({ tier, reasons: [`it is ${tier}`] });
      }
      case 'update-breaker': {
        const update = input as unknown as UpdateBreakerInput;
        const { result, child, visit, reason, ...step } = update;
        const failure = child ?? String(visit);
        breakers = foldBreakers(
          breakers,
          stored(
            result === 'passed'
              ? { type: 'breaker.closed', payload: step }
              : { type: 'breaker.failed', payload: { ...step, run: 'a', failure, reason } },
          ),
        );
        const breaker = breakers.get(breakerId(step));
        return done({
          state: breaker === undefined ? 'closed' : stateAt(breaker, now),
          failures: breaker?.failures.length ?? 0,
        });
      }
      case 'ask': {
        questions.push(textIn(input, 'question'));
        if (script.late?.includes(key) === true) {
          now = Number(input['until']);
          return done({ timedOut: true });
        }
        now += ANSWER_MS;
        const given = script.answers?.[nth('answer')];
        if (given === undefined) return undefined;
        if (typeof given === 'string') return done({ answer: given, by: 'ada' });
        const asked = input as unknown as { approval?: ApprovalSubject; editable?: string };
        const { by, edited, work = asked.approval?.work ?? asked.editable ?? 'none' } = given;
        const point = { run: 'the workflow', tree: 1, commit: `commit of ${by}` };
        const size = { files: 2, added: 0, deleted: 0, names: ['a.ts', 'b.ts'] };
        const change =
          edited === undefined ? {} : { edited: { ...point, ...size, content: edited } };
        const decision = { work, by, groups: [], channel: 'terminal', ...change };
        return done({ answer: given.answer, decision });
      }
      default:
        now = Math.max(now, Number(input['until']));
        return done({});
    }
  }

  function collect({ run, conversation }: CollectStepInput): CollectStepResult {
    const { role = '', end: scripted = {} } = runs.get(run) ?? {};
    const { failure = null, answer = failure === null ? goodAnswer(role) : null } = scripted;
    const content = scripted.content === undefined ? `${run} files` : scripted.content;
    const point = { run, tree: 1, commit: `commit of ${run}` };
    return {
      answer,
      summary: scripted.summary ?? `${role} is done`,
      work:
        content === null
          ? null
          : { ...point, content, files: 1, added: 2, deleted: 1, names: ['a.ts'] },
      base: { ...point, commit: 'base', content: 'base' },
      failure:
        failure === null
          ? null
          : {
              ...failureClass(failure),
              reason: failure,
              message: failure,
              resetAt: null,
              evidence: [],
            },
      ...(scripted.accepted === undefined ? {} : { accepted: scripted.accepted }),
      ...(conversation === true && scripted.isForgotten !== true
        ? { conversation: { agent: 'a', identity: 'a', session: `session of ${run}` } }
        : {}),
    };
  }
}

/** As five failures of other runs have left it, just before. */
function openBreaker(id: string): Breakers {
  const step = { project: '/app', workflow: 'test', step: id };
  return Array.from({ length: 5 }, (_, nth) => nth).reduce<Breakers>((so, nth) => {
    const payload = { ...step, run: 'b', failure: `b${nth}`, reason: 'no JSON' };
    const place = { id: nth, stream: 'breakers', seq: nth, v: EVENT_VERSION, at: START_MS };
    return foldBreakers(so, { ...place, type: 'breaker.failed', payload });
  }, NO_BREAKERS);
}

function goodOrBad({ failure }: RunEnd): RunOutcome {
  return failure === undefined
    ? { kind: 'unverified', reason: 'done' }
    : { kind: 'failed', reason: failure };
}

function goodAnswer(role: string): Json {
  if (role === 'planner') return { status: 'COMPLETE', phases: [], dependencies: [] };
  if (role === 'helper') return { status: 'SUCCESS', action_taken: 'done', review_status: null };
  return ['ann', 'bob', 'cyd'].includes(role)
    ? { status: 'APPROVED', issues: [], suggestions: [] }
    : { status: 'SUCCESS', files_created: [] };
}

/**
 * `weak`: green, but the tests of the base are red. `protected`: the work changes files that the gate protects.
 * `writes`: green, and it has changed the work.
 */
type ScriptedGate = 'green' | 'red' | 'unable' | 'weak' | 'protected' | 'writes';

function gateOutcome(name: string, how: ScriptedGate = 'green'): GateOutcome {
  if (how === 'writes') {
    const point = { run: 'the workflow', tree: 1, commit: `commit of ${name}` };
    const size = { files: 2, added: 1, deleted: 0, names: ['a.ts', 'docs/a.md'] };
    return { kind: 'passed', name, work: { ...point, content: `${name} wrote it`, ...size } };
  }
  if (how === 'green') return { kind: 'passed', name };
  if (how === 'weak') return { kind: 'passed', name, baseTestsRed: 'gate test failed: adds' };
  if (how === 'protected')
    return { kind: 'failed', name, exit: null, tail: 'it changes ci.yml', blocks: true };
  if (how === 'unable') return { kind: 'unable', name, why: 'make is not there' };
  return { kind: 'failed', name, exit: 1, tail: 'Error: 1 test is red' };
}

function describe(command: string, input: Record<string, Json>): string | undefined {
  switch (command) {
    case 'prepare-step': {
      const { step, role, feedback, level, continues } = input as unknown as PrepareStepInput;
      const heard = continues === undefined ? '' : `, continues ${continues.run}`;
      const why = feedback === null ? '' : ` (${feedback.category} from ${feedback.from})`;
      return `${step} by ${role}${level === 'full' ? '' : `, ${level}`}${why}${heard}`;
    }
    case 'gate':
      return `gate ${(input as unknown as GateInput).name}`;
    case 'commit-work':
      return `commits on ${(input as unknown as CommitWorkInput).branch}`;
    case 'ask': {
      const { needs, parked } = (input['approval'] ?? {}) as unknown as Partial<ApprovalSubject>;
      const risk = needs === undefined ? '' : ` (${describeNeeds(needs)})`;
      const { until } = input;
      const limit = typeof until === 'number' ? ` until ${(until - START_MS) / 60_000} min` : '';
      const over = parked === true ? ', parked' : '';
      return `asks: ${(input['choices'] as readonly string[]).join(' | ')}${risk}${limit}${over}`;
    }
    case 'assess-change': {
      const { gates, gateLimits = [] } = input as unknown as AssessChangeInput;
      return `assesses the risk, gates ${[gates, ...gateLimits].join('; ')}${coverageIn(input)}`;
    }
    case 'wait':
      return `waits ${(Number(input['until']) - START_MS) / 1000} s`;
    default:
      return undefined;
  }
}

function coverageIn({ coverage, unlisted }: Record<string, Json>): string {
  if (typeof coverage !== 'number') return '';
  const without =
    Array.isArray(unlisted) && unlisted.length > 0 ? `, without ${unlisted.join()}` : '';
  return `, coverage ${coverage}${without}`;
}

function describeNeeds({ tier, peopleMin, approvers, approvedBy }: ApprovalNeeds): string {
  const from = approvers.length === 0 ? '' : ` of ${approvers.join(', ')}`;
  return `${tier} risk, ${approvedBy.length} of ${peopleMin}${from}`;
}

function withApprovals(
  submission: WorkflowSubmission,
  approvals: ApprovalPolicy | undefined,
): WorkflowSubmission {
  if (approvals === undefined) return submission;
  const { settings } = submission;
  return {
    ...submission,
    settings: { ...settings, workflow: { ...settings.workflow, approvals } },
  };
}

function withAsk(submission: WorkflowSubmission, ask: false | undefined): WorkflowSubmission {
  if (ask === undefined) return submission;
  const { settings } = submission;
  return { ...submission, settings: { ...settings, recovery: { ...settings.recovery, ask } } };
}

function done(result: object): LooseEnd {
  return { kind: 'done', result };
}
