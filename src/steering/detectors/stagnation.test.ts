import { testDetector } from '../../../test/support/detector-table.ts';
import { bash, edit, failed, read, turn, turns } from '../../../test/support/turn-script.ts';
import { detectStagnation } from './stagnation.ts';

const status = turn(bash('git status', 'nothing to commit'));
const log = turn(bash('git log', 'one commit'));

testDetector('calls that succeed with the same output', detectStagnation, [
  [
    'six times',
    turns(6, () => status),
    'The last 6 calls of Bash gave the same output: git status.',
  ],
  ['five times', turns(5, () => status), null],
  [
    'two calls in turn',
    [status, log, status, log, status, log],
    'The last 6 calls of Bash gave the same output',
  ],
  ['three calls in turn', [status, log, turn(bash('ls')), status, log, turn(bash('ls'))], null],
  [
    'different commands without output',
    turns(6, (nth) => turn(bash(`git mv a${nth} b${nth}`, ''))),
    null,
  ],
  [
    'the same command with a new output',
    turns(6, (nth) => turn(bash('npm test', `${nth} passing`))),
    null,
  ],
  [
    'only times differ in the output',
    turns(6, (nth) => turn(bash('date', `09:00:0${nth}`))),
    'The last 6 calls',
  ],
  [
    'an edit in between',
    [...turns(3, () => status), turn(edit('a.ts')), ...turns(3, () => status)],
    null,
  ],
  [
    'a failure in between',
    [...turns(3, () => status), turn(failed('x')), ...turns(3, () => status)],
    null,
  ],
  [
    'another tool in between',
    [...turns(3, () => status), turn(read('a.ts')), ...turns(3, () => status)],
    null,
  ],
  [
    'a slow job that is polled',
    turns(30, () => turn(bash('gh run view 7', 'status: in_progress'))),
    null,
  ],
  [
    'the same question about something outside',
    turns(30, () => turn(bash('cat build.log', 'cc a.c'))),
    null,
  ],
  [
    'the same calls side by side count once',
    turns(2, () => turn(...[1, 2, 3].map(() => bash('git status', 'nothing to commit')))),
    null,
  ],
  [
    'a lower threshold stops at its floor',
    turns(3, () => status),
    null,
    { thresholds: { 'stagnation.calls': 2 } },
  ],
  [
    'a lower threshold',
    turns(4, () => status),
    'The last 4 calls',
    { thresholds: { 'stagnation.calls': 4 } },
  ],
]);
