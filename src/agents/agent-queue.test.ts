import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LongLivedSettings } from '../protocol/long-lived-agent.ts';
import type { AgentScript } from '../../test/support/drive-agent.ts';
import { driveAgent } from '../../test/support/drive-agent.ts';

type Row = readonly [why: string, script: AgentScript, expected: readonly string[]];

function table(name: string, rows: readonly Row[]): void {
  describe(name, () => {
    for (const [why, script, expected] of rows)
      test(why, () => assert.deepEqual(driveAgent(script).trace, expected));
  });
}

const commitments: LongLivedSettings['commitments'] = [
  { description: 'tests', assertion: ['npm', 'test'], by: 'parent', timeoutMs: 30_000 },
  { description: 'build', assertion: ['npm', 'run', 'build'], by: 'parent', timeoutMs: 30_000 },
];
const DISMISS = { kind: 'dismiss', because: 'enough' } as const;
const queue = { dir: '/q', onEmpty: 'hibernate' } as const;
const item = { kind: 'claimed', name: '1.md', text: 'paint it' } as const;

table('what follows done', [
  ['with on_done: wait, the agent waits', { life: { onDone: 'wait' }, turns: ['DONE'] }, ['turn']],
  [
    'a message ends the wait',
    {
      life: { onDone: 'wait', commitments },
      turns: ['DONE', 'DONE'],
      later: [{ kind: 'message', from: null, text: 'more' }],
    },
    [...['turn', 'checks tests', 'checks build', 'turn in s', 'checks tests', 'checks build']],
  ],
  [
    'the next file of the queue is given to it, checked and put away',
    {
      life: { onDone: 'next', queue, commitments },
      turns: ['DONE', 'DONE'],
      queue: [item, { kind: 'empty' }],
    },
    [
      ...['turn', 'checks tests', 'checks build', 'looks into its queue', 'turn in s'],
      ...['checks tests', 'checks build', 'marks 1.md done', 'looks into its queue'],
    ],
  ],
  [
    'an empty queue may end the agent',
    {
      life: { onDone: 'next', queue: { ...queue, onEmpty: 'terminate' } },
      turns: ['DONE'],
      queue: [{ kind: 'empty' }],
    },
    ['turn', 'looks into its queue', 'exit normal', 'unverified: its queue is empty'],
  ],
  [
    'a hibernating agent is woken by a message and checks its queue again',
    {
      life: { onDone: 'next', queue },
      turns: ['DONE', 'DONE'],
      queue: [{ kind: 'empty' }, { kind: 'empty' }],
      later: [{ kind: 'message', from: null, text: 'there is more' }],
    },
    ['turn', 'looks into its queue', 'turn in s', 'looks into its queue'],
  ],
  [
    'an idle agent waits for a file, and a message cancels the wait',
    {
      life: { onDone: 'next', queue: { ...queue, onEmpty: 'idle' } },
      turns: ['DONE', 'open'],
      says: { 'claim-item-1': [{ kind: 'message', from: null, text: 'do that first' }] },
    },
    ['turn', 'looks into its queue', 'calls off claim-item-1', 'turn in s'],
  ],
  [
    'a claim that was interrupted is repeated',
    { life: { onDone: 'next', queue }, turns: ['DONE', 'open'], queue: ['interrupted', item] },
    ['turn', 'looks into its queue', 'looks into its queue', 'turn in s'],
  ],
  [
    'an unreadable queue is put to a person, and nothing is claimed meanwhile',
    {
      life: { onDone: 'next', queue },
      turns: ['DONE'],
      queue: [{ kind: 'refused', why: 'it is no folder' }],
    },
    [...['turn', 'looks into its queue'], "asks: ada: can't read its queue: it is no folder"],
  ],
  [
    'an agent halted while it puts a file away has put it away, and continues from there',
    {
      life: { onDone: 'next', queue },
      turns: ['DONE', 'DONE'],
      queue: [item, { kind: 'empty' }],
      says: { 'release-item-1': [{ kind: 'end-life', because: 'a sibling failed' }] },
      later: [{ kind: 'start-life', life: 2 }],
    },
    [
      ...['turn', 'looks into its queue', 'turn in s', 'marks 1.md done'],
      ...['exit shutdown: a sibling failed', 'looks into its queue'],
    ],
  ],
  [
    'a file that a dismissed agent had claimed goes back',
    {
      life: { onDone: 'next', queue },
      turns: ['DONE', 'open'],
      queue: [item],
      says: { 'attempt-2': [DISMISS] },
    },
    [
      ...['turn', 'looks into its queue', 'turn in s', 'exit shutdown: dismissed: enough'],
      ...['calls off attempt-2', 'returns 1.md', 'cancelled: dismissed: enough'],
    ],
  ],
]);

test('a file is in each prompt until a turn that received it has ended', () => {
  const { prompts } = driveAgent({
    life: { onDone: 'next', queue },
    turns: ['DONE', 'interrupted', 'so far', 'open'],
    queue: [item],
  });
  const words = 'Current queue item: "1.md"\npaint it';
  assert.deepEqual(
    prompts.map((expected) => expected.includes(words)),
    [false, true, true, false],
  );
});
