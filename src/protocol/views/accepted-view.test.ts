import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AcceptedGate } from '../words/accepted-gate.ts';
import type { CommandEnded } from '../commands.ts';
import { acceptedAfter } from './accepted-view.ts';

const ADA: AcceptedGate = { gate: 'test', by: 'ada' };
const asked = [{ key: 'ask-1', redGate: 'test' }, { key: 'ask-2' }];

function ended(key: string, command: string, result: object): CommandEnded {
  return { key, command, end: { kind: 'done', result } } as unknown as CommandEnded;
}

describe('the red gates that a person has accepted', () => {
  const WRITTEN = { answer: { files_modified: ['a'] }, work: { files: 1 } };
  const cases: [why: string, before: AcceptedGate[], end: CommandEnded, after: AcceptedGate[]][] = [
    ['gain one by accept', [], ended('ask-1', 'ask', { answer: 'Accept ', by: 'ada' }), [ADA]],
    [
      'name a person without a name in facts of earlier versions',
      [],
      ended('ask-1', 'ask', { answer: 'accept' }),
      [{ gate: 'test', by: 'a person' }],
    ],
    ['gain none by another answer', [], ended('ask-1', 'ask', { answer: 'retry', by: 'ada' }), []],
    ['gain none by another question', [], ended('ask-2', 'ask', { answer: 'accept' }), []],
    [
      'lose one that is green',
      [ADA],
      ended('gate-1', 'gate', { kind: 'passed', name: 'test' }),
      [],
    ],
    [
      'keep one while another gate is green',
      [ADA],
      ended('gate-1', 'gate', { kind: 'passed', name: 'lint' }),
      [ADA],
    ],
    ['are gone with other work', [ADA], ended('collect-1', 'collect-step', WRITTEN), []],
    [
      'are those of the step that left the work',
      [],
      ended('collect-1', 'collect-step', { ...WRITTEN, accepted: [ADA] }),
      [ADA],
    ],
    [
      'stay if a step only reads',
      [ADA],
      ended('collect-1', 'collect-step', { answer: { status: 'APPROVED' }, work: null }),
      [ADA],
    ],
  ];
  for (const [why, before, end, after] of cases)
    test(why, () => assert.deepEqual(acceptedAfter(before, asked, end), after));
});
