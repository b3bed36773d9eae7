import { testDetector } from '../../../test/support/detector-table.ts';
import { bash, broken, failed, turn } from '../../../test/support/turn-script.ts';
import { detectCascade } from './cascade.ts';

const [one, two, three] = [turn(broken('Read')), turn(broken('Bash')), turn(broken('Glob'))];

testDetector('different tools fail one after another', detectCascade, [
  [
    'three tools',
    [one, two, three],
    '3 different tools failed one after another: Read, Bash, Glob.',
  ],
  ['two tools', [one, two, one, two], null],
  ['a success clears it', [one, two, turn(bash('ls')), three], null],
  ['only the last five failures count', [one, two, two, two, two, three], null],
  [
    'three tools side by side in one turn',
    [turn(broken('Read'), broken('Bash'), broken('Glob'))],
    null,
  ],
  ['a test that fails is no tool', [one, turn(failed('npm test', '3 failing')), three], null],
  ['four tools', [one, two, three, turn(broken('Grep'))], '4 different tools'],
  ['a higher threshold', [one, two, three], null, { thresholds: { 'cascade.tools': 4 } }],
]);
