import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { attempt, ended, ends, historyOfFacts } from '../../../test/support/run-history-fixture.ts';
import { submitted } from '../../../test/support/run-history-fixture.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { eventText } from './event-line.ts';
import { ToldOnce } from './told-once.ts';

const SAYS = 'total() adds the prices now,\nso the failing test passes.';

function shown(cli: string, said: readonly string[], kind: RunOutcome['kind'], reason: string) {
  const done = ends('attempt-1', { kind: 'completed', summary: SAYS });
  const facts = [submitted(), attempt(1, 'main', undefined, cli), done, ended(kind, reason)];
  const history = historyOfFacts(facts.map((fact, place) => [place, fact]));
  const told = new ToldOnce();
  for (const line of said) told.add(line);
  return facts.slice(2).map((fact, place) => {
    const event = { ...fact, id: 1, stream: 'run/a', seq: place + 1, v: 1, at: 0 } as RunEvent;
    return eventText(told.withoutRepetition(event, history)).replaceAll('\n', ' ');
  });
}

describe('the final message of an agent', () => {
  const cases: readonly (readonly [
    why: string,
    given: Parameters<typeof shown>,
    expected: readonly string[],
  ])[] = [
    [
      'is what the agent said itself',
      ['claude', ['I run the tests.', ...SAYS.split('\n')], 'succeeded', SAYS],
      ['attempt-1 completed', 'succeeded'],
    ],
    [
      'is in the end of the run if the agent did not say it',
      ['claude', ['I run the tests.'], 'unverified', SAYS],
      ['attempt-1 completed', `unverified: ${SAYS.replace('\n', ' ')}`],
    ],
    [
      'is in the end of the attempt if the agent is scripted',
      ['scripted', [], 'unverified', SAYS],
      [`attempt-1 completed: ${SAYS.replace('\n', ' ')}`, 'unverified'],
    ],
    [
      'does not replace another reason',
      ['claude', SAYS.split('\n'), 'failed', 'gate test failed: adds'],
      ['attempt-1 completed', 'failed: gate test failed: adds'],
    ],
  ];
  for (const [why, given, expected] of cases)
    test(why, () => assert.deepEqual(shown(...given), expected));
});
