import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Script } from './play-attempts.ts';
import { playAttempts } from './play-attempts.ts';

/** A table of runs, each with what is told of it; that it looks around only where this is said. */
export function playedTable(
  name: string,
  cases: readonly (readonly [why: string, script: Script, told: readonly string[]])[],
): void {
  describe(name, () => {
    for (const [why, script, expected] of cases)
      test(why, () => {
        const isSaid = (line: string): boolean => line !== 'looks' || expected.includes(line);
        assert.deepEqual(
          playAttempts(script).told.filter((line) => isSaid(line)),
          expected,
        );
      });
  });
}
