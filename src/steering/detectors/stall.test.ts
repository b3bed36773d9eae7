import { testDetector } from '../../../test/support/detector-table.ts';
import {
  bash,
  edit,
  failed,
  plan,
  read,
  SPECIALIST,
  turn,
  turns,
} from '../../../test/support/turn-script.ts';
import { detectStall } from './stall.ts';

const idle = turns(13, () => turn(read('a.ts')));
const first = turn(read('a.ts'));
const ends = (status: string, nth: number) => ({
  ...{ tool: 'TaskUpdate', input: { taskId: `${nth}`, status } },
  ...{ output: 'Updated the task.', isError: false },
});
const tests = (nth: number) => turn(failed('npm test', `${nth} failing`));

testDetector('no progress', detectStall, [
  ['12 turns with nothing new are no stall', [first, ...idle.slice(1)], null],
  ['13 are', [first, ...idle], 'There was no progress for 14 turns while working on: a.ts.'],
  ['new results are exploring', turns(60, (nth) => turn(read(`src/${nth}.ts`))), null],
  [
    'but not for a role with its own limit',
    turns(13, (nth) => turn(read(`src/${nth}.ts`))),
    'There was no progress for 13 turns',
    { role: SPECIALIST },
  ],
  [
    'a role with a limit, within it',
    turns(12, (nth) => turn(read(`src/${nth}.ts`))),
    null,
    { role: SPECIALIST },
  ],
  [
    'an item of its plan that ends is progress for a role with a limit',
    turns(24, (nth) =>
      turn(
        read(`src/${nth}.ts`),
        ...(nth % 6 === 0 ? [ends('completed', nth)] : [ends('in_progress', nth)]),
      ),
    ),
    null,
    { role: SPECIALIST },
  ],
  [
    'an item that only begins is none',
    turns(14, (nth) => turn(read(`src/${nth}.ts`), ends('in_progress', nth))),
    'There was no progress for 14 turns',
    { role: SPECIALIST },
  ],
  ['an edit is progress', [first, ...idle, turn(edit('b.ts')), first], null],
  [
    'the same edit again is not',
    [turn(edit('b.ts')), ...turns(13, () => turn(edit('b.ts')))],
    'There was no progress for 13 turns',
  ],
  [
    'a file in a temporary folder is no work',
    [first, ...turns(14, () => turn(bash('echo x > /tmp/log', '')))],
    'There was no progress',
  ],
  [
    'an item of the plan that ends is progress',
    [turn(plan(0, 2)), ...idle, turn(plan(1, 2))],
    null,
  ],
  [
    'writing the same plan again is not',
    [turn(plan(1, 2)), ...turns(13, () => turn(plan(1, 2)))],
    'There was no progress for 13 turns',
  ],
  ['fewer failing tests are progress', [tests(5), ...idle, tests(4)], null],
  [
    'as many failing tests are not',
    [tests(5), ...turns(14, () => tests(5))],
    'There was no progress',
  ],
  [
    'turns that wait do not count',
    turns(50, () => turn(bash('sleep 60; cat state', 'running'))),
    null,
  ],
  [
    'a failing call brings nothing new',
    turns(13, (nth) => turn(failed(`try ${nth}`))),
    'There was no progress for 13 turns',
  ],
  ['a setting of the user', [first, ...idle], null, { thresholds: { 'stall.turns': 20 } }],
  [
    'a setting has a floor',
    [first, ...idle.slice(0, 6)],
    null,
    { thresholds: { 'stall.turns': 1 } },
  ],
]);
