import { testDetector } from '../../../test/support/detector-table.ts';
import { bash, edit, failed, plan, read, turn, turns } from '../../../test/support/turn-script.ts';
import { detectCompletionStall } from './completion-stall.ts';

const over = [turn(bash('git status')), turn(plan(2, 2))];
const same = turn(bash('git status'));

testDetector('the plan has ended, and no answer comes', detectCompletionStall, [
  [
    'three turns with nothing new',
    [...over, same, same, same],
    'Your plan has ended, and the last 3 turns brought nothing new.',
  ],
  ['two are not enough', [...over, same, same], null],
  [
    'new checks of the work are fine',
    [...over, ...turns(5, (nth) => turn(bash(`check ${nth}`)))],
    null,
  ],
  ['so are edits', [...over, same, same, turn(edit('a.ts')), same], null],
  ['the plan is not over', [turn(plan(1, 2)), same, same, same, same], null],
  [
    'it says that it is done, and repeats itself',
    [same, ...turns(4, () => ({ ...same, text: 'All done. The task is complete.' }))],
    'You say that you are done, and the last 4 turns brought nothing new.',
  ],
  [
    'it says so in other words',
    [same, ...turns(4, () => ({ ...same, text: "I've completed everything." }))],
    'You say that you are done',
  ],
  [
    'it says what it does once that is done',
    [same, ...turns(4, () => ({ ...same, text: 'Once the task is done, I commit.' }))],
    null,
  ],
  [
    'a call that fails shows that there is more to do',
    [...over, same, same, turn(failed('x'))],
    null,
  ],
  [
    'a review that reads once more what was read long ago',
    [turn(read('a')), turn(read('b')), ...over, turn(read('a')), turn(read('b')), turn(read('c'))],
    null,
  ],
  ['there is no plan', [same, same, same, same], null],
  ['the plan was extended', [...over, same, same, turn(plan(2, 3)), same], null],
]);
