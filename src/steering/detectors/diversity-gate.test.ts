import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ToolError } from '../../protocol/turn.ts';
import { isIterating } from './diversity-gate.ts';

describe('an agent that meets different errors is iterating', () => {
  const cases: [why: string, errors: readonly ToolError[], is: boolean][] = [
    ['no failure', [], false],
    ['one kind', ['syntax', 'syntax', 'syntax'], false],
    ['two kinds', ['syntax', 'timeout', 'syntax'], false],
    ['three kinds', ['syntax', 'timeout', 'network'], true],
  ];
  for (const [why, errors, is] of cases)
    test(why, () => {
      const failures = errors.map((error, turn) => ({
        ...{ turn, tool: 'Bash', signature: 's', call: 's', output: '', error, subject: null },
        ...{ isTestRun: false, isFinding: false, isMissing: false },
      }));
      assert.equal(isIterating(failures), is);
    });
});
