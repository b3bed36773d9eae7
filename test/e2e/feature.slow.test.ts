/** A whole feature by the command line: scripted agents, real git, real gates, and an owner that is killed in the middle. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import {
  FeatureRunDocument,
  FeatureRunsDocument,
} from '../../src/public-json/feature-documents.ts';
import { trustProject } from '../support/trust-project.ts';
import { newRepository } from './new-repository.ts';

const missing = which('bwrap', process.env) === undefined && process.env['CI'] === undefined;
const skip = missing ? 'missing: bwrap' : false;

/** Both `a` and `b` change the last line of shared.txt, which neither declares. */
const FEATURE = `id: P1T1
title: Two files and a third
workflow: small
phases:
  - id: one
    components:
      - { id: a, title: The first file, task: 'WRITE a.txt: one. EXTEND shared.txt: first', files: [a.txt] }
      - { id: b, title: The second file, task: 'WRITE b.txt: two. EXTEND shared.txt: second', files: [b.txt] }
  - id: two
    components:
      - { id: c, title: The third file, task: 'WRITE c.txt: three', files: [c.txt] }
`;
const FILES = {
  'check.sh': 'test -f shared.txt\n',
  'shared.txt': 'list:\n',
  'feature.yaml': FEATURE,
  '.supervisor/config.yaml': 'gates:\n  - {name: test, command: [sh, check.sh]}\n',
  '.supervisor/workflows/small.yaml': `description: A small one
steps:
  implement: {role: implementer, next: check}
  check: {gates: [test], next: commit, on_fail: implement, max_retries: 2}
  commit: {kind: commit}
`,
};
const START = [
  ...['feature', 'start', 'feature.yaml', '--agent', 'scripted:builds-components'],
  ...['--capacity', '2', '--yes', '--detach', '--json'],
];
const BRANCH = 'ai/P1T1-two-files-and-a-third';

describe('a feature', { skip, timeout: 900_000 }, () => {
  test('lands all components on one line of commits, also after a conflict and a killed owner', async () => {
    await using at = await newRepository(FILES);
    const { harness } = at;
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com', ...args], {
        cwd: harness.project,
        encoding: 'utf8',
      });
    git('add', '--all');
    git('commit', '--quiet', '-m', 'first');
    const head = git('rev-parse', 'HEAD');
    await trustProject(harness.home.dir, harness.project);
    const env = { ...at.env, SUPERVISOR_SCRIPTED_IN_PROJECT: undefined };
    const say = async (argv: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await harness.run(argv, { env });
      assert.equal(code, 0, stdout + stderr);
      return stdout;
    };

    const { run_id: run } = FeatureRunDocument.parse(JSON.parse(await say(START)));
    const terminal = harness.type(['events', '--run', run, '--follow']);
    await terminal.shows(/run-p1t1-ph1-c1-1 starts/);
    await terminal.shows(/run-p1t1-ph1-c2-1 starts/);
    await terminal.shows(/commit-p1t1-ph1-c[12]-1 /);
    terminal.child.kill('SIGKILL');
    await harness.killOwner();

    await say(['up', '--detach']);
    await say(['wait', run]);
    const shown = FeatureRunDocument.parse(
      JSON.parse(await say(['feature', 'show', run, '--json'])),
    );
    const components = shown.phases.flatMap((phase) => phase.components);
    assert.deepEqual(
      [shown.state, shown.outcome, components.map(({ state }) => state)],
      ['complete', 'succeeded', ['complete', 'complete', 'complete']],
    );
    // The second one was in conflict with the first, and began again with its work.
    const [first, second] = shown.merges.map(({ id }) =>
      components.find((component) => component.id === id),
    );
    assert.deepEqual([first?.tries, second?.tries, components[2]?.tries], [1, 2, 1]);
    assert.deepEqual(first?.undeclared_files, ['shared.txt']);

    const words = git('show', `${BRANCH}:shared.txt`).trim().split(' ');
    assert.deepEqual(words.slice(1).toSorted(), ['first', 'second']);
    assert.equal(git('show', `${BRANCH}:c.txt`), 'three\n');
    const line = git('log', '--format=%s', '--first-parent', `HEAD..${BRANCH}`).trim().split('\n');
    assert.deepEqual(line.toSorted(), ['The first file', 'The second file', 'The third file']);
    assert.equal(git('log', '--merges', '--format=%h', BRANCH), '');
    assert.deepEqual([git('rev-parse', 'HEAD'), git('status', '--short')], [head, '']);

    assert.match(
      await say(['merges', run]),
      /^ {2}3 {2}landed {3}[0-9a-f]{10} {2}two\.c, 1 file$/m,
    );
    const list = FeatureRunsDocument.parse(JSON.parse(await say(['feature', 'list', '--json'])));
    assert.deepEqual(
      list.features.map(({ run_id: id, landed }) => [id, landed]),
      [[run, 3]],
    );
    // The branch exists now, and another feature must not move it.
    const again = await harness.run(START, { env });
    assert.equal(again.code, 1);
    assert.match(again.stdout, /The branch ai\/P1T1-two-files-and-a-third exists already/);
  });
});
