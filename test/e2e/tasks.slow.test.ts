/** A task from its start to its commit, its merge and back, with scripted agents and real git. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import type { TaskRepository } from '../support/task-repository.ts';
import { taskRepository } from '../support/task-repository.ts';
import { tempDir } from '../support/temp-dir.ts';
import { RollbackDocument, TaskCompletionDocument } from '../../src/public-json/task-documents.ts';

const AGENT = ['--agent', 'scripted:plays-every-role'];
const BRANCH = 'ai/7-add-a-sum';
const ENV = { PATH: process.env['PATH'] ?? '' };

/** A workflow that waits for its commit. Resolves with its run. */
async function waitingTask({ say }: TaskRepository): Promise<string> {
  const words = ['start-task', 'Add a sum.', ...AGENT, '--template', 'small', '--task-id', '7'];
  const { out, err } = await say([...words, '--yes', '--detach']);
  const id = out.trim();
  assert.match(id, /^[0-9a-f]{10}$/, out + err);
  const asks = async () => /commit#1: question/.test((await say(['events', '--run', id])).out);
  await eventually('the workflow asks before its commit', asks);
  return id;
}

/** Answers the questions in this order, and remembers them. */
function answering(...answers: readonly boolean[]): {
  readonly asked: string[];
  readonly confirm: (question: string) => Promise<boolean>;
} {
  const asked: string[] = [];
  return {
    asked,
    confirm: (question) => Promise.resolve(answers[asked.push(question) - 1] ?? false),
  };
}

describe('complete-task', { timeout: 600_000 }, () => {
  test('approves a commit of high risk as the approver that --as names, and shows no preview if you want none', async () => {
    const config =
      'approvals: {high_paths: [sum.mjs], high_approvers: [ada]}\ngit: {dry_run_preview: false}\n';
    await using cli = await taskRepository(config, ENV);
    const secret = 'the secret of ada';
    const stdin = (): Promise<string> => Promise.resolve(secret);
    const added = await cli.say(['approver', 'add', 'ada', '--secret-stdin'], { stdin });
    assert.equal(added.code, 0, added.err);
    const id = await waitingTask(cli);
    const words = ['complete-task', id, '--yes'];
    const nameless = await cli.say(words, { env: cliEnv(cli) });
    assert.notEqual(nameless.code, 0);
    const done = await cli.say([...words, '--as', 'ada', '--secret-stdin'], {
      ...{ env: cliEnv(cli), stdin },
    });
    assert.equal(done.code, 0, done.out + done.err);
    assert.match(done.out, /^committed [0-9a-f]{12} on ai\/7-add-a-sum\n$/);
    const events = await cli.say(['events', '--run', id, '--json']);
    assert.match(events.out, /"approver":"ada"/);
    const again = await cli.say([...words, '--as', 'ada', '--secret-stdin'], { stdin });
    assert.match(again.err, /--as cannot be used here/);
  });

  test('shows the commit, makes it after a yes, and merges only after another one', async () => {
    await using cli = await taskRepository('', ENV);
    const id = await waitingTask(cli);
    const base = cli.git('rev-parse', 'main');
    const preview = await cli.say(['complete-task', '--dry-run']);
    assert.match(preview.out, /^branch {2}ai\/7-add-a-sum \(new\)\ncommit {2}Add a sum\.\n/m);
    assert.match(preview.out, /^files {3}\+1 -0 {6}sum\.mjs\n$/m);
    const no = await cli.say(['complete-task', id], answering(false));
    assert.deepEqual([no.code, cli.git('branch', '--list', 'ai/*')], [130, '']);
    const first = answering(true, false);
    const committed = await cli.say(['complete-task', id], { env: cliEnv(cli), ...first });
    assert.equal(committed.code, 0, committed.out + committed.err);
    assert.deepEqual(first.asked, [`Commit 1 file on ${BRANCH}?`, `Merge ${BRANCH} into main?`]);
    assert.match(committed.out, /^committed [0-9a-f]{12} on ai\/7-add-a-sum$/m);
    assert.equal(cli.git('rev-parse', 'main'), base);
    assert.match(
      cli.git('log', '-1', '--format=%B', BRANCH),
      new RegExp(`^Supervisor-Run: ${id}$`, 'm'),
    );
    const merged = await cli.say(['complete-task', id, '--merge', '--yes', '--json'], {
      env: cliEnv(cli),
    });
    const document = TaskCompletionDocument.parse(JSON.parse(merged.out));
    assert.deepEqual([document.state, document.merged_into], ['done', 'main']);
    assert.equal(cli.git('rev-parse', 'main'), cli.git('rev-parse', BRANCH));
    const again = await cli.say(['complete-task', id, '--merge', '--yes'], { env: cliEnv(cli) });
    assert.match(again.out, /\nNothing to do: main has the work of ai\/7-add-a-sum\.\n$/);
  });

  test('takes a merge that fails back, and the work stays on its branch', async () => {
    await using cli = await taskRepository('', ENV);
    const id = await waitingTask(cli);
    await writeFile(join(cli.project, 'sum.mjs'), 'mine\n');
    cli.git('add', '--all');
    cli.git('commit', '--quiet', '-m', 'mine');
    const { code, err } = await cli.say(['complete-task', id, '--merge', '--yes'], {
      env: cliEnv(cli),
    });
    assert.equal(code, 1);
    assert.match(
      err,
      /could not be merged into main: CONFLICT .*The work stays on ai\/7-add-a-sum\.\n/,
    );
    assert.equal(cli.git('status', '--porcelain'), '');
    assert.equal(await readFile(join(cli.project, 'sum.mjs'), 'utf8'), 'mine\n');
    assert.match(cli.git('show', `${BRANCH}:sum.mjs`), /export const add/);
  });

  test('commits a run with one role on a branch by its id, and opens a pull request', async () => {
    await using bin = await tempDir();
    const gh = `#!/bin/sh\n[ "$2" = list ] && echo '[]' || { cat > "$0.body"; echo https://example.test/pull/7; }\n`;
    await writeFile(join(bin.path, 'gh'), gh, { mode: 0o755 });
    await using cli = await taskRepository('', ENV);
    cli.git('init', '--quiet', '--bare', join(bin.path, 'remote.git'));
    cli.git('remote', 'add', 'origin', join(bin.path, 'remote.git'));
    const words = ['start-task', 'Add a sum.', ...AGENT, '--role', 'implementer_fast'];
    const started = await cli.say([...words, '--target', 'read.me', '--yes', '--json', '--quiet']);
    const { run_id: id } = JSON.parse(started.out) as { run_id: string };
    const env = { ...cliEnv(cli), PATH: [bin.path, ENV.PATH].join(delimiter) };
    const done = await cli.say(['complete-task', id, '--pull-request', '--yes', '--json'], { env });
    const branch = `ai/${id.slice(0, 6)}-add-a-sum`;
    const document = TaskCompletionDocument.parse(JSON.parse(done.out));
    assert.deepEqual(
      [document.branch, document.pull_request],
      [branch, 'https://example.test/pull/7'],
    );
    const remote = cli.git('--git-dir', join(bin.path, 'remote.git'), 'rev-parse', branch);
    assert.equal(remote.trim(), document.commit);
    assert.doesNotMatch(await readFile(join(bin.path, 'gh.body'), 'utf8'), /Supervisor-Run/);
  });
});

