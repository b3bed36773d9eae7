import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AttemptScript } from './drive-attempts.ts';
import { driveAttempts } from './drive-attempts.ts';

/**
 * A table of runs, each with its expected sentences. Availability checks are listed only if the row
 * asks for them.
 */
export function drivenTable(
  name: string,
  cases: readonly (readonly [why: string, script: AttemptScript, reported: readonly string[]])[],
): void {
  describe(name, () => {
    for (const [why, script, expected] of cases)
      test(why, () => {
        const isSaid = (line: string): boolean => line !== 'looks' || expected.includes(line);
        assert.deepEqual(
          driveAttempts(script).trace.filter((line) => isSaid(line)),
          expected,
        );
      });
  });
}
