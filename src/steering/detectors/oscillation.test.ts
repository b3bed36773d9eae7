import { testDetector } from '../../../test/support/detector-table.ts';
import { broken, edit, failed, turn, turns } from '../../../test/support/turn-script.ts';
import { detectOscillation } from './oscillation.ts';

const a = turn(failed('make a'));
const b = turn(failed('make b'));
const c = turn(failed('make c'));

testDetector('two calls fail in turn', detectOscillation, [
  ['A, B, A, B', [a, b, a, b], 'Two calls fail in turn: Bash make a, and Bash make b.'],
  ['A, B, A is not enough', [a, b, a], null],
  ['the same call is a loop', [a, a, a, a], null],
  [
    'both in each turn, twice',
    [turn(failed('make a'), failed('make b')), turn(failed('make a'), failed('make b'))],
    null,
  ],
  ['a third call breaks the pattern', [a, b, c, b], null],
  ['A, A, B, B is no alternation', [a, a, b, b], null],
  ['an edit in between clears it', [a, b, turn(edit('x.ts')), a, b], null],
  [
    'two tools',
    [a, turn(broken('Read')), a, turn(broken('Read'))],
    'Two calls fail in turn: Bash make a, and Read.',
  ],
  [
    'three kinds of errors are iterating',
    [turn(failed('d', 'timed out')), turn(failed('e', 'EACCES')), a, b, a, b],
    null,
  ],
  [
    'A, B, C, A, B, C',
    [a, b, c, a, b, c],
    'Three calls fail in turn: Bash make a, Bash make b, and Bash make c.',
  ],
  ['A, B, C, A, B is not enough', [a, b, c, a, b], null],
  ['A, A, B, A, A, B', [a, a, b, a, a, b], null],
  [
    'three kinds of errors in turn',
    turns(9, (nth) => turn(failed(`make ${nth % 3}`, ['timed out', 'EACCES', 'refused'][nth % 3]))),
    null,
  ],
  ['a higher threshold', [a, b, a, b], null, { thresholds: { 'oscillation.rounds': 3 } }],
]);
