import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ThresholdChanges } from '../../src/protocol/contracts/steering-contract.ts';
import type { Detector } from '../../src/steering/anomaly.ts';
import type { OrganizationRole } from '../../src/protocol/contracts/organization-contract.ts';
import type { ScriptedTurn } from './turn-script.ts';
import { watchScript } from './turn-script.ts';

/** `expected`: the beginning of the anomaly after the last turn. Null: there is none. */
export type DetectorCase = [
  why: string,
  script: readonly ScriptedTurn[],
  expected: string | null,
  given?: { readonly role?: OrganizationRole; readonly thresholds?: ThresholdChanges },
];

export function testDetector(
  title: string,
  detector: Detector,
  cases: readonly DetectorCase[],
): void {
  describe(title, () => {
    for (const [why, script, expected, given = {}] of cases)
      test(why, () => {
        const { role, thresholds = {} } = given;
        const { watched } = watchScript(script, {
          ...(role !== undefined && { role }),
          steering: { thresholds },
        });
        const found = detector(watched);
        assert.equal(found?.words.slice(0, expected?.length) ?? null, expected);
      });
  });
}
