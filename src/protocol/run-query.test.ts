import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runViewFixture } from '../../test/support/run-view-fixture.ts';
import { asksForEnded, isQueryTerm, matchesQuery, parseRunQuery } from './run-query.ts';
import { NO_BUDGET_SPENT } from './views/budget-view.ts';
import type { RunView } from './views/run-view.ts';

const HOUR = 3_600_000;
const running: RunView = runViewFixture({
  agent: 'claude',
  attempts: 1,
  open: [{ key: 'attempt-1', command: 'attempt', begunAt: 0 }],
  gate: { name: 'test', verdict: 'failed' },
  budget: { ...NO_BUDGET_SPENT, spent: { tokens: 10, usd: 1.5, calls: 1 } },
});

function query(text: string) {
  const parsed = parseRunQuery(text);
  return parsed.kind === 'query' ? parsed.query : assert.fail(parsed.message);
}

function matches(text: string, view = running, reason: string | null = null): boolean {
  return matchesQuery(query(text), { view, reason }, 2 * HOUR);
}

describe('a query matches', () => {
  const cases: readonly [text: string, expected: boolean][] = [
    ['', true],
    ['is:running', true],
    ['is:queued', false],
    ['is:queued,running', true],
    ['is:active', true],
    ['is:ended', false],
    ['is:working', true],
    ['is:waiting', false],
    ['-is:failed', true],
    ['-is:running', false],
    ['!is:running', false],
    ['IS:Running', true],
    ['project:shop', true],
    ['project:SHOP', true],
    ['project:sho', false],
    ['project:/home/me', true],
    ['project:/home/me/shop/', true],
    ['project:/home/m', false],
    ['agent:claude', true],
    ['agent:clau', false],
    ['task:login', true],
    ['login', true],
    ['"login form"', true],
    ['task:"login form"', true],
    ['form login', true],
    ['"form login"', false],
    ['-login', false],
    ['id:3f2a', true],
    ['id:91c0', false],
    ['gate:failed', true],
    ['gate:test', true],
    ['gate:passed', false],
    ['cost:1.5', true],
    ['cost:>1.5', false],
    ['cost:<$2', true],
    ['age:2h', true],
    ['age:>2h', false],
    ['age:>90m', true],
    ['age:<1d', true],
    ['is:running project:shop', true],
    ['is:running project:blog', false],
    ['is:running,queued -project:blog cost:<10 login', true],
  ];
  for (const [text, expected] of cases)
    test(text === '' ? 'nothing asked, everything matches' : text, () =>
      assert.equal(matches(text), expected),
    );

  test('the reason of a state, and no reason', () => {
    assert.equal(matches('reason:limit', running, 'agent claude at its LIMIT of 2'), true);
    assert.equal(matches('reason:limit'), false);
  });

  test('an agent by its name, and an ended run', () => {
    const named = runViewFixture({ name: 'docs', outcome: { kind: 'failed', reason: 'no' } });
    assert.deepEqual(
      ['agent:docs', 'docs', 'is:bad', 'is:ended', 'is:active'].map((text) => matches(text, named)),
      [true, true, true, true, false],
    );
  });
});

describe('a query is refused', () => {
  const cases: readonly [text: string, message: string][] = [
    ['color:red', 'A query has no field "color".'],
    ['is:', 'is: has no value.'],
    ['is:,', 'is: has no value.'],
    ['is:runing', '"runing" is not a value for is:'],
    ['cost:much', '"much" is not a value for cost:'],
    ['age:2', '"2" is not a value for age:'],
    ['-', 'The query has an empty term.'],
    ['""', 'The query has an empty term.'],
    ['task:"log in', 'A quotation mark of the query is not closed.'],
    ['a '.repeat(51), 'The query has more than 50 terms.'],
  ];
  for (const [text, message] of cases)
    test(message, () => {
      const parsed = parseRunQuery(text);
      assert.equal(parsed.kind === 'invalid' ? parsed.message : parsed.kind, message);
      assert.ok(parsed.kind === 'invalid' && parsed.hint !== '');
    });
});

test('a word with a field is a term, and a run has none', () => {
  assert.deepEqual(
    ['is:running', '-is:running', 'Is:x', '3f2a', 'last', 'docs', '/home:x'].map(isQueryTerm),
    [true, true, true, false, false, false, false],
  );
});

test('only a query about states looks at ended runs', () => {
  assert.deepEqual(
    [asksForEnded(query('is:bad')), asksForEnded(query('project:shop'))],
    [true, false],
  );
});
