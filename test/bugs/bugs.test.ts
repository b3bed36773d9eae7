/**
 * Bugs of earlier systems of this kind: each bug, and the test that shows that Supervisor does not
 * have it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGENT_BUGS } from './agents.ts';
import { assertIsThere } from './named-tests.ts';
import { RECORD_BUGS } from './records.ts';
import { RUN_BUGS } from './runs.ts';
import { STEERING_BUGS } from './steering.ts';
import { WORKFLOW_BUGS } from './workflows.ts';

const BUGS = [...RUN_BUGS, ...RECORD_BUGS, ...AGENT_BUGS, ...WORKFLOW_BUGS, ...STEERING_BUGS];

test('each bug has one row', () => {
  const names = BUGS.map(([bug]) => bug);
  assert.deepEqual(names, [...new Set(names)]);
});

for (const [bug, ...tests] of BUGS)
  test(bug, () => {
    assert.ok(tests.length > 0);
    for (const named of tests) assertIsThere(named);
  });