describe('rollback', { timeout: 600_000 }, () => {
  test('reverts merged commits, then deletes the branch, then has nothing to do', async () => {
    await using cli = await taskRepository('', ENV);
    const id = await waitingTask(cli);
    await cli.say(['complete-task', id, '--merge', '--yes'], { env: cliEnv(cli) });
    assert.match(cli.git('ls-tree', '--name-only', 'main'), /sum\.mjs/);
    const no = answering(false);
    const kept = await cli.say(['rollback', id], { env: cliEnv(cli), ...no });
    assert.deepEqual([kept.code, no.asked], [130, ['Revert 1 commit on main?']]);
    const reverted = await cli.say(['rollback', id, '--yes', '--json'], { env: cliEnv(cli) });
    const first = RollbackDocument.parse(JSON.parse(reverted.out));
    assert.deepEqual([first.action, first.commits.length], ['revert-commits', 1]);
    assert.equal(first.reverted_by[0], cli.git('rev-parse', 'main').trim());
    assert.doesNotMatch(cli.git('ls-tree', '--name-only', 'main'), /sum\.mjs/);
    const deleted = await cli.say(['rollback', id, '--yes'], { env: cliEnv(cli) });
    assert.match(deleted.out, /^deleted the branch ai\/7-add-a-sum$/m);
    assert.equal(cli.git('branch', '--list', 'ai/*'), '');
    assert.match((await cli.say(['diff', id])).out, /\+export const add/, 'the work is kept');
    const nothing = await cli.say(['rollback', id, '--yes'], { env: cliEnv(cli) });
    assert.match(nothing.err, /has brought nothing into your branch or your files/);
  });

  test('leaves everything as it is if the user has changed the same lines since', async () => {
    await using cli = await taskRepository('', ENV);
    const id = await waitingTask(cli);
    await cli.say(['complete-task', id, '--merge', '--yes'], { env: cliEnv(cli) });
    await writeFile(join(cli.project, 'sum.mjs'), 'mine\n');
    const uncommitted = await cli.say(['rollback', id, '--yes'], { env: cliEnv(cli) });
    assert.match(
      uncommitted.err,
      /could not be reverted: .* Nothing was changed\.\nCommit or stash/,
    );
    assert.equal(await readFile(join(cli.project, 'sum.mjs'), 'utf8'), 'mine\n');
    cli.git('commit', '--quiet', '--all', '-m', 'mine');
    const { code, err } = await cli.say(['rollback', id, '--yes'], { env: cliEnv(cli) });
    assert.equal(code, 1);
    assert.match(err, /could not be reverted: CONFLICT/);
    assert.equal(cli.git('status', '--porcelain'), '');
    cli.git('checkout', '--quiet', BRANCH);
    cli.git('commit', '--quiet', '--allow-empty', '-m', 'my own');
    cli.git('checkout', '--quiet', '-B', 'main', 'main~2');
    const own = await cli.say(['rollback', id, '--yes'], { env: cliEnv(cli) });
    assert.match(own.err, /The last commit of the branch ai\/7-add-a-sum is not of task/);
  });

  test('restores files that were applied and not committed', async () => {
    await using cli = await taskRepository('', ENV);
    const id = await waitingTask(cli);
    await cli.say(['stop', id]);
    await cli.say(['wait', id]);
    await cli.say(['apply', id, '--even-if-failed'], { env: cliEnv(cli) });
    assert.match(cli.git('status', '--porcelain'), /sum\.mjs/);
    const { code, out } = await cli.say(['rollback', id, '--yes'], { env: cliEnv(cli) });
    assert.equal(code, 0);
    assert.match(out, /^restored 1 file$/m);
    assert.equal(cli.git('status', '--porcelain'), '');
  });
});

function cliEnv({ dir }: TaskRepository): Readonly<Record<string, string>> {
  return { SUPERVISOR_HOME: dir, HOME: dir, ...ENV };
}
