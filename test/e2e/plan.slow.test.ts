/** A feature that agents plan, by the command line: the file that is written, and what builds it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { FeatureRunDocument } from '../../src/public-json/feature-documents.ts';
import { PlannedFeatureDocument } from '../../src/public-json/project-documents.ts';
import { trustProject } from '../support/trust-project.ts';
import { newRepository } from './new-repository.ts';

const missing = which('bwrap', process.env) === undefined && process.env['CI'] === undefined;
const skip = missing ? 'missing: bwrap' : false;

const FILES = {
  'check.sh': 'true\n',
  '.supervisor/config.yaml':
    'gates:\n  - {name: test, command: [sh, check.sh]}\nworkflow: {template: small}\n',
  '.supervisor/workflows/small.yaml': `description: A small one
steps:
  implement: {role: implementer, next: check}
  check: {gates: [test], next: commit, on_fail: implement, max_retries: 2}
  commit: {kind: commit}
`,
};
const AGENT = ['--agent', 'scripted:plays-every-role'];
const NAME = 'features/P1T1-add-two-numbers.yaml';

describe('supervisor plan', { skip, timeout: 600_000 }, () => {
  test('writes a feature file that a person can edit, and builds it only with --start', async () => {
    await using at = await newRepository(FILES);
    const { harness } = at;
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com', ...args], {
        cwd: harness.project,
        encoding: 'utf8',
      });
    git('add', '--all');
    git('commit', '--quiet', '-m', 'first');
    await trustProject(harness.home.dir, harness.project);
    const env = { ...at.env, SUPERVISOR_SCRIPTED_IN_PROJECT: undefined };
    const say = (...argv: readonly string[]): ReturnType<typeof harness.run> =>
      harness.run(argv, { env });

    const words = await say('plan', 'Add two numbers', ...AGENT);
    assert.equal(words.code, 0, words.stdout + words.stderr);
    assert.match(words.stdout, /^ {2}○ {2}P1T1-PH1-C1 {2}all\.sum {2}The sum$/m);
    assert.match(words.stdout, /^There is one component, so nothing runs side by side\.$/m);
    assert.match(words.stdout, /^Written to features\/P1T1-add-two-numbers\.yaml\. Edit it/m);
    const file = join(harness.project, NAME);
    assert.match(await readFile(file, 'utf8'), /^id: P1T1\ntitle: Add two numbers\n/);
    const features = await say('feature', 'list', '--json');
    assert.deepEqual((JSON.parse(features.stdout) as { features: unknown }).features, []);

    const drawn = await say('plan', 'show', NAME);
    assert.match(drawn.stdout, /^P1T1 {2}Add two numbers\n/);
    const graph = await say('plan', 'show', NAME, '--graph');
    assert.match(graph.stdout, /^flowchart LR\n {2}subgraph P1T1_PH1\["All of it"\]\n/);

    // A person has edited the file, so it is not replaced.
    await writeFile(file, 'id: P1T1\n');
    const again = await say('plan', 'Add two numbers', '--id', 'P1T1', ...AGENT, '--json');
    assert.equal(again.code, 2, again.stdout);
    assert.match(again.stdout, /exists already, and it is not replaced/);
    assert.equal(await readFile(file, 'utf8'), 'id: P1T1\n');

    const started = await say('plan', 'Add three numbers', ...AGENT, '--start', '--json');
    assert.equal(started.code, 0, started.stdout + started.stderr);
    const planned = PlannedFeatureDocument.parse(JSON.parse(started.stdout));
    assert.deepEqual(
      [planned.feature, planned.file, planned.components, planned.runs_serially],
      ['P1T2', 'features/P1T2-add-three-numbers.yaml', 1, true],
    );
    const run = planned.started_run_id ?? assert.fail();
    assert.equal((await say('wait', run)).code, 0);
    const shown = await say('feature', 'show', run, '--json');
    assert.equal(FeatureRunDocument.parse(JSON.parse(shown.stdout)).state, 'complete');
  });

  test('says why there is no plan', async () => {
    await using at = await newRepository(FILES);
    const { harness } = at;
    await trustProject(harness.home.dir, harness.project);
    const argv = ['plan', 'x', '--role', 'reviewer', '--agent', 'scripted', '--json'];
    const { code, stdout } = await harness.run(argv, { env: at.env });
    assert.equal(code, 2);
    assert.match(stdout, /The role reviewer does not answer with a plan/);
  });
});
