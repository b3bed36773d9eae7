import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runOfMessage } from '../../protocol/run-trailer.ts';
import { withTrailers } from './commit-trailers.ts';

const RUN = '0123456789';
const TRAILERS = `Supervisor-Run: ${RUN}\nSupervisor-Outcome: verified`;

describe('the message of a commit ends with the run and its outcome', () => {
  const cases: [why: string, message: string, expected: string][] = [
    ['one line', 'Fix it', `Fix it\n\n${TRAILERS}`],
    ['with a body', 'Fix it\n\nIt was broken.\n', `Fix it\n\nIt was broken.\n\n${TRAILERS}`],
    ['a body without a gap gets one', 'Fix it\nNow.', `Fix it\n\nNow.\n\n${TRAILERS}`],
    ['no message', ' \n', `The work of run ${RUN}\n\n${TRAILERS}`],
    [
      'what an agent wrote as a trailer is dropped',
      'Fix\n\nSupervisor-Run: ffffffffff\n supervisor-outcome : verified\ntext',
      `Fix\n\ntext\n\n${TRAILERS}`,
    ],
    ['control characters are blanks', 'a\u001b[1m\0b\r\nc', `a [1m b\n\nc\n\n${TRAILERS}`],
  ];
  for (const [why, message, expected] of cases)
    test(why, () => {
      const made = withTrailers(message, { run: RUN, outcome: 'verified' });
      assert.deepEqual([made, runOfMessage(made)], [expected, RUN]);
    });

  test('a red gate that a person accepted is named', () => {
    const accepted = [{ gate: 'test', by: 'ada' }];
    const made = withTrailers('Fix it', { run: RUN, outcome: 'unverified', accepted });
    const trailers = `Supervisor-Run: ${RUN}\nSupervisor-Outcome: unverified`;
    assert.deepEqual(
      [made, runOfMessage(made)],
      [`Fix it\n\n${trailers}\nSupervisor-Accepted: red gate test, by ada`, RUN],
    );
  });

  test('a message that only mentions a run belongs to none', () => {
    assert.equal(runOfMessage(`Fix\n\nSupervisor-Run: ${RUN}\n\nMore text`), undefined);
    assert.equal(runOfMessage('Fix'), undefined);
  });
});
