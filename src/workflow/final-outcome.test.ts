import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { driveWorkflow } from '../../test/support/drive-workflow.ts';
import type { WorkflowScript } from '../../test/support/drive-workflow.ts';
import { commit, definition, gate, role } from '../../test/support/workflow-fixture.ts';

describe('a commit says whether gates have checked its work', () => {
  const cases: [why: string, script: WorkflowScript, isVerified: boolean][] = [
    [
      'a gate was green on it',
      {
        definition: definition({
          work: role('coder', 'test'),
          test: gate(['test'], 'commit', { onFail: 'work' }),
          commit: commit(),
        }),
      },
      true,
    ],
    [
      'there is no gate',
      { definition: definition({ work: role('coder', 'commit'), commit: commit() }) },
      false,
    ],
    [
      'the work changed after the gate, and the gate ran again',
      {
        definition: definition({
          work: role('coder', 'test'),
          test: gate(['test'], 'more', { onFail: 'work' }),
          more: role('coder', 'commit'),
          commit: commit(),
        }),
      },
      true,
    ],
  ];
  for (const [why, script, isVerified] of cases)
    test(why, () => {
      const { commits } = driveWorkflow(script);
      assert.deepEqual(commits.map((one) => one.isVerified).at(0), isVerified);
    });
});
