import { testDetector } from '../../../test/support/detector-table.ts';
import { bash, broken, failed, turn, turns } from '../../../test/support/turn-script.ts';
import { detectToolTrouble } from './tool-advice.ts';

const missing = (nth: number) =>
  turn(broken('Edit', `file ${nth}`, 'String to replace not found.'));

testDetector('one tool keeps failing', detectToolTrouble, [
  [
    'three times with different arguments',
    turns(3, missing),
    'Edit failed 3 times in a row (not-found).',
  ],
  ['twice', turns(2, missing), null],
  ['a success in between', [missing(1), missing(2), turn(bash('ls')), missing(3)], null],
  [
    'exit codes of different commands are a search for the cause',
    turns(3, (nth) => turn(failed(`npm run x${nth}`))),
    null,
  ],
  [
    'five of them are not',
    turns(5, (nth) => turn(failed(`npm run x${nth}`))),
    'The last 5 tool calls failed.',
  ],
  [
    'five checks of the work, each once',
    ['lint', 'tsc', 'build', 'knip', 'e2e', 'docs'].map((name) => turn(failed(`npm run ${name}`))),
    null,
  ],
  ['the same check five times', turns(5, () => turn(failed('npm run lint'))), 'The last 5 tool'],
  [
    'another message each time is a search for the cause',
    turns(6, (nth) => turn(failed(`./run --level ${nth}`, `wrong at ${nth * 7}`))),
    null,
  ],
  [
    'test runs that fail are findings',
    turns(6, (nth) => turn(failed(`npm test -- ${nth}`, '3 failing'))),
    null,
  ],
  [
    'files that are not there are answers, each once',
    turns(9, (nth) => turn(broken('Read', `file ${nth}`, 'File does not exist.'))),
    null,
  ],
  [
    'the same missing files again',
    turns(6, (nth) => turn(broken('Read', `file ${nth % 3}`, 'File does not exist.'))),
    'Read failed 6 times in a row',
  ],
  [
    'three kinds of errors are iterating',
    [turn(failed('a', 'timed out')), turn(failed('b', 'EACCES')), ...turns(3, missing)],
    null,
  ],
]);
