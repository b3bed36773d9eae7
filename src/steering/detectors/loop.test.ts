import { testDetector } from '../../../test/support/detector-table.ts';
import {
  bash,
  broken,
  edit,
  failed,
  read,
  turn,
  turns,
} from '../../../test/support/turn-script.ts';
import { detectLoop } from './loop.ts';

const again = turn(failed('npm test'));

testDetector('the same call fails', detectLoop, [
  ['twice is no loop', [again, again], null],
  [
    'three times is a loop',
    [again, again, again],
    'The same call failed 3 times with the same error (execution): Bash npm test.',
  ],
  ['four times, counted', turns(4, () => again), 'The same call failed 4 times'],
  ['a success in between clears it', [again, again, turn(bash('ls')), again], null],
  ['an edit in between clears it', [again, again, turn(edit('a.ts')), again], null],
  [
    'a wait in between does not clear it',
    [again, again, turn(bash('sleep 5', '')), again],
    'The same call failed 3 times',
  ],
  ['other arguments are another call', turns(3, (nth) => turn(failed(`npm test ${nth}`))), null],
  [
    'only a temporary path differs',
    turns(3, (nth) => turn(failed(`node /tmp/a${nth}/x.js`))),
    'The same call failed 3 times',
  ],
  [
    'another error is another failure',
    [again, again, turn(failed('npm test', 'Permission denied'))],
    null,
  ],
  [
    'other failures before it do not hide it',
    [turn(broken('Read')), again, again, again],
    'The same call failed 3 times',
  ],
  [
    'three kinds of errors are iterating',
    [
      turn(broken('Read', 'x', 'No such file')),
      turn(broken('Edit', 'x', 'Permission denied')),
      again,
      again,
      again,
    ],
    null,
  ],
  [
    'calls side by side count each',
    [turn(failed('npm test'), failed('npm test'), failed('npm test'))],
    'The same call failed 3 times',
  ],
  [
    'a wait in between clears what time may end',
    [1, 2, 3, 4].flatMap(() => [
      turn(failed('curl -f example.org', 'Connection refused')),
      turn(bash('sleep 5', '')),
    ]),
    null,
  ],
  [
    'six times with looks in between',
    turns(11, (nth) => (nth % 2 === 0 ? turn(read(`${nth}.ts`)) : again)),
    'The same call failed 6 times',
  ],
  [
    'five times with looks',
    turns(9, (nth) => (nth % 2 === 0 ? turn(read(`${nth}.ts`)) : again)),
    null,
  ],
  [
    'six times with other commands in between',
    turns(11, (nth) => (nth % 2 === 0 ? turn(bash(`./fix ${nth}`)) : again)),
    null,
  ],
  [
    'six times with looks, and then other work',
    [
      ...turns(11, (nth) => (nth % 2 === 0 ? turn(read(`${nth}.ts`)) : again)),
      ...turns(3, (nth) => turn(read(`next ${nth}.ts`))),
    ],
    null,
  ],
  [
    'a test that fails with another message is another failure',
    turns(3, (nth) => turn(failed('npm test', `1 failing: expected ${nth}`))),
    null,
  ],
  [
    'only a counter differs',
    turns(3, (nth) => turn(failed(`./push --attempt ${nth}`))),
    'The same call failed 3 times',
  ],
  [
    'a pause before what fails is no wait',
    turns(3, () => turn(failed('sleep 5; make', 'no rule'))),
    'The same call failed 3 times',
  ],
  [
    'a timeout at the same place',
    turns(3, () => turn(failed('cargo build', 'timed out\nCompiling a'))),
    'The same call failed 3 times with the same error (timeout)',
  ],
  [
    'a timeout further on each time',
    turns(6, (nth) => turn(failed('cargo build', `timed out\nCompiling part ${nth}`))),
    null,
  ],
  ['a poll that fails is a wait', turns(5, () => turn(failed('sleep 5; test -f done'))), null],
  ['a higher threshold', [again, again, again], null, { thresholds: { 'loop.repeats': 4 } }],
  ['a threshold has a floor', [again, again], null, { thresholds: { 'loop.repeats': 1 } }],
  ['reads that succeed are no loop', turns(9, () => turn(read('a.ts'))), null],
]);
