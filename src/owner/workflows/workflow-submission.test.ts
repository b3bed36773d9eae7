import assert from 'node:assert/strict';
import { realpath } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { definition, gate, role } from '../../../test/support/workflow-fixture.ts';
import { isRefusal } from '../../base/errors.ts';
import { seededRandom } from '../../base/random.ts';
import type { WorkflowSubmission } from '../../protocol/run-submission.ts';
import { toSettings } from '../../settings/settings.ts';
import { openTrustedProject } from '../../../test/support/trust-project.ts';
import { workflowSubmission } from './workflow-submission.ts';

const STEPS = definition({ implement: role('implementer', 'check'), check: gate(['test'], null) });

async function submitted(cli: string): Promise<WorkflowSubmission> {
  await using dir = await tempDir();
  const path = await realpath(dir.path);
  const settings = toSettings({ agents: [{ id: 'main', cli }] }, '/u');
  return await workflowSubmission(
    { task: 'Fix it.', project: path, workflow: 'small', agent: 'main', unsafe: true },
    settings,
    {
      home: `${path}/home`,
      project: await openTrustedProject(`${path}/home`, path),
      random: seededRandom(1),
      defaultAgent: async () => null,
      loadWorkflow: async () => STEPS,
      parts: { environment: { variables: {}, isFromShell: false, scriptedInProject: true } },
    },
  );
}

describe('a workflow without a sandbox', () => {
  test('has its scripted agents in copies, and its gates outside of a sandbox', async () => {
    const { settings } = await submitted('scripted');
    const own = settings.workflow.roles['implementer']?.settings;
    assert.deepEqual(
      [own?.agent.inProject, own?.unsafe, settings.agent.inProject, settings.unsafe],
      [false, true, false, true],
    );
  });

  test('is refused with any other agent: nothing would keep it in its copy', async () => {
    await assert.rejects(
      submitted('claude'),
      (error) =>
        isRefusal(error, 'usage.invalid') &&
        /only a sandbox keeps main \(role implementer\) in its copy/.test(error.message),
    );
  });
});
