import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../../base/json.ts';
import type { WorkflowScript } from '../../../test/support/drive-workflow.ts';
import { timelineOf } from '../../../test/support/step-timeline.ts';
import {
  commit,
  definition,
  gate,
  human,
  review,
  role,
} from '../../../test/support/workflow-fixture.ts';
import type { InnerGates, StepEffects } from './step-effects.ts';
import { effectsOf } from './step-effects.ts';

const TESTED = definition({
  implement: role('coder', 'test'),
  test: gate(['test'], null, { onFail: 'implement' }),
});
const REVIEWED = definition({
  implement: role('coder', 'review'),
  review: review(['ann', 'bob'], null, { onReject: 'implement' }),
});
const LOOKED_AT = definition({ implement: role('coder', 'look'), look: human(null) });
const PLANNED = definition({
  plan: role('planner', 'check'),
  check: role('ann', 'implement', { onReject: 'plan' }),
  implement: role('coder', null),
});

const REJECTS: { readonly answer: Json } = {
  answer: {
    status: 'CHANGES_REQUESTED',
    issues: [{ severity: 'high', file: 'a.ts', line: 3, description: 'leaks the file' }],
    suggestions: [],
  },
};
const PLAN = { answer: { status: 'COMPLETE', phases: [], dependencies: ['x'] } };
const SAME = { content: 'same' };

/** `implement: changed, repaired; test: followed`. A step without an effect has a dash. */
function describeEffects(script: WorkflowScript, innerGates: InnerGates = () => []): string {
  const words: Readonly<Record<keyof StepEffects, string>> = {
    changedWork: 'changed',
    repaired: 'repaired',
    wasFollowed: 'followed',
    rejected: 'rejected',
  };
  return [...effectsOf(timelineOf(script), innerGates)]
    .map(([step, effects]) => {
      const seen = (Object.keys(words) as (keyof StepEffects)[]).filter((name) => effects[name]);
      return `${step}: ${seen.map((name) => words[name]).join(', ') || '-'}`;
    })
    .join('; ');
}

describe('a step', () => {
  const cases: [why: string, script: WorkflowScript, expected: string][] = [
    [
      'that writes changes the work, and a gate that is green at once changes nothing',
      { definition: TESTED },
      'implement: changed; test: -',
    ],
    [
      'that leaves the files of the base changes nothing',
      { definition: TESTED, runs: { coder: [{ content: 'base' }] } },
      'implement: -; test: -',
    ],
    [
      'that makes a red gate green repairs it, and the gate was followed',
      { definition: TESTED, gates: { test: ['red', 'green'] } },
      'implement: changed, repaired; test: followed',
    ],
    [
      'whose gate stays red repairs nothing',
      {
        definition: TESTED,
        gates: { test: ['red', 'red', 'red', 'red', 'red'] },
        answers: ['stop'],
      },
      'implement: changed; test: -',
    ],
    [
      'that reviews is followed if the work is changed after its findings',
      { definition: REVIEWED, runs: { ann: [REJECTS] } },
      'implement: changed; review: followed',
    ],
    [
      'that reviews and approves changes nothing',
      { definition: REVIEWED },
      'implement: changed; review: -',
    ],
    [
      'that reviews is not followed if the same files come back',
      {
        definition: REVIEWED,
        runs: { coder: [SAME, SAME, SAME], ann: [REJECTS] },
        answers: ['stop'],
      },
      'implement: changed; review: -',
    ],
    [
      'in which a person comments is followed',
      { definition: LOOKED_AT, answers: ['send-back: name it sum', 'approve'] },
      'implement: changed; look: followed',
    ],
    [
      'in which a person approves changes nothing',
      { definition: LOOKED_AT, answers: ['approve'] },
      'implement: changed; look: -',
    ],
    [
      'in which a person rejects the work decides its outcome',
      { definition: LOOKED_AT, answers: ['reject: too risky'] },
      'implement: changed; look: rejected',
    ],
    [
      'that checks a plan is followed if the next plan is another one',
      { definition: PLANNED, runs: { planner: [{}, PLAN], ann: [REJECTS] } },
      'plan: -; check: followed; implement: changed',
    ],
    [
      'that checks a plan is not followed if the same plan comes back',
      { definition: PLANNED, runs: { planner: [PLAN, PLAN], ann: [REJECTS] } },
      'plan: -; check: -; implement: changed',
    ],
    [
      'that fails and is repeated was not sent back by itself',
      { definition: TESTED, runs: { coder: [{ failure: 'network' }] } },
      'implement: changed; test: -',
    ],
    [
      'that commits has the effect of its gates',
      {
        definition: definition({
          implement: role('coder', 'commit'),
          commit: commit({ before: [{ name: 'ci', command: ['make'], timeoutMs: 1 }] }),
        }),
        gates: { ci: ['red', 'green'] },
      },
      'implement: changed, repaired; commit: followed',
    ],
  ];
  for (const [why, script, expected] of cases)
    test(why, () => assert.equal(describeEffects(script), expected));

  test('is repaired by a gate that was red inside its own run, before the gate step began', () => {
    const inner: InnerGates = () => [
      { name: 'lint', isGreen: false },
      { name: 'test', isGreen: false },
      { name: 'test', isGreen: true },
    ];
    const found = describeEffects({ definition: TESTED }, inner);
    assert.equal(found, 'implement: changed, repaired; test: followed');
  });

  test('is not repaired by a gate that stayed red inside its own run', () => {
    const inner: InnerGates = () => [
      { name: 'test', isGreen: true },
      { name: 'test', isGreen: false },
    ];
    const found = describeEffects({ definition: TESTED }, inner);
    assert.equal(found, 'implement: changed; test: -');
  });
});
