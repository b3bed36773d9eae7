import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, test } from 'node:test';
import type { InProcessCli } from '../../../../test/support/cli-harness.ts';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { systemClock } from '../../../host/machine/system-clock.ts';
import { ErrorDocument } from '../../../public-json/error-document.ts';
import { PreflightDocument } from '../../../public-json/machine-documents.ts';
import { StatusDocument } from '../../../public-json/status-document.ts';

const AGENT = ['--agent', 'scripted:plays-every-role'];
const TASK = ['start-task', 'Add a sum.', ...AGENT];

async function repository(config = '', env: NodeJS.ProcessEnv = {}): Promise<InProcessCli> {
  const cli = await inProcessCli(config, [], systemClock, { env });
  const git = (...args: readonly string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: cli.project,
    });
  git('init', '--quiet', '--initial-branch=main');
  await writeFile(join(cli.project, 'read.me'), 'text\n');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'first');
  return cli;
}

async function countRuns(cli: InProcessCli): Promise<number> {
  const { out } = await cli.say(['status', '--all', '--json']);
  return StatusDocument.parse(JSON.parse(out)).runs.length;
}

describe('start-task', { timeout: 300_000 }, () => {
  test('shows with --dry-run what it would start, and starts nothing', async () => {
    await using cli = await repository();
    const words = [...TASK, '--template', 'mvp', '--task-id', '7'];
    const { code, out, err } = await cli.say([...words, '--dry-run']);
    assert.equal(code, 0, out + err);
    assert.match(out, /✓ step plan +role planner by scripted:plays-every-role\n/);
    assert.match(out, /✓ step commit +commits on the new branch ai\/7-add-a-sum\n/);
    assert.match(out, /✓ base +main at [0-9a-f]{12}\n/);
    assert.match(out, /✓ budget +not counted: no model call passes the gateway\n/);
    assert.match(out, /\nThe task could begin\. Nothing was started\.\n$/);
    const json = await cli.say([...words, '--dry-run', '--json']);
    assert.ok(PreflightDocument.parse(JSON.parse(json.out)).ok);
    assert.equal(await countRuns(cli), 0);
  });

  test('names the steps whose agents are not installed, also with a setup', async () => {
    const config = 'default_agent: claude\nsetup: { command: ["true"], inputs: [read.me] }\n';
    await using cli = await repository(config, { PATH: '/nowhere' });
    const words = ['start-task', 'add a sum', '--template', 'mvp', '--dry-run'];
    const { code, out } = await cli.say(words);
    assert.notEqual(code, 0, out);
    const cannot = /✗ step implement +it cannot begin\. role \w+: codex is not installed/;
    assert.match(out, cannot);
    assert.match(
      out,
      /npm install --global @anthropic-ai\/claude-code@latest && claude auth login/,
    );
    assert.match(out, /✓ step approve +waits for your approval|✓ step commit +commits on/);
    assert.match(out, /✗ needs +The steps plan, implement/);
    assert.doesNotMatch(out, /every step can begin/);
  });

  test('starts nothing unless the person says yes', async () => {
    await using cli = await repository('workflow: { template: mvp }\n');
    const words = [...TASK, '--detach'];
    const questions: string[] = [];
    const answering = (answer: boolean) => (question: string) => {
      questions.push(question);
      return Promise.resolve(answer);
    };
    const no = await cli.say(words, { confirm: answering(false) });
    assert.deepEqual([no.code, await countRuns(cli)], [130, 0]);
    assert.match(no.out, /commits on the new branch /);
    assert.equal(no.err, 'Canceled. Nothing was started.\n');
    const yes = await cli.say(words, { confirm: answering(true) });
    assert.equal(yes.code, 0, yes.out + yes.err);
    assert.deepEqual(questions, ['Start this task?', 'Start this task?']);
    assert.equal(await countRuns(cli), 1);
    const id = yes.out.trim().split('\n').at(-1) ?? '';
    await cli.say(['kill', id]);
  });

  test('refuses what it cannot ask about, and says what to add', async () => {
    await using cli = await repository();
    const cases: readonly (readonly [why: string, argv: readonly string[], message: RegExp])[] = [
      ['no terminal', [...TASK, '--template', 'mvp'], /cannot ask here\.\nAdd --yes to do/],
      ['no workflow', [...TASK, '--yes'], /has no workflow of its own[\s\S]*--template mvp/],
      ['both', [...TASK, '--role', 'x', '--template', 'mvp', '--yes'], /cannot be used together/],
      ['a wrong id', [...TASK, '--task-id', '../x', '--yes'], /letters, digits, - and _, not/],
      ['no task', ['start-task', ' ', '--yes'], /The task is empty\.\n/],
    ];
    for (const [why, argv, message] of cases) {
      const { code, err } = await cli.say(argv);
      assert.equal(code, 2, why);
      assert.match(err, message, why);
    }
    assert.equal(await countRuns(cli), 0);
  });

  test('with --role is one run with that role', async () => {
    await using cli = await repository();
    const words = [...TASK, '--role', 'implementer', '--target', 'read.me'];
    const preview = await cli.say([...words, '--dry-run']);
    assert.match(preview.out, /✓ role +implementer/);
    const { code, out, err } = await cli.say([...words, '--yes', '--detach', '--json']);
    assert.equal(code, 0, out + err);
    assert.equal(StatusDocument.parse(JSON.parse(out)).runs[0]?.steps.length, 0);
  });

  test('notifies what --notify or SUPERVISOR_NOTIFY names', async () => {
    await using cli = await repository();
    const words = [...TASK, '--template', 'mvp', '--yes', '--detach', '--json'];
    const env = { SUPERVISOR_HOME: cli.dir, SUPERVISOR_NOTIFY: '"open' };
    for (const { code, out } of [
      await cli.say([...words, '--notify', '"open']),
      await cli.say(words, { env }),
    ]) {
      const { error } = ErrorDocument.parse(JSON.parse(out));
      assert.equal(code, 2);
      assert.match(error.message, /neither a command nor a URL/);
    }
    assert.equal(await countRuns(cli), 0);
  });

  test('says before it starts that a pull request would be impossible', async () => {
    await using bin = await tempDir();
    const gh = join(bin.path, 'gh');
    await writeFile(gh, '#!/bin/sh\n', { mode: 0o755 });
    const PATH = process.env['PATH'] ?? '';
    const words = [...TASK, '--template', 'open_source', '--dry-run'];
    const config = 'git: { pull_requests: true }\n';
    await using without = await repository(config, { PATH: '/nowhere' });
    assert.match(
      (await without.say(words)).out,
      /✗ needs +The step \w+ of the workflow open_source opens a pull request\. The program gh, /,
    );
    await using cli = await repository(config, { PATH: [bin.path, PATH].join(delimiter) });
    const bare = await cli.say(words);
    assert.equal(bare.code, 2, bare.out);
    assert.match(
      bare.out,
      /The repository has no remote to push to\. Add one with: git remote add/,
    );
    execFileSync('git', ['remote', 'add', 'origin', bin.path], { cwd: cli.project });
    const ready = await cli.say(words);
    assert.equal(ready.code, 0, ready.out);
  });
});
