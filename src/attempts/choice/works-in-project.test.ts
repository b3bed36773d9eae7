import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { worksInProject } from './works-in-project.ts';

describe('an agent works in the project itself', () => {
  const cases: [why: string, inProject: boolean | undefined, unsafe: boolean, expected: boolean][] =
    [
      ['not in a sandbox', undefined, false, false],
      ['without a sandbox', undefined, true, true],
      ['as a scripted agent of a test', true, false, true],
      ['not in a workflow, even without a sandbox', false, true, false],
    ];
  for (const [why, inProject, unsafe, expected] of cases)
    test(why, () => {
      const agent = inProject === undefined ? {} : { inProject };
      assert.equal(worksInProject(agent, unsafe), expected);
    });
});
