import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testDetector } from '../../../test/support/detector-table.ts';
import {
  at,
  bash,
  failed,
  read,
  SPECIALIST,
  turn,
  turns,
} from '../../../test/support/turn-script.ts';
import type { ScriptedTurn } from '../../../test/support/turn-script.ts';
import { watchScript } from '../../../test/support/turn-script.ts';
import type { PaceLevel } from '../../protocol/contracts/organization-contract.ts';
import { withPace } from '../pace-level.ts';
import { detectContingent } from './pace-contingent.ts';
import { detectEmergency } from './pace-emergency.ts';
import { detectFlapping } from './pace-flapping.ts';

const role = { role: SPECIALIST };
const fails = (count: number) => turns(count, (nth) => turn(failed(`try ${nth}`)));
const fullDisk = (count: number) =>
  turns(count, (nth) => turn(failed(`try ${nth}`, 'No space left on device')));
const calm = (count: number) => turns(count, (nth) => turn(bash(`look ${nth}`)));
const full = (count: number) => turns(count, (nth) => at(0.9, bash(`look ${nth}`)));

testDetector('the contingent level of a role', detectContingent, [
  [
    'five failures in a row',
    fails(5),
    'The role builder is at its contingent level: describe the design and ask for help.',
    role,
  ],
  ['four failures are the alternate level', fails(4), null, role],
  [
    'a context of more than 85 %',
    [at(0.86, read('a.ts'))],
    'The role builder is at its contingent level',
    role,
  ],
  ['no role, no level', fails(9), null],
  ['a turn without a failure is not blamed', [...fails(5), ...calm(1)], null, role],
]);

testDetector('the emergency level of a role', detectEmergency, [
  [
    '18 turns without progress are half as many again as allowed',
    turns(18, (nth) => turn(read(`${nth}`))),
    null,
    role,
  ],
  [
    '19 are an emergency',
    turns(19, (nth) => turn(read(`${nth}`))),
    'The role builder is at its emergency level: hand the work back.',
    role,
  ],
  ['no role, no emergency', turns(40, () => turn(read('a'))), null],
]);

testDetector('a level that keeps changing', detectFlapping, [
  [
    'twice within 20 turns, with a full context',
    [...fails(5), ...calm(3), at(0.82, bash('x'))],
    'The approach changed 3 times in the last 20 turns, and the context is 82 % full.',
    role,
  ],
  ['with room left', [...fails(5), ...calm(3), at(0.5, bash('x'))], null, role],
  ['once', full(2), null, role],
  [
    'long ago',
    [...fails(5), ...calm(3), ...turns(20, (nth) => at(0.82, bash(`y ${nth}`)))],
    null,
    role,
  ],
  ['no role', [...fails(5), ...calm(3), at(0.82, bash('x'))], null],
]);

describe('the level of a role', () => {
  const cases: [why: string, script: readonly ScriptedTurn[], level: PaceLevel | undefined][] = [
    ['begins at primary', calm(1), 'primary'],
    ['rises to alternate after three failures', fails(3), 'alternate'],
    ['rises to contingent after five', fails(5), 'contingent'],
    ['does not fall at the first success', [...fails(5), ...calm(1)], 'contingent'],
    ['falls after three calm turns', [...fails(5), ...calm(3)], 'primary'],
    ['rises to emergency when the disk is full', fullDisk(3), 'emergency'],
    [
      'a full disk and another error is no such emergency',
      [...fullDisk(2), ...fails(1)],
      'alternate',
    ],
    ['rises at once, however calm it was', [...calm(9), ...fails(5)], 'contingent'],
  ];
  for (const [why, script, level] of cases)
    test(why, () => assert.equal(watchScript(script, role).watched.history.pace?.level, level));

  test('of another role begins at primary, and without a role there is none', () => {
    const { history } = watchScript(fails(5), role).watched;
    const other = withPace({ ...history, failures: [] }, { ...SPECIALIST, id: 'other' });
    assert.deepEqual(
      [history.pace?.level, other.pace?.level, withPace(history, null).pace],
      ['contingent', 'primary', null],
    );
  });

  test('is unknown without a role', () => {
    assert.equal(watchScript(fails(9)).watched.history.pace, null);
  });
});
