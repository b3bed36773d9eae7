/** Work that goes wrong is found, also if its calls differ in what means nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { recordsOf, watchScript } from '../../test/support/turn-script.ts';
import { WRONG_HISTORIES } from '../../test/support/wrong-histories.ts';
import { DETECTORS } from '../protocol/contracts/steering-contract.ts';

describe('what goes wrong is found', () => {
  for (const [why, detector, within, script, role] of WRONG_HISTORIES)
    test(`${detector}: ${why}`, () => {
      const { found } = watchScript(script, role === undefined ? {} : { role });
      const first = found.find((one) => one.split(' ')[1] === detector);
      assert.notEqual(first, undefined, found.join(', ') || 'nothing');
      // The results of the last turn come with the next request.
      assert.ok(Number.parseInt(first ?? '', 10) <= within + 1, found.join(', '));
    });

  test('by every detector', () => {
    const named = new Set(WRONG_HISTORIES.map(([, detector]) => detector));
    assert.deepEqual([...named].toSorted(), DETECTORS.toSorted());
  });

  test('in the conversation of a subagent, as in any other', () => {
    for (const [why, detector, , script, role] of WRONG_HISTORIES) {
      const sub = recordsOf(script, 'sub').map((one) => ({ ...one, kind: 'sub' as const }));
      const { found } = watchScript(sub, role === undefined ? {} : { role });
      assert.ok(
        found.some((one) => one.split(' ')[1] === detector),
        why,
      );
    }
  });
});
