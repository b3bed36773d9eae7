/**
 * Performers of a workflow in a small world. What they return depends on their input alone, so a command that is
 * repeated after a crash ends as it would have ended before. The first version of the work is red.
 */
import type { Clock } from '../../src/base/clock.ts';
import type { Performer } from '../../src/engine/performer.ts';
import { failureClass } from '../../src/failures/failure.ts';
import { BreakerStore } from '../../src/limits/breaker-store.ts';
import type { ClassifiedFailure } from '../../src/protocol/contracts/attempt-contract.ts';
import type { UpdateBreakerInput } from '../../src/protocol/breaker.ts';
import type { GateInput } from '../../src/protocol/contracts/gate-contract.ts';
import { ABLATION_PROGRAM } from '../../src/protocol/ablation.ts';
import type {
  AblationSubmission,
  Submission,
  WorkflowSubmission,
} from '../../src/protocol/run-submission.ts';
import type {
  CollectStepInput,
  CollectStepResult,
  CommitWorkInput,
  WorkPoint,
  PrepareStepInput,
} from '../../src/protocol/contracts/workflow-contract.ts';
import type { Journal } from '../../src/store/journal.ts';
import { fakeSubmission } from '../../src/testing/fakes/fake-program.ts';
import { loosePerformer } from './run-event.ts';
import {
  commit,
  definition,
  gate,
  human,
  review,
  role,
  workflowSubmission,
} from './workflow-fixture.ts';

type OnEffect = (effect: {
  readonly run: string;
  readonly key: string;
  readonly label: string;
}) => void;

/** Red once, then reviewed by two, approved by a person and committed. */
export function smallWorkflow(task: string, interruptionsMax: number): WorkflowSubmission {
  const steps = {
    implement: role('coder', 'test'),
    test: gate(['test'], 'review', { onFail: 'implement' }),
    review: review(['ann', 'bob'], 'look', { onReject: 'implement' }),
    look: human('commit'),
    commit: commit(),
  };
  const submission = workflowSubmission(definition(steps), task);
  return { ...submission, settings: { ...submission.settings, interruptionsMax } };
}

/** Its first step fails once, so its circuit breaker counts that, and later that the step passed. */
export function shakyWorkflow(task: string, interruptionsMax: number): WorkflowSubmission {
  const steps = { shaky: role('coder', 'commit', { humanApproval: true }), commit: commit() };
  const submission = workflowSubmission(definition(steps), task);
  return { ...submission, settings: { ...submission.settings, interruptionsMax } };
}

const TASKS = ['a sum by coder on v1', 'a list by coder on v2'];

/** Two trials, the second one from a commit of the user. Each leaves the work that its task names, and the gate of the comparison judges it. */
export function comparedWorkflow(task: string, interruptionsMax: number): AblationSubmission {
  const steps = {
    implement: role('coder', 'test'),
    test: gate(['test'], null, { onFail: 'implement' }),
  };
  const { settings, ...submission } = workflowSubmission(definition(steps), task);
  const { workflow, ...own } = settings;
  return {
    ...submission,
    program: ABLATION_PROGRAM,
    settings: {
      ...{ ...own, interruptionsMax },
      ablation: {
        ...{ template: 'mvp', step: 'test', seed: 1, tasks: TASKS, bases: [null, 'c0ffee'] },
        gates: [{ name: 'test', command: ['make', 'test'], timeoutMs: 1000 }],
        trials: [
          { task: 0, round: 1, arm: 'with' },
          { task: 1, round: 1, arm: 'without' },
        ],
        arms: { with: workflow, without: workflow },
      },
    },
  };
}

