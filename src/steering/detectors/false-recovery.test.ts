import { testDetector } from '../../../test/support/detector-table.ts';
import { bash, edit, failed, turn, turns } from '../../../test/support/turn-script.ts';
import { detectFalseRecovery } from './false-recovery.ts';

const again = turn(failed('npm test'));
const streak = [again, again, again];
const ok = turn(bash('ls'));

testDetector('a failure comes back', detectFalseRecovery, [
  [
    'right after a success',
    [...streak, ok, again],
    'A failure came back right after it seemed to be solved: Bash npm test.',
  ],
  [
    'three turns later',
    [...streak, ok, turn(bash('a')), turn(bash('b')), again],
    'A failure came back',
  ],
  ['five turns later', [...streak, ok, ...turns(4, (nth) => turn(bash(`c ${nth}`))), again], null],
  ['after an edit it is a new try', [...streak, turn(edit('a.ts')), again], null],
  ['another failure', [...streak, ok, turn(failed('npm run build'))], null],
  ['after fewer than three failures it is an ordinary mistake', [again, again, ok, again], null],
]);
