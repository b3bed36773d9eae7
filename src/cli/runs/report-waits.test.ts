import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import { NO_BUDGET_SPENT } from '../../protocol/views/budget-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { describeWaits } from './report-waits.ts';

const ask = { key: 'ask-1', command: 'ask', begunAt: 0, question: 'The budget is spent.' } as const;
const over = { scope: 'run', limit: 'usd', because: 'spent', cap: 5, since: 0 } as const;
const LACKS = 'The run waits: claude needs the key X. From a shell that has it, run: …';

const cases: [why: string, view: RunView, lacks: string | null, lines: string[]][] = [
  ['a run that continues', runViewFixture(), null, []],
  ['a run that lacks a key', runViewFixture(), LACKS, [LACKS]],
  [
    'a run that has a question',
    runViewFixture({ open: [{ ...ask, choices: ['continue', 'stop'] }] }),
    null,
    [
      'The run asks: The budget is spent.',
      'Answer with one of continue, stop. For example: supervisor answer 3f2a91c04b continue',
    ],
  ],
  [
    'a run whose budget in tokens is spent',
    runViewFixture({
      open: [{ ...ask, choices: ['continue', 'stop'] }],
      budget: {
        ...NO_BUDGET_SPENT,
        over: { ...over, limit: 'tokens', cap: 9000, question: 'ask-1' },
      },
    }),
    null,
    [
      'The run asks: The budget is spent.',
      'Raise the budget by 9000 tokens, or by another number, with: supervisor answer 3f2a91c04b continue --budget-tokens 9000. Or end the run with: supervisor answer 3f2a91c04b stop',
    ],
  ],
  [
    'a run that has asked for its key',
    runViewFixture({ open: [{ ...ask, about: 'keys' }] }),
    LACKS,
    [LACKS],
  ],
  [
    'a run that was resumed and will ask about its budget again',
    runViewFixture({ budget: { ...NO_BUDGET_SPENT, over } }),
    null,
    ['The run is about to ask about its budget. See the question with: supervisor why 3f2a91c04b'],
  ],
  [
    'a run that has ended',
    runViewFixture({ endedAt: 1, outcome: { kind: 'failed', reason: 'no' } }),
    null,
    [],
  ],
];

for (const [why, view, lacks, lines] of cases)
  test(`what to say about ${why}`, () => assert.deepEqual(describeWaits(view, lacks), lines));
