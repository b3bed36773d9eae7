import { testDetector } from '../../../test/support/detector-table.ts';
import type { ScriptedTurn } from '../../../test/support/turn-script.ts';
import { read, turn } from '../../../test/support/turn-script.ts';
import { detectNoOp } from './no-op.ts';

const nothing: ScriptedTurn = { steps: [], text: '', asksNothing: true };
const said = (text: string): ScriptedTurn => ({ steps: [], text, asksNothing: true });

testDetector('turns that do nothing', detectNoOp, [
  ['three empty answers', [nothing, nothing], 'The last 3 turns did nothing and said nothing new.'],
  ['two empty answers', [turn(read('a.ts')), nothing], null],
  [
    'the same text again and again',
    [said('Done.'), said('Done.'), said('Done.')],
    'The last 3 turns did nothing',
  ],
  [
    'two texts in turn',
    [said('I go on.'), said('Next.'), said('I go on.'), said('Next.')],
    'The last 3 turns did nothing',
  ],
  ['another text each time', [said('One.'), said('Two.'), said('Three.'), said('Four.')], null],
  ['a tool call in between', [nothing, nothing, turn(read('a.ts')), nothing], null],
]);
