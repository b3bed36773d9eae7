import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, test } from 'node:test';
import type { CommandKey } from '../../src/base/ids.ts';
import { commitWorkPerformer } from '../../src/execution/commit-work/perform-commit-work.ts';
import type {
  CommitWorkInput,
  CommitWorkResult,
} from '../../src/protocol/contracts/workflow-contract.ts';
import { commitWorkspace } from '../../src/workspace/commit-work.ts';
import type { WorkspaceHarness } from './workspace-harness.ts';
import { RUN, workspaceHarness, write } from './workspace-harness.ts';

const REQUEST = { title: 'Fix it', body: 'It was broken.', draft: true };

/** A stand-in for `gh`: it writes down what it was asked, and remembers the pull request that it opened. */
const GH = `#!/bin/sh
echo "$@" >> "$GH_LOG"
case "$1 $2" in
  'pr list') cat "$GH_LOG.list" 2>/dev/null || echo '[]' ;;
  'pr create')
    [ -z "$GH_FAILS" ] || { echo "$GH_FAILS" >&2; exit 4; }
    cat > "$GH_LOG.body"
    echo "[{\\"url\\":\\"https://example.test/pull/7\\",\\"headRefOid\\":\\"$(git rev-parse ai/7-fix)\\"}]" > "$GH_LOG.list"
    echo https://example.test/pull/7 ;;
esac
`;

type Commit = (
  input?: Partial<CommitWorkInput>,
  env?: Readonly<Record<string, string>>,
) => Promise<CommitWorkResult>;

/** A project with one commit, and an agent that has changed these files. */
async function workOf(
  b: WorkspaceHarness,
  files: Readonly<Record<string, string>> = { 'a.txt': 'A\n' },
): Promise<{ readonly commit: Commit; readonly log: string }> {
  const ws = await b.make();
  await write(ws.work, files);
  const made = await commitWorkspace(ws.id, b.ports);
  const bin = join(b.home, 'bin');
  const log = join(b.home, 'gh.log');
  await mkdir(bin);
  await writeFile(join(bin, 'gh'), GH);
  await chmod(join(bin, 'gh'), 0o755);
  const commit: Commit = (input = {}, env = {}) =>
    commitWorkPerformer({
      clock: b.ports.clock,
      stateDir: b.home,
      userDir: b.ports.userHome,
      git: b.ports.git,
      tagOf: () => b.ports.tag,
      ownerEnv: {
        PATH: [bin, process.env['PATH'] ?? ''].join(delimiter),
        HOME: b.ports.userHome,
        GH_LOG: log,
        ...env,
      },
    }).perform(
      {
        run: RUN,
        key: 'commit-commit-1' as CommandKey,
        input: {
          project: b.project,
          work: { run: RUN, tree: ws.id.attempt, commit: made.commit, content: 'c' },
          branch: 'ai/7-fix',
          message: 'Fix it (${run_id})',
          isVerified: true,
          pullRequest: null,
          ...input,
        },
      },
      {
        cancelSignal: new AbortController().signal,
        killSignal: new AbortController().signal,
        note: async () => {},
      },
    );
  return { commit, log };
}

async function withRemote(b: WorkspaceHarness): Promise<string> {
  const remote = join(b.home, '..', 'remote.git');
  await b.git('init', '--quiet', '--bare', remote);
  await b.git('remote', 'add', 'origin', remote);
  return remote;
}

describe('the commit at the end of a workflow', () => {
  test('is on its branch, with the run and its outcome, and is made once', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a\n' });
    const { commit } = await workOf(b);
    const made = await commit();
    assert.equal(made.kind, 'committed');
    assert.deepEqual(await commit(), made);
    assert.match(
      await b.git('log', '--format=%B', 'main..ai/7-fix'),
      /^Fix it \(0123456789\)\n\nSupervisor-Run: 0123456789\nSupervisor-Outcome: verified\nSigned-off-by: .*\n\n$/,
    );
  });

  test('is refused if the branch exists, and the work stays on its ref', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a\n' });
    const { commit } = await workOf(b);
    await b.git('branch', 'ai/7-fix');
    const refused = await commit();
    assert.deepEqual(
      [refused.kind, refused.kind === 'refused' && refused.ref],
      ['refused', 'refs/supervisor/0123456789/1'],
    );
    assert.match(
      refused.kind === 'refused' ? refused.why : '',
      /^The branch ai\/7-fix already exists/,
    );
  });

  test('never moves the branch that is checked out', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a\n' });
    const { commit } = await workOf(b);
    assert.equal((await commit({ branch: null })).kind, 'refused');
  });
});

