import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OutputChunk } from '../../../protocol/api.ts';
import { PreflightDocument } from '../../../public-json/machine-documents.ts';
import type { AttemptsSubmission, Submission } from '../../../protocol/run-submission.ts';
import { RunResult } from '../../../public-json/run-result.ts';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import { wholeLines } from '../../watch/show-output.ts';

const NO_RUNS = '{"schema":"supervisor.status/1","runs":[],"errors":[],"error":null}\n';

describe('run --preflight-only', { timeout: 300_000 }, () => {
  test('prints each check with its remedy, and starts no run', async () => {
    await using cli = await inProcessCli();
    const good = await cli.say(['run', 'do it', '--agent', 'scripted', '--preflight-only']);
    assert.deepEqual([good.code, good.err], [0, '']);
    assert.match(good.out, /^✓ task +5 characters\n✓ settings +read\n✓ agents +scripted\n/);
    assert.match(good.out, /\nA run could begin\. None was made\.\n$/);

    const asked = ['run', 'do it', '--agent', 'nobody', '--unsafe-no-sandbox', '--preflight-only'];
    const bad = await cli.say(asked);
    assert.equal(bad.code, 2);
    assert.match(
      bad.out,
      /\n✗ agents +There is no agent "nobody" here\.\n +Use one of: scripted, /,
    );
    assert.match(bad.out, /\nA run could not begin\. None was made\.\n$/);

    const { code, out } = await cli.say([...asked, '--json']);
    assert.equal(code, 2);
    assert.deepEqual(
      PreflightDocument.parse(JSON.parse(out)).checks.flatMap(({ id, state, code: why }) =>
        state === 'failed' ? [[id, why]] : [],
      ),
      [['agents', 'agent.unknown']],
    );
    assert.equal((await cli.say(['status', '--all', '--json'])).out, NO_RUNS);
  });

  test('lists the steps of a workflow, and what it lacks', async () => {
    await using cli = await inProcessCli();
    const words = ['Add a sum.', '--agent', 'scripted:plays-every-role'];
    const run = await cli.say(['run', ...words, '--workflow', 'mvp', '--preflight-only']);
    assert.match(run.out, /✓ step plan +role planner by scripted:plays-every-role\n/);
    assert.match(run.out, /✓ step commit +commits on the new branch ai\/[0-9a-f]{6}-add-a-sum/);
    // The folder of this test is no repository.
    assert.match(run.out, /✗ needs +The step commit of the workflow mvp makes a commit, and /);
    assert.equal(run.code, 2);
    assert.equal((await cli.say(['status', '--all', '--json'])).out, NO_RUNS);
  });

  test('exits with 1 if the machine lacks something', async () => {
    await using cli = await inProcessCli(
      'agents: [{ id: mine, cli: custom, command: [no-such-cli] }]\n',
    );
    const asked = ['run', 'do it', '--unsafe-no-sandbox', '--preflight-only', '--json'];
    const { code, out } = await cli.say(asked);
    const { error, exit_code: exitCode } = PreflightDocument.parse(JSON.parse(out));
    assert.deepEqual([code, exitCode, error?.code], [1, 1, 'agent.unavailable'], out);
  });
});

describe('run --no-ask', { timeout: 300_000 }, () => {
  test('is a setting of the run', async () => {
    await using cli = await inProcessCli();
    for (const [words, expected] of [
      [[], true],
      [['--no-ask'], false],
    ] as const) {
      const { out } = await cli.say(['run', 'x', '--agent', 'scripted', '--json', ...words]);
      const { run_id: run } = RunResult.parse(JSON.parse(out));
      const facts = await cli.say([
        'events',
        '--run',
        run,
        '--raw',
        '--after',
        '0',
        '--limit',
        '1',
      ]);
      const { payload } = JSON.parse(facts.out) as { payload: Submission };
      assert.equal((payload as AttemptsSubmission).settings.recovery.ask, expected);
    }
  });
});

describe('run --notify', { timeout: 300_000 }, () => {
  test('refuses a URL if the shell has a secret for signatures and the owner has not', async () => {
    await using cli = await inProcessCli();
    const env = { SUPERVISOR_HOME: cli.dir, SUPERVISOR_NOTIFY_SECRET: 'shared' };
    const asked = ['run', 'x', '--agent', 'scripted', '--notify'];
    const { code, err } = await cli.say([...asked, 'http://127.0.0.1:9/'], { env });
    assert.equal(code, 2);
    assert.match(err, /^error: The owner was started without SUPERVISOR_NOTIFY_SECRET, .*\n.*down/);
    assert.equal((await cli.say([...asked, 'true'], { env })).code, 0, 'a command needs none');
  });
});

describe('run --follow', { timeout: 300_000 }, () => {
  test('shows everything that the agent prints, beside the events of the run', async () => {
    await using cli = await inProcessCli();
    const asked = ['run', 'do it', '--agent', 'scripted'];
    const messages = await cli.say(asked);
    const all = await cli.say([...asked, '--follow']);
    assert.deepEqual([messages.code, all.code, all.err], [0, 0, messages.err]);
    assert.doesNotMatch(messages.out, /"type"/);
    assert.match(all.out, /\n {10}\{"type":/);
    assert.match(all.out, /attempt-1 completed/);
  });

  test('prints the output of the agent to stderr with --json', async () => {
    await using cli = await inProcessCli();
    const asked = ['run', 'do it', '--agent', 'scripted', '--follow', '--quiet', '--json'];
    const { code, out, err } = await cli.say(asked);
    assert.deepEqual([code, JSON.parse(out).state], [0, 'unverified']);
    assert.match(err, /^\{"type":/);
  });

  test('cannot be used with --detach', async () => {
    await using cli = await inProcessCli();
    const { code, err } = await cli.say(['run', 'do it', '--detach', '--follow']);
    assert.equal(code, 2);
    assert.match(err, /--detach and --follow cannot be used together/);
    assert.equal((await cli.say(['status', '--all', '--json'])).out, NO_RUNS);
  });
});

test('stdout and stderr are never mixed within a line, and lines of Supervisor itself are skipped', async () => {
  async function* pieces(): AsyncGenerator<OutputChunk, void> {
    const piece = (key: string, stream: OutputChunk['stream'], text: string): OutputChunk => ({
      key,
      stream,
      text,
    });
    yield piece('attempt-1', 'stdout', 'one\ntw');
    yield piece('supervisor', 'stderr', '[supervisor] retry 1/2\n');
    yield piece('attempt-1', 'stderr', 'oh');
    yield piece('attempt-1', 'stdout', 'o\nthree');
    yield piece('attempt-2', 'stdout', 'four\n');
    yield piece('attempt-2', 'stdout', 'x'.repeat(70_000));
  }
  const lines: string[] = [];
  for await (const { stream, text } of wholeLines(pieces()))
    lines.push(`${stream} ${text.length > 1000 ? text.length : text}`);
  assert.deepEqual(lines, [
    'stdout one\n',
    'stdout two\n',
    'stdout three\n',
    'stderr oh\n',
    'stdout four\n',
    'stdout 70000',
  ]);
});
