/**
 * Performers of a workflow in a small world. What they return depends on their input alone, so a command that is
 * repeated after a crash ends as it would have ended before. The first version of the work is red.
 */
import type { Clock } from '../../src/base/clock.ts';
import type { Performer } from '../../src/engine/performer.ts';
import type { GateInput } from '../../src/protocol/gate-contract.ts';
import type { Submission, WorkflowSubmission } from '../../src/protocol/run-submission.ts';
import type {
  CollectStepInput,
  CollectStepResult,
  CommitWorkInput,
  PrepareStepInput,
} from '../../src/protocol/workflow-contract.ts';
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
  const taskOf = async (run: string): Promise<string> => (await journal.run(run))?.task ?? '';
  return [
    performer<PrepareStepInput>(
      'prepare-step',
      async (input) => `prepares ${taskOfStep(input)}`,
      (input) => ({ kind: 'prepared', submission: childOf(taskOfStep(input)) }),
    ),
    performer<CollectStepInput>(
      'collect-step',
      async ({ run }) => `collects ${await taskOf(run)}`,
      ({ run }, label) => collected(run, label),
    ),
    performer<GateInput>(
      'gate',
      async ({ name, work }) => `gate ${name} on ${work?.content}`,
      ({ name, work }) =>
        work?.content === 'v1'
          ? { kind: 'failed', name, exit: 1, tail: 'red' }
          : { kind: 'passed', name },
    ),
    performer<CommitWorkInput>(
      'commit-work',
      async ({ work }) => `commits ${work.content}`,
      ({ branch }) => ({ kind: 'committed', branch, commit: 'c0ffee', pullRequest: null }),
    ),
  ];
}

function taskOfStep({ step, role, work }: PrepareStepInput): string {
  return `${step} by ${role} on ${work?.content ?? 'v0'}`;
}

function childOf(task: string): Submission {
  return { ...fakeSubmission([{ perform: task }]), task };
}

/** A coder leaves the next version. Reviewers approve. */
function collected(run: string, label: string): CollectStepResult {
  const version = Number(/ on v(\d+)$/.exec(label)?.[1] ?? 0);
  const isCoder = label.includes(' by coder ');
  const point = { run, tree: 1, commit: run };
  const size = { files: 1, added: 1, deleted: 0, names: ['a.ts'] };
  return {
    answer: { status: isCoder ? 'SUCCESS' : 'APPROVED', issues: [] },
    summary: `version ${version + 1}`,
    work: isCoder ? { ...point, content: `v${version + 1}`, ...size } : null,
    base: { ...point, content: 'v0' },
    failure: null,
  };
}
