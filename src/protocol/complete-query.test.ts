import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runViewFixture } from '../../test/support/run-view-fixture.ts';
import { completeQuery, namesOf } from './complete-query.ts';
import { parseRunQuery } from './run-query.ts';

const NAMES = namesOf([
  runViewFixture({ agent: 'codex', gate: { name: 'unit tests', verdict: 'passed' } }),
  runViewFixture({ project: '/home/me/blog', agent: 'claude' }),
]);

function words(query: string): readonly string[] {
  return completeQuery(query, NAMES).map(({ word }) => word);
}

describe('a query is completed', () => {
  const cases: readonly [why: string, query: string, expected: readonly string[]][] = [
    ['by the fields that begin so', 'a', ['agent:', 'age:']],
    ['by values of a field', 'is:need', ['is:needs-you']],
    ['by names of the listed runs', 'project:', ['project:blog', 'project:shop']],
    ['by names, whatever the case', 'agent:CO', ['agent:codex']],
    ['behind a minus', '-failure:lim', ['-failure:limit']],
    ['behind a comma', 'agent:codex,cl', ['agent:codex,claude']],
    ['by times', 'is:bad since:y', ['since:yesterday']],
    ['with quotation marks around spaces', 'gate:unit', ['gate:"unit tests"']],
    ['by nothing, if the field does not exist', 'color:r', []],
    ['by nothing, if the value is whole', 'is:needs-you', []],
  ];
  for (const [why, query, expected] of cases)
    test(why, () => assert.deepEqual(words(query), expected));

  test('and keeps what stands before the last word', () => {
    assert.deepEqual(completeQuery('is:bad since:y', NAMES), [
      { word: 'since:yesterday', query: 'is:bad since:yesterday' },
    ]);
  });

  test('only to queries that can be read, if the last word has a value', () => {
    const all = [
      'is:',
      'failure:',
      'project:',
      'agent:',
      'gate:',
      'since:',
      'cost:',
      'age:',
      'id:',
    ].flatMap((field) => completeQuery(field, NAMES));
    assert.ok(all.length > 20);
    for (const { query } of all) assert.equal(parseRunQuery(query).kind, 'query', query);
  });
});