export function workflowPerformers(
  journal: Journal,
  clock: Clock,
  onEffect: OnEffect,
): readonly Performer[] {
  const performer = <Input>(
    command: string,
    label: (input: Input) => Promise<string>,
    result: (input: Input, label: string) => object,
  ): Performer =>
    loosePerformer(command, async ({ run, key, input }, { cancelSignal }) => {
      const words = await label(input as Input);
      onEffect({ run, key, label: words });
      await clock.sleep(10, cancelSignal);
      return result(input as Input, words);
    });
  let opened: Promise<BreakerStore> | undefined;
  const breakers = (): Promise<BreakerStore> => (opened ??= BreakerStore.open({ journal, clock }));
  const taskOf = async (run: string): Promise<string> => (await journal.run(run))?.task ?? '';
  return [
    loosePerformer('prepare-step', async ({ run, key, input: given }, { cancelSignal }) => {
      const input = given as unknown as PrepareStepInput;
      onEffect({ run, key, label: `prepares ${taskOfStep(input)}` });
      await clock.sleep(10, cancelSignal);
      const { project, step, breaker } = input;
      const submission = childOf(taskOfStep(input));
      if (breaker === undefined) return { kind: 'prepared', submission };
      const { workflow, isForced } = breaker;
      const visitor = { run, isForced };
      const admission = await (await breakers()).admit({ project, workflow, step }, visitor);
      if (admission.kind === 'open') return { kind: 'breaker-open', why: admission.why };
      return { kind: 'prepared', submission, ...(admission.isCounted ? { isCounted: true } : {}) };
    }),
    loosePerformer('update-breaker', async ({ run, key, input: given }, { cancelSignal }) => {
      const input = given as unknown as UpdateBreakerInput;
      onEffect({ run, key, label: `counts that ${input.step} ${input.result}` });
      await clock.sleep(10, cancelSignal);
      return (await breakers()).update(run, input);
    }),
    performer<CollectStepInput>(
      'collect-step',
      async ({ run }) => `collects ${await taskOf(run)}`,
      ({ run }, label) => collected(run, label),
    ),
    performer<GateInput>(
      'gate',
      async ({ name, work, project }) =>
        `gate ${name} on ${work && wordOf(work)}${inOther(project)}`,
      ({ name, work }) =>
        name === 'never' || (work !== undefined && RED.has(wordOf(work)))
          ? { kind: 'failed', name, exit: 1, tail: 'red' }
          : { kind: 'passed', name },
    ),
    performer<CommitWorkInput>(
      'commit-work',
      async ({ work, project }) => `commits ${wordOf(work)}${inOther(project)}`,
      ({ branch }) => ({ kind: 'committed', branch, commit: 'c0ffee', pullRequest: null }),
    ),
  ];
}

/** Two projects may have the same content. */
export function inOther(project: string): string {
  return project === '/web' ? ' in web' : '';
}

/** Gates are red on the first version of a task, and on that of the component `b`. */
const RED: ReadonlySet<string> = new Set(['v1', 'b1']);

/** All that has landed has one content, so that the order in which it landed changes no label. */
export const TIP = 'tip';

function wordOf({ content, commit: own }: WorkPoint): string {
  return content === TIP ? own : content;
}

function taskOfStep({ step, role, work, feedback }: PrepareStepInput): string {
  const told = feedback?.from === step ? ', told so,' : '';
  return `${step}${told} by ${role} on ${work?.content ?? 'v0'}`;
}

function childOf(task: string): Submission {
  return { ...fakeSubmission([{ perform: task }]), task };
}

const FAILURE: ClassifiedFailure = {
  ...failureClass('invalid_output'),
  ...{ reason: 'invalid_output', message: 'no JSON', resetAt: null, evidence: [] },
};

const NEW_TYPES = { file: 't.d.ts', reason: 'it lacks U', definition: 'export type U = 2;' };

/** The component `a` first asks for another interface. Each leaves a version for each time that it was told something. */
function collectedComponent(run: string, label: string): CollectStepResult | null {
  const name = /This is the component (?:[\w#]+\.)?(\w+) of/.exec(label)?.[1];
  if (name === undefined) return null;
  const isTold = label.includes('You did this before');
  const about = { answer: { status: 'SUCCESS', issues: [] }, summary: name, base: null };
  if (name === 'a' && !isTold)
    return { ...about, work: null, failure: null, interfaceChanges: [NEW_TYPES] };
  const version = `${name}${isTold ? 2 : 1}`;
  const work = { run, tree: 1, commit: version, content: version };
  const size = { files: 1, added: 1, deleted: 0, names: [`${name}.txt`] };
  return { ...about, work: { ...work, ...size }, failure: null };
}

/** A coder leaves the next version. Reviewers approve. */
function collected(run: string, label: string): CollectStepResult {
  const version = Number(/ on v(\d+)$/.exec(label)?.[1] ?? 0);
  const isCoder = label.includes(' by coder ');
  const component = collectedComponent(run, label);
  if (component !== null) return component;
  const point = { run, tree: 1, commit: run };
  const size = { files: 1, added: 1, deleted: 0, names: ['a.ts'] };
  return {
    answer: { status: isCoder ? 'SUCCESS' : 'APPROVED', issues: [] },
    summary: `version ${version + 1}`,
    work: isCoder ? { ...point, content: `v${version + 1}`, ...size } : null,
    base: { ...point, content: 'v0' },
    failure: label.startsWith('collects shaky by') ? FAILURE : null,
  };
}
