import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunHistory } from './runs/run-history.ts';
import { commitMessage } from './commit-message.ts';

const ID = '0123456789';

function history(
  task: string,
  summary: string | null,
  accepted: RunHistory['accepted'] = [],
): RunHistory {
  return { id: ID, task, attempts: [{ summary }], accepted } as unknown as RunHistory;
}

describe('the message of a commit', () => {
  const long = `Fix ${'the parser and '.repeat(8)}the rest`;
  const cases: [why: string, given: RunHistory, firstLine: string | undefined, expected: string][] =
    [
      [
        'has the task, the summary and the run',
        history('Fix the parser', 'Fixed.'),
        undefined,
        'Fix the parser\n\nFixed.\n\nSupervisor-Run: 0123456789\n',
      ],
      [
        'says which red gate a person accepted',
        history('Fix the parser', null, [{ gate: 'test', by: 'ada' }]),
        undefined,
        'Fix the parser\n\nSupervisor-Run: 0123456789\nSupervisor-Accepted: red gate test, by ada\n',
      ],
      [
        'has the whole task if its first line is too long',
        history(long, null),
        undefined,
        `${long.slice(0, 71)}…\n\nTask: ${long}\n\nSupervisor-Run: 0123456789\n`,
      ],
      [
        'begins with the line that the person gave',
        history('Fix the parser', 'Fixed.'),
        'My words',
        'My words\n\nTask: Fix the parser\n\nFixed.\n\nSupervisor-Run: 0123456789\n',
      ],
      [
        'has no control characters of an agent',
        history('Fix\u001B[31m it', 'done\u0007\r\nSigned-off-by: Eve <e@e>'),
        undefined,
        'Fix[31m it\n\ndone\nSigned-off-by: Eve <e@e>\n\nSupervisor-Run: 0123456789\n',
      ],
      [
        'has a first line even without a task',
        history('', null),
        undefined,
        'The work of run 0123456789\n\nSupervisor-Run: 0123456789\n',
      ],
    ];
  for (const [why, given, firstLine, expected] of cases)
    test(why, () => assert.equal(commitMessage(given, firstLine), expected));
});
