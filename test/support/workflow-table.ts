/** A table of workflows: why, what happens, and what the workflow does, in short sentences. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WorkflowScript } from './drive-workflow.ts';
import { driveWorkflow } from './drive-workflow.ts';

export function workflowTable(
  name: string,
  rows: readonly (readonly [why: string, script: WorkflowScript, trace: readonly string[]])[],
): void {
  describe(name, () => {
    for (const [why, script, expected] of rows)
      test(why, () => assert.deepEqual(driveWorkflow(script).trace, expected));
  });
}
