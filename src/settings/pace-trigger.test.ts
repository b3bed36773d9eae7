import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readPaceTrigger } from './pace-trigger.ts';

const MAX = 12;

/** `fact operator limit`, parts by `and`, lists by `or`. */
function words(text: string): string {
  const read = readPaceTrigger(text, MAX);
  if (read.kind === 'fault') return read.expected;
  return read.trigger
    .map((all) => all.map((one) => `${one.fact} ${one.operator} ${one.limit}`).join(' and '))
    .join(' or ');
}

describe('a trigger is read', () => {
  const cases: [why: string, text: string, expected: string][] = [
    ['in the short form that roles use', 'failures>=3', 'failures >= 3'],
    ['in its long form', 'consecutive_tool_failures >= 5', 'failures >= 5'],
    ['about the context', 'context_fill>0.85', 'context > 0.85'],
    ['with a share in percent', 'context_fill >= 85 %', 'context >= 0.85'],
    [
      'with two parts',
      'consecutive_tool_failures >= 5 OR context_fill > 0.85',
      'failures >= 5 or context > 0.85',
    ],
    [
      'with the limit of the role',
      'unrecoverable_error OR turns_without_progress > max * 1.5',
      'unrecoverable >= 3 or turns-without-progress > 18',
    ],
    [
      'with the limit by its whole name',
      'turns_since_progress > max_turns_without_progress',
      'turns-without-progress > 12',
    ],
    [
      'whose parts must hold together',
      'failures >= 4 AND context_fill > 0.7 or failures = 9',
      'failures >= 4 and context > 0.7 or failures == 9',
    ],
    ['that never fires, on purpose', 'none', ''],
  ];
  for (const [why, text, expected] of cases) test(why, () => assert.equal(words(text), expected));
});

describe('a trigger is refused', () => {
  const cases: [why: string, text: string, expected: RegExp][] = [
    ['empty', '', /^conditions such as/],
    ['in plain words', 'after a few failures', /^conditions such as/],
    ['with an unknown fact', 'falures >= 3', /^a fact that is known/],
    ['with a name of every object', 'constructor >= 3', /^a fact that is known/],
    ['with one bad part', 'failures >= 3 OR moon > 1', /^a fact that is known/],
    ['by the number of turns', 'turns > max * 1.5', /turns_without_progress instead of turns/],
    ['if it would hold at once', 'context_fill < 0.5', /with > or >=/],
    ['if it can never hold', 'failures >= 21', /from 2 to 20/],
    ['if it can never be exceeded', 'failures > 20', /from 2 to 20/],
    ['with a percentage without its sign', 'context_fill > 85', /from 0.5 to 1/],
    ['below its floor', 'failures >= 1', /from 2 to 20/],
    ['below the floor of turns', 'turns_without_progress > 2', /from 6 to 1000/],
    ['with max for something else', 'failures > max', /max stands for turns/],
    ['if it is endless', 'failures >= 3 OR '.repeat(40), /up to 300 characters/],
  ];
  for (const [why, text, expected] of cases) test(why, () => assert.match(words(text), expected));
});
