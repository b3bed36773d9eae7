/** A comparison of a workflow with and without a step by the command line, with scripted agents and real gates. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { AblationDocument } from '../../src/public-json/ablation-document.ts';
import { StepsReportDocument } from '../../src/public-json/steps-document.ts';
import { trustProject } from '../support/trust-project.ts';
import { newRepository } from './new-repository.ts';

const missing = which('bwrap', process.env) === undefined && process.env['CI'] === undefined;
const skip = missing ? 'missing: bwrap' : false;

const WORKFLOW = `description: A small one
steps:
  implement: {role: implementer, next: check}
  check: {gates: [test], next: review, on_fail: implement, max_retries: 3}
  review: {role: reviewer, next: look, on_reject: implement}
  look: {kind: human, next: commit}
  commit: {kind: commit}
`;
const FILES = {
  'check.sh': `grep -q 'a + b' sum.mjs || { echo "not ok: add(1, 2) is -1"; exit 1; }\n`,
  'tasks.yaml': 'tasks:\n  - Add a sum.\n',
  '.supervisor/config.yaml': 'gates:\n  - {name: test, command: [sh, check.sh]}\n',
  '.supervisor/workflows/small.yaml': WORKFLOW,
};
const ABLATE = [
  ...['ablate', 'small', '--without', 'review', '--tasks', 'tasks.yaml', '--yes', '--json'],
  ...['--agent', 'scripted:plays-every-role'],
];

describe('a comparison', { skip, timeout: 900_000 }, () => {
  test('whose owner is killed is continued by the same command, and no trial runs twice', async () => {
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

    const first = harness.run(ABLATE, { env });
    const terminal = harness.type(['events', '--follow']);
    await terminal.shows(/collect-1/);
    terminal.child.kill('SIGKILL');
    const { pid } = JSON.parse(await readFile(harness.home.ownerFile, 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    await first; // it ends with the owner, or has found the next one
    await writeFile(join(harness.project, 'later.txt'), 'edited by the user meanwhile\n');

    const { code, stdout, stderr } = await harness.run(ABLATE, { env });
    assert.equal(code, 0, stdout + stderr);
    const compared = AblationDocument.parse(JSON.parse(stdout));
    const { outcome, pairs, ties, p_value: p, trials } = compared;
    assert.deepEqual([outcome, pairs, ties, p], ['succeeded', 1, 1, null]);
    assert.deepEqual(trials.map(({ arm, verdict }) => `${arm} ${verdict}`).toSorted(), [
      'with solved',
      'without solved',
    ]);
    assert.equal(git('branch', '--list', 'ai/*'), '', 'trials commit nothing');
    for (const { run_id: run } of trials) {
      const diff = await harness.run(['diff', run ?? '', '--raw']);
      assert.match(diff.stdout, /sum\.mjs/);
      assert.doesNotMatch(diff.stdout, /later\.txt/, 'every trial has the same base');
    }

    const again = await harness.run(ABLATE, { env });
    assert.deepEqual(JSON.parse(again.stdout), compared, 'the same command shows the same run');

    const report = await harness.run(['report', '--steps', '--json']);
    const { templates } = StepsReportDocument.parse(JSON.parse(report.stdout));
    assert.deepEqual(
      templates.map(({ template, runs, steps }) => `${template} ${runs} ${steps.length}`),
      ['small (trial without review) 1 2', 'small (trial) 1 3'],
    );
  });
});
