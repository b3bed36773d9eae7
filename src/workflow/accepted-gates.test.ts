/** A red gate that a person accepts on one state of the work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PinnedGate } from '../protocol/pinned-settings.ts';
import { driveWorkflow } from '../../test/support/drive-workflow.ts';
import { commit, definition, gate, role } from '../../test/support/workflow-fixture.ts';
import { workflowTable } from '../../test/support/workflow-table.ts';

const pinned = (name: string, more: Partial<PinnedGate> = {}): PinnedGate => ({
  ...{ name, command: ['make', name], timeoutMs: 1000 },
  ...more,
});
const TROUBLE = 'asks: continue | accept | stop';
const WHY = 'gate test failed: Error: 1 test is red';
const OPEN = '1 gate step without proof: test';
const COMMITTED = 'committed as c0ffee on ai/t7-add-a-date-parser';
const COMMITS = 'commits on ai/t7-add-a-date-parser';
const WORK = { content: 'same files' };

/** The same gate checks the work in a step of its own and before the commit. */
const twice = (first: readonly PinnedGate[] = [pinned('test')]) =>
  definition({
    implement: role('coder', 'test'),
    test: gate(first, 'commit', { retry: { attemptsMax: 1 } }),
    commit: commit({ before: [pinned('test')] }),
  });

workflowTable('a red gate that a person has accepted', [
  [
    'is not asked about again before the commit',
    { definition: twice(), gates: { test: ['red', 'red'] }, answers: ['accept'] },
    [
      ...['implement by coder', 'gate test', TROUBLE, 'gate test', COMMITS],
      `unverified: coder is done; ${COMMITTED}; ${OPEN}; accepted by ada: test: ${WHY}`,
    ],
  ],
  [
    'is not asked about again if the person accepted it in the run of the step',
    {
      definition: twice(),
      runs: { coder: [{ ...WORK, accepted: [{ gate: 'test', by: 'bob' }] }] },
      gates: { test: ['red', 'red'] },
    },
    [
      ...['implement by coder', 'gate test', 'gate test', COMMITS],
      `unverified: coder is done; ${COMMITTED}; ${OPEN}; accepted by bob: implement: gate test is red`,
    ],
  ],
  [
    'is not asked about again if the commit is refused and tried again',
    {
      definition: definition(
        { implement: role('coder', 'commit'), commit: commit({ before: [pinned('test')] }) },
        { limits: { roundsMax: 0 } },
      ),
      gates: { test: ['red', 'red'] },
      commits: [{ kind: 'refused', why: 'The branch has moved.', ref: 'refs/work' }],
      answers: ['accept', 'continue'],
    },
    [
      ...['implement by coder', 'gate test', TROUBLE, COMMITS, 'asks: continue | stop'],
      ...['gate test', COMMITS],
      `unverified: coder is done; ${COMMITTED}; accepted by ada: commit: ${WHY}`,
    ],
  ],
  [
    'lets the gates after it run, and they do not prove the work',
    {
      definition: definition({
        implement: role('coder', 'test'),
        test: gate([pinned('test'), pinned('lint')], null, { retry: { attemptsMax: 1 } }),
      }),
      gates: { test: ['red'] },
      answers: ['accept'],
    },
    [
      ...['implement by coder', 'gate test', TROUBLE, 'gate lint'],
      `unverified: coder is done; ${OPEN}; accepted by ada: test: ${WHY}`,
    ],
  ],
  [
    'is asked about again on other work',
    {
      definition: definition({
        implement: role('coder', 'test'),
        test: gate([pinned('test')], 'docs', { retry: { attemptsMax: 1 } }),
        docs: role('coder', null),
      }),
      gates: { test: ['red', 'red'] },
      answers: ['accept'],
    },
    ['implement by coder', 'gate test', TROUBLE, 'docs by coder', 'gate test', TROUBLE],
  ],
  [
    'is asked about again if it now protects files that the work changes',
    { definition: twice(), gates: { test: ['red', 'protected'] }, answers: ['accept'] },
    ['implement by coder', 'gate test', TROUBLE, 'gate test', 'asks: continue | stop'],
  ],
]);

test('the commit and the gate that runs again name the person who accepted it', () => {
  const { commits, gates } = driveWorkflow({
    ...{ definition: twice(), gates: { test: ['red', 'red'] }, answers: ['accept'] },
  });
  assert.deepEqual(
    [commits.map((one) => one.accepted), gates.map((one) => one.acceptedBy)],
    [[[{ gate: 'test', by: 'ada' }]], [undefined, 'ada']],
  );
});
