import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PlanCount } from '../protocol/turn.ts';
import { countFailing, endsItem, readPlan } from './progress-signs.ts';

describe('the plan that a call sets', () => {
  const items = [{ status: 'completed' }, { status: 'in_progress' }, { status: 'pending' }];
  const cases: [why: string, tool: string, input: unknown, expected: PlanCount | undefined][] = [
    ['Claude', 'TodoWrite', { todos: items }, { done: 1, total: 3 }],
    ['Codex', 'update_plan', { plan: items }, { done: 1, total: 3 }],
    ['Gemini', 'write_todos', { todos: items }, { done: 1, total: 3 }],
    ['opencode', 'todowrite', { todos: [{ status: 'cancelled' }] }, { done: 1, total: 1 }],
    ['another tool', 'Bash', { todos: items }, undefined],
    ['an empty plan', 'TodoWrite', { todos: [] }, undefined],
    ['no plan', 'TodoWrite', 'nonsense', undefined],
  ];
  for (const [why, tool, input, expected] of cases)
    test(why, () => assert.deepEqual(readPlan(tool, input), expected));
});

describe('a call ends one item of a plan', () => {
  const cases: [why: string, tool: string, input: unknown, is: boolean][] = [
    ['Claude', 'TaskUpdate', { taskId: '1', status: 'completed' }, true],
    ['Claude, at its beginning', 'TaskUpdate', { taskId: '1', status: 'in_progress' }, false],
    ['Gemini', 'tracker_update_task', { id: 'a', status: 'done' }, true],
    ['Copilot', 'sql', { query: "UPDATE todos SET status = 'done' WHERE id = 'a'" }, true],
    ['another table', 'sql', { query: "UPDATE jobs SET status = 'done'" }, false],
    ['another tool', 'Bash', { status: 'completed' }, false],
  ];
  for (const [why, tool, input, is] of cases)
    test(why, () => assert.equal(endsItem(tool, input), is));
});

describe('the failing tests that an output counts', () => {
  const cases: [why: string, output: string, expected: number | undefined][] = [
    ['a counted try that fails is no test', 'attempt 3 failed: wrong branch', undefined],
    ['node:test', '# tests 5\n# pass 3\n# fail 2\n', 2],
    ['mocha', '  12 passing (40ms)\n  3 failing\n', 3],
    ['jest', 'Tests:       1 failed, 11 passed, 12 total', 1],
    ['vitest, all green', ' Tests  12 passed (12)', 0],
    ['pytest', '=== 2 failed, 5 passed in 0.12s ===', 2],
    ['pytest, all green', '=== 7 passed in 0.12s ===', 0],
    ['unittest', 'FAILED (failures=4)', 4],
    ['cargo', 'test result: FAILED. 3 passed; 1 failed; 0 ignored', 1],
    ['the last summary counts', '5 failed\n…\n2 failed', 2],
    ['Go', '--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\nFAIL\nFAIL\tx\t0.01s', 2],
    ['Go, all green', 'ok  \texample.org/x\t0.01s', 0],
    ['GoogleTest', '[  FAILED  ] 2 tests, listed below:', 2],
    ['.NET', 'Failed!  - Failed:     1, Passed:     9, Skipped:     0', 1],
    ['.NET, all green', 'Passed!  - Failed:     0, Passed:     9, Skipped:     0', 0],
    ['Bun', ' 3 pass\n 2 fail\n', 2],
    ['unittest, only errors', 'FAILED (errors=2)', 2],
    ['TAP', 'ok 1\nnot ok 2 - x\n', 1],
    ['a listing', 'a.ts\nb.ts', undefined],
  ];
  for (const [why, output, expected] of cases)
    test(why, () => assert.equal(countFailing(output), expected));
});
