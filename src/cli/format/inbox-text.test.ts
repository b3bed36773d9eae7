import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import type { CliContext } from '../cli-context.ts';
import { formatInbox } from './inbox-text.ts';

const RUN = '3f2a91c04b';
const ASKED: OpenQuestion = {
  ...{ run: RUN, key: 'ask-1', task: 'Fix the login form', project: '/home/ann/shop' },
  ...{ question: 'claude asks: Which port?', choices: [], since: 0, over: null },
  ...{ parent: null, root: RUN, part: null },
};
const OVER = {
  ...({ scope: 'run', limit: 'usd', because: 'spent', cap: 2, question: 'ask-1' } as const),
} as unknown as NonNullable<OpenQuestion['over']>;
const APPROVAL = {
  ...{ step: 'approve', work: 'abc', files: 1, added: 1, deleted: 0, names: ['a.ts'] },
};

const context = {
  clock: new ManualClock(65_000),
  terminal: { isTty: true, width: 80, colour: false },
} as unknown as CliContext;

describe('the inbox', () => {
  const cases: readonly [why: string, asked: Partial<OpenQuestion>, advice: string][] = [
    ['any text', {}, `Answer the question with: supervisor answer ${RUN} "…"`],
    [
      'one of several answers, as a command that can be copied',
      { choices: ['retry', 'stop'] },
      `Answer with one of retry, stop. For example: supervisor answer ${RUN} retry`,
    ],
    [
      'a key',
      { about: 'keys', choices: ['retry', 'stop'] },
      `From a shell that has what it needs, run: supervisor resume ${RUN}`,
    ],
    [
      'money',
      { over: OVER, choices: ['continue', 'stop'] },
      `Raise the budget by $2, or by another amount, with: supervisor answer ${RUN} continue --budget-usd 2. Or end the run with: supervisor answer ${RUN} stop`,
    ],
    [
      'an approval',
      { approval: APPROVAL, choices: ['approve', 'reject', 'send-back'] },
      `Review the work with: supervisor diff ${RUN}. Approve it with: supervisor approve ${RUN}. Or send it back with: supervisor comment ${RUN} "…"`,
    ],
  ];
  for (const [why, asked, advice] of cases)
    test(`says project, task, question and what to type for ${why}`, () => {
      assert.equal(
        formatInbox(context, [{ ...ASKED, ...asked }]),
        `${RUN}  shop: Fix the login form  open for 1m05s\n    claude asks: Which port?\n    → ${advice}\n`,
      );
    });

  test('that is empty says where the other runs are', () => {
    assert.equal(
      formatInbox(context, []),
      'No open questions. To see how your runs went: supervisor status\n',
    );
  });
});
