/** A scripted agent gets what every agent gets: a copy of the project, its setup, and gates on its work. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { trustProject } from '../support/trust-project.ts';
import { newRepository } from './new-repository.ts';

const missing = which('bwrap', process.env) === undefined && process.env['CI'] === undefined;

describe('a run of a scripted agent', { timeout: 600_000 }, () => {
  test(
    'has the result of the setup, and its gates check the work in a copy',
    { skip: missing ? 'missing: bwrap' : false },
    async () => {
      await using at = await newRepository({
        '.gitignore': 'made\n',
        'README.md': 'a project\n',
        '.supervisor/config.yaml': `setup: {command: [sh, -c, "echo yes >made"]}
gates:
  - {name: made, command: [grep, "yes", made]}
  - {name: work, command: [grep, "step 5", WORK.md]}
`,
      });
      const { harness } = at;
      const env = { ...at.env, SUPERVISOR_SCRIPTED_IN_PROJECT: undefined };
      await trustProject(harness.home.dir, harness.project);
      const run = await harness.run(['run', 'five steps', '--agent', 'scripted'], { env });
      assert.equal(run.code, 0, run.stdout + run.stderr);
      assert.match(run.stdout, /gate work fails before the agent starts/);
      assert.match(run.stdout, /^ {2}gates {5}✔ made, ✔ work$/m);
      for (const name of ['made', 'WORK.md']) assert.ok(!existsSync(join(harness.project, name)));
    },
  );
});
