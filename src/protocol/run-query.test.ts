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
    ['is:needs-you', false],
    ['failure:gate', true],
    ['failure:limit', false],
    ['since:2h', true],
    ['is:running project:shop', true],
    ['is:running project:blog', false],
    ['is:running,queued -project:blog cost:<10 login', true],
  ];
  for (const [text, expected] of cases)
    test(text === '' ? 'nothing asked, everything matches' : text, () =>
      assert.equal(matches(text), expected),
    );

  test('a run that asks something, until it ends', () => {
    const asks = { key: 'issue-1', command: 'ask', begunAt: 0, question: 'restart?' } as const;
    const view = { ...running, open: [...running.open, asks] };
    assert.equal(matches('is:needs-you', view), true);
    const outcome = { kind: 'killed', reason: '' } as const;
    assert.equal(matches('is:needs-you', { ...view, outcome }), false);
  });

  const failed = (failure: RunView['failure'], kind: 'failed' | 'succeeded' | null): RunView => ({
    ...running,
    ...{ failure, gate: null, outcome: kind === null ? null : { kind, reason: '' } },
  });
  const failures: readonly [text: string, view: RunView, expected: boolean][] = [
    ['failure:limit', failed('rate_limited', null), true],
    ['failure:limit', failed('quota_exhausted', 'failed'), true],
    ['failure:limit', failed('auth', 'failed'), false],
    ['failure:limit', failed('rate_limited', 'succeeded'), false],
    ['failure:rate_limited', failed('rate_limited', null), true],
    ['failure:login,crash', failed('keys_missing', 'failed'), true],
    ['failure:gate', failed(null, 'failed'), false],
    ['-failure:limit', failed(null, null), true],
  ];
  for (const [text, view, expected] of failures)
    test(`${text} and a run with ${view.failure ?? 'no failure'}, ${view.outcome?.kind ?? 'active'}`, () =>
      assert.equal(matches(text, view), expected));

  const now = new Date(2026, 2, 15, 12).getTime();
  const times: readonly [text: string, endedAt: number | null, expected: boolean][] = [
    ['since:today', null, true],
    ['since:today', now - 11 * HOUR, true],
    ['since:today', now - 13 * HOUR, false],
    ['since:yesterday', now - 13 * HOUR, true],
    ['since:yesterday', now - 37 * HOUR, false],
    ['since:2026-03-13', now - 37 * HOUR, true],
    ['since:2026-03-14', now - 37 * HOUR, false],
    ['since:90m', now - HOUR, true],
    ['since:90m', now - 2 * HOUR, false],
  ];
  for (const [text, endedAt, expected] of times)
    test(`${text} and a run that ${endedAt === null ? 'is active' : `ended ${(now - endedAt) / HOUR} h ago`}`, () => {
      const view = { ...running, endedAt };
      assert.equal(matchesQuery(query(text), { view, reason: null }, now), expected);
    });

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
    ['failure:gaet', '"gaet" is not a value for failure:'],
    ['since:2026-13-45', '"2026-13-45" is not a value for since:'],
    ['since:monday', '"monday" is not a value for since:'],
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

test('only a query about states, failures or times looks at ended runs', () => {
  assert.deepEqual(
    ['is:bad', 'failure:limit', 'since:today', 'project:shop'].map((text) =>
      asksForEnded(query(text)),
    ),
    [true, true, true, false],
  );
});