describe('the pull request of a workflow', () => {
  test('is opened once, with the title, the body and the branch', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a\n' });
    const { commit, log } = await workOf(b);
    const remote = await withRemote(b);
    const first = await commit({ pullRequest: { ...REQUEST, title: `--fill ${'x'.repeat(90)}` } });
    assert.equal(first.kind === 'committed' && first.pullRequest, 'https://example.test/pull/7');
    assert.deepEqual(await commit({ pullRequest: REQUEST }), first);
    const pushed = (await b.git('--git-dir', remote, 'rev-parse', 'ai/7-fix')).trim();
    assert.equal(first.kind === 'committed' && first.commit, pushed);
    const asked = (await readFile(log, 'utf8')).trim().split('\n');
    assert.deepEqual(
      asked.map((line) => line.slice(0, 9)),
      ['pr list -', 'pr create', 'pr list -'],
    );
    const [, title = ''] = /--title=(.*) --body-file=- --draft$/.exec(asked[1] ?? '') ?? [];
    assert.ok(title.startsWith('--fill') && title.length <= 72, asked[1]);
    assert.equal(await readFile(`${log}.body`, 'utf8'), 'It was broken.');
  });

  type Case = readonly [
    why: string,
    files: Readonly<Record<string, string>>,
    hasRemote: boolean,
    env: Readonly<Record<string, string>>,
    said: RegExp,
  ];
  const cases: readonly Case[] = [
    ['without a remote', { 'a.txt': 'A\n' }, false, {}, /has no remote/],
    ['without gh', { 'a.txt': 'A\n' }, true, { PATH: '/nowhere' }, /gh, .* is not on the PATH/],
    [
      'if gh fails',
      { 'a.txt': 'A\n' },
      true,
      { GH_FAILS: 'not logged in' },
      /exit 4: not logged in$/,
    ],
    [
      'for files that a server would run by itself',
      { '.github/workflows/ci.yml': 'on: push\n' },
      true,
      {},
      /nothing was pushed.* \.github\/workflows\/ci\.yml\.$/,
    ],
  ];
  for (const [why, files, hasRemote, env, said] of cases)
    test(`is refused ${why}, and the commit stays on its branch`, async () => {
      await using b = await workspaceHarness({ 'a.txt': 'a\n' });
      const { commit } = await workOf(b, files);
      if (hasRemote) await withRemote(b);
      const refused = await commit({ pullRequest: REQUEST }, env);
      assert.ok(refused.kind === 'refused');
      assert.match(refused.why, said);
      assert.equal(refused.ref, 'refs/heads/ai/7-fix');
      assert.match(await b.git('log', '-1', '--format=%s', 'ai/7-fix'), /^Fix it/);
    });

  test('is refused if the branch on the remote is not of this run, and nothing is pushed', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a\n' });
    const { commit, log } = await workOf(b);
    const remote = await withRemote(b);
    await b.git('push', '--quiet', 'origin', 'main:ai/7-fix');
    const main = (await b.git('rev-parse', 'main')).trim();
    const refused = await commit({ pullRequest: REQUEST });
    assert.ok(refused.kind === 'refused');
    assert.match(
      refused.why,
      /^The branch ai\/7-fix exists on origin, and its last commit [0-9a-f]{12} is not of this run\. Nothing was pushed\.$/,
    );
    assert.equal((await b.git('--git-dir', remote, 'rev-parse', 'ai/7-fix')).trim(), main);
    await assert.rejects(readFile(log, 'utf8'), { code: 'ENOENT' });
  });

  test('is refused if another one from a branch of that name is open, and nothing is pushed', async () => {
    await using b = await workspaceHarness({ 'a.txt': 'a\n' });
    const { commit, log } = await workOf(b);
    const remote = await withRemote(b);
    const head = (await b.git('rev-parse', 'main')).trim();
    const other = [{ url: 'https://example.test/pull/3', headRefOid: head }];
    await writeFile(`${log}.list`, JSON.stringify(other));
    const refused = await commit({ pullRequest: REQUEST });
    assert.ok(refused.kind === 'refused');
    assert.equal(
      refused.why,
      'A pull request from a branch called ai/7-fix is open already: https://example.test/pull/3 Nothing was pushed.',
    );
    assert.equal(await b.git('--git-dir', remote, 'branch', '--list', 'ai/*'), '');
  });
});
