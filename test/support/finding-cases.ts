import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MachineFacts } from '../../src/doctor/machine-facts.ts';
import type { Finding, FindingState } from '../../src/protocol/views/diagnosis.ts';
import { goodMachine } from './machine-facts-fixture.ts';

/** A difference from a good machine, and the finding with that id that it causes. */
export type FindingCase = readonly [
  why: string,
  change: Partial<MachineFacts>,
  id: string,
  expected: readonly [
    state: FindingState,
    found: string | null,
    note: string | null,
    get: readonly string[] | null,
  ],
];

export function testFindings(
  cases: readonly FindingCase[],
  diagnose: (facts: MachineFacts) => readonly Finding[],
): void {
  for (const [why, change, id, expected] of cases) {
    test(why, () => {
      const findings = diagnose({ ...goodMachine, ...change });
      const seen = findings.filter((finding) => finding.id === id);
      assert.deepEqual(
        seen.map(({ state, found, note, get }) => [state, found, note, get]),
        [expected],
      );
    });
  }
}
