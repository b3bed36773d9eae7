import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begins, historyOfFacts, submitted } from '../../../test/support/run-history-fixture.ts';
import { adviceToAnswer } from '../../protocol/views/answer-advice.ts';
import { explainRun } from './explain-run.ts';
import { describeAnswer } from './question-record.ts';

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

const KEYS = 'claude needs the key K. From a shell that has it, run: supervisor resume 0123456789';
const answers: [
  why: string,
  question: string,
  about: 'keys' | undefined,
  answer: string | null,
  words: string,
][] = [
  ['a text', 'Which port?', undefined, '80', 'a person answered "80" to: Which port?'],
  ['none', 'Which port?', undefined, null, 'it asked: Which port?'],
  [
    'a choice that keys have too',
    'Again?',
    undefined,
    'retry',
    'a person answered "retry" to: Again?',
  ],
  [
    'keys that a person gave with resume',
    KEYS,
    'keys',
    'retry',
    'it was continued from a shell, after it had asked: claude needs the key K.',
  ],
  [
    'no keys, but an end',
    KEYS,
    'keys',
    'stop',
    'a person answered "stop" to: claude needs the key K.',
  ],
];

for (const [why, question, about, answer, words] of answers)
  test(`the answer to a question is told: ${why}`, () => {
    const record = {
      ...{ key: 'ask-1', question, choices: [], askedAt: 0, endedAt: 9, answer },
      ...(about === undefined ? {} : { about }),
    };
    assert.equal(describeAnswer(record), words);
  });
