import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { historyOfFacts, submitted } from '../../../test/support/run-history-fixture.ts';
import { explainRun } from './explain-run.ts';

describe('why a run began with its agent', () => {
  const choices: [kind: string, words: string][] = [
    ['learned', 'it began with second instead of main: it is better'],
    ['explored', 'it began with second instead of main, to learn about it: it is better'],
    ['suggested', 'second may be the better first agent than main: it is better'],
    ['kept', 'it began with main, although second may be better: it is better'],
  ];
  for (const [kind, words] of choices)
    test(`says what was ${kind}`, () => {
      const choice = { kind, agent: 'second', instead: 'main', why: 'it is better' };
      const history = historyOfFacts([[0, submitted('t', { choice })]]);
      assert.equal(explainRun(history, 'running', 0).chain[0]?.what, words);
    });
});
