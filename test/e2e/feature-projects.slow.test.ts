/** A feature of two repositories by the command line: scripted agents, real git, and an owner that is killed in the middle. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { FeatureRunDocument } from '../../src/public-json/feature-documents.ts';
import { RollbackDocument, TaskCompletionDocument } from '../../src/public-json/task-documents.ts';
import { trustProject } from '../support/trust-project.ts';
import { newRepository } from './new-repository.ts';

const missing = which('bwrap', process.env) === undefined && process.env['CI'] === undefined;
const skip = missing ? 'missing: bwrap' : false;

const FEATURE = `id: P1T1
title: Two sides
workflow: small
projects:
  api: { path: . }
  web: { path: ../web, depends_on: [api] }
phases:
  - id: one
    interfaces:
      - { file: contract/invoice.json, definition: '{"type": "object"}' }
    components:
      - { id: server, project: api, task: 'WRITE a.txt: of api', files: [a.txt] }
      - { id: form, project: web, task: 'WRITE a.txt: of web', files: [a.txt] }
`;
const SETTINGS = {
  'check.sh': 'test -f check.sh\n',
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
  ...['--yes', '--detach', '--json'],
];
const BRANCH = 'ai/P1T1-two-sides';

function git(cwd: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com'];
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8' });
}

async function repository(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  git(root, 'init', '--quiet');
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '-m', 'first');
}

describe('a feature of two projects', { skip, timeout: 900_000 }, () => {
  test('is refused as long as one of them cannot be built, and lands on a branch in each', async () => {
    await using at = await newRepository({ ...SETTINGS, 'feature.yaml': FEATURE });
    const { harness } = at;
    const api = harness.project;
    const web = join(api, '../web');
    const env = { ...at.env, SUPERVISOR_SCRIPTED_IN_PROJECT: undefined };
    const refused = async (): Promise<string> => {
      const { code, stdout } = await harness.run(START, { env });
      assert.notEqual(code, 0);
      return (JSON.parse(stdout) as { error: { message: string } }).error.message;
    };
    await repository(api, {});
    await trustProject(harness.home.dir, api);
    assert.match(
      await refused(),
      /^feature\.yaml:6:16: the project "web" cannot be built: .*web does not exist$/,
    );
    await mkdir(web);
    assert.match(await refused(), /web is not a git repository$/);
    await repository(web, SETTINGS);
    assert.match(await refused(), /web has its own settings, which you have not trusted/);
    await trustProject(harness.home.dir, web);
    git(web, 'branch', BRANCH);
    assert.match(await refused(), /^The branch ai\/P1T1-two-sides exists already in .*web/);
    git(web, 'branch', '-D', BRANCH);

    const say = async (...argv: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await harness.run(argv, { env });
      assert.equal(code, 0, stdout + stderr);
      return stdout;
    };
    const read = async (
      ...argv: readonly string[]
    ): Promise<ReturnType<typeof FeatureRunDocument.parse>> =>
      FeatureRunDocument.parse(JSON.parse(await say(...argv, '--json')));
    const { run_id: run } = await read(...START.slice(0, -1));
    const terminal = harness.type(['events', '--run', run, '--follow']);
    await terminal.shows(/commit-p1t1-ph1-c1-2 /);
    terminal.child.kill('SIGKILL');
    await harness.killOwner();

    await say('up', '--detach');
    await say('wait', run);
    const shown = await read('feature', 'show', run);
    assert.deepEqual([shown.state, shown.outcome], ['complete', 'succeeded']);
    assert.deepEqual(
      shown.projects.map(({ name, merge_queue: queue }) => [name, queue]),
      [
        ['api', []],
        ['web', []],
      ],
    );
    const components = shown.phases.flatMap((phase) => phase.components);
    assert.deepEqual(
      components.map(({ id, project, state }) => [id, project, state]),
      [
        ['P1T1-PH1-C01', 'api', 'complete'],
        ['P1T1-PH1-C02', 'web', 'complete'],
        ['P1T1-PH1-C1', 'api', 'complete'],
        ['P1T1-PH1-C2', 'web', 'complete'],
      ],
    );
    for (const [root, name] of [
      [api, 'api'],
      [web, 'web'],
    ] as const) {
      assert.equal(git(root, 'show', `${BRANCH}:a.txt`), `of ${name}\n`);
      assert.equal(git(root, 'show', `${BRANCH}:contract/invoice.json`), '{"type": "object"}\n');
      assert.equal(git(root, 'rev-list', '--count', `HEAD..${BRANCH}`).trim(), '2');
      assert.equal(git(root, 'status', '--short'), '');
    }
    assert.match(await say('merges', run), /^web {2}\S+ {2}ai\/P1T1-two-sides$/m);
    assert.match(
      await say('status', run),
      /^child +\S+ +succeeded +WRITE a\.txt: of web +in \S+web$/m,
    );

    // Each project takes its own branch over, and out again.
    git(web, 'config', 'user.name', 'ada');
    git(web, 'config', 'user.email', 'ada@example.com');
    const task = TaskCompletionDocument.parse(
      JSON.parse(await say('complete-task', run, '--project', web, '--merge', '--yes', '--json')),
    );
    assert.deepEqual(
      task.files.map(({ path }) => path),
      ['a.txt', 'contract/invoice.json'],
    );
    assert.equal(git(web, 'rev-parse', 'HEAD').trim(), task.commit);
    const back = RollbackDocument.parse(
      JSON.parse(await say('rollback', run, '--phase', 'one', '--project', web, '--yes', '--json')),
    );
    assert.deepEqual([back.action, back.commits.length], ['revert-commits', 2]);
    assert.match(await say('events'), /rolled back \S+ in \S+web, git reverted/);
    assert.equal(git(api, 'rev-list', '--count', `HEAD..${BRANCH}`).trim(), '2');
    const other = await harness.run(
      ['complete-task', run, '--project', at.harness.dir, '--dry-run'],
      { env },
    );
    assert.match(other.stderr, /^error: Run \S+ does not change the project /m);
  });
});
