import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AttemptScript } from './drive-attempts.ts';
import { driveAttempts } from './drive-attempts.ts';

/** A table of runs, each with what is told of it; that it looks around only where this is said. */
export function drivenTable(
  name: string,
  cases: readonly (readonly [why: string, script: AttemptScript, told: readonly string[]])[],
): void {
  describe(name, () => {
    for (const [why, script, expected] of cases)
      test(why, () => {
        const isSaid = (line: string): boolean => line !== 'looks' || expected.includes(line);
        assert.deepEqual(
          driveAttempts(script).told.filter((line) => isSaid(line)),
          expected,
        );
      });
  });
}
