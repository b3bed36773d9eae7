import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begins, historyOfFacts, submitted } from '../../../test/support/run-history-fixture.ts';
import { adviceToAnswer } from '../../protocol/views/answer-advice.ts';
import { explainRun } from './explain-run.ts';

test('an approval has the advice of status in why too', () => {
  const approval = { step: 'look', work: '', files: 1, added: 1, deleted: 0, names: ['a'] };
  const asked = { question: 'Approve?', choices: ['approve', 'reject'], approval };
  const history = historyOfFacts([
    [0, submitted()],
    [0, begins('ask-look-1', 'ask', asked)],
  ]);
  const { next } = explainRun(history, 'running', 600_000);
  assert.match(next ?? '', /Approve it with: supervisor approve 0123456789\./);
  assert.equal(next, adviceToAnswer('0123456789', asked));
});
