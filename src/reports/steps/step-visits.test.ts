import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NewRunEvent } from '../../protocol/event.ts';
import { EVENT_VERSION } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import { factsOfScript } from '../../../test/support/step-timeline.ts';
import { runEvent } from '../../../test/support/run-event.ts';
import { submitted } from '../../../test/support/run-history-fixture.ts';
import {
  definition,
  gate,
  role,
  workflowSubmission,
} from '../../../test/support/workflow-fixture.ts';
import { effectsOf } from './step-effects.ts';
import type { StepTimeline } from './step-visits.ts';
import { foldStepTimeline } from './step-visits.ts';

const DEFINITION = definition({
  implement: role('coder', 'test'),
  test: gate(['test'], null, { onFail: 'implement' }),
});
const SCRIPT = { definition: DEFINITION, gates: { test: ['red', 'green'] } } as const;

function fold(
  before: StepTimeline | undefined,
  run: string,
  events: readonly NewRunEvent[],
): StepTimeline | undefined {
  return events.reduce<StepTimeline | undefined>((timeline, event, index) => {
    const head = { id: index + 1, stream: runStream(run), seq: index + 1, v: EVENT_VERSION };
    return foldStepTimeline(timeline, { ...head, at: index, ...event });
  }, before);
}

describe('the visits of a run that continues another', () => {
  const all = factsOfScript(SCRIPT);
  const isRed = all.findIndex(
    ({ type, payload }) => type === 'command.ended' && payload.command === 'gate',
  );
  const first = fold(undefined, '1111111111', all.slice(0, isRed + 1));
  const submission = workflowSubmission(DEFINITION);
  const forked = runEvent({
    type: 'run.forked',
    payload: { from: '1111111111', seq: isRed + 1, submission },
  });
  const fork = fold(first, '2222222222', [forked, ...all.slice(isRed + 1)]);

  test('are those of both runs, each with its own run', () => {
    assert.deepEqual(
      fork?.visits.map(({ run, step, number }) => `${run} ${step} ${number}`),
      [
        '1111111111 implement 1',
        '1111111111 test 2',
        '2222222222 implement 3',
        '2222222222 test 4',
      ],
    );
  });

  test('count together: the gate that was red in the first run was followed in the second', () => {
    assert.ok(fork !== undefined);
    assert.equal(effectsOf(fork, () => []).get('test')?.wasFollowed, true);
  });
});

test('a run that is no workflow has no visits', () => {
  assert.equal(fold(undefined, '1111111111', [submitted()]), undefined);
});
