import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { systemClock } from '../../host/machine/system-clock.ts';
import { OwnerDocument } from '../../public-json/machine-documents.ts';
import { StatusDocument } from '../../public-json/status-document.ts';
import { inProcessCli } from '../../../test/support/cli-harness.ts';
import type { InProcessCli } from '../../../test/support/cli-harness.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';

function openCli(): Promise<InProcessCli> {
  return inProcessCli('capacity: { runs_max: 1 }\n');
}

async function submitDetached({ say }: InProcessCli, agent = 'scripted'): Promise<string> {
  return (await say(['run', 'do it', '--agent', agent, '--detach'])).out.trim();
}

describe('the commands', { timeout: 300_000 }, () => {
  test('show the events of a run and the output of its agent', async () => {
    await using cli = await openCli();
    const { code, out, err } = await cli.say(['run', '-', '--agent', 'scripted:crashes']);
    assert.deepEqual([code, err.startsWith('Note: no gate'), err.split('\n').length], [1, true, 2]);
    const lines = out.replaceAll(/\d+(?:\.\d)?s\b|pid \d+/g, (word) =>
      word.startsWith('pid') ? 'PID' : 'T',
    );
    const [id = ''] = /[0-9a-f]{10}/.exec(out) ?? [];
    const [first = '', ...rest] = lines
      .trimEnd()
      .split('\n')
      .map((line) => line.trim());
    assert.match(first, /^Run [0-9a-f]{10} {2}from stdin$/);
    const end = [
      'T  failed: scripted:crashes: exited with code 3',
      'attempts  1 (scripted:crashes)',
      'gates     none has checked the work',
      'changes   not counted: the agent worked directly in the project',
      'time      T',
      `Read its output with: supervisor logs ${id}`,
      `Continue with: supervisor resume ${id}`,
    ];
    assert.deepEqual(
      new Set(rest),
      new Set([
        `T  submitted for ${cli.project}`,
        'T  attempt-1 begins with scripted:crashes',
        'T  attempt-1 runs as PID, not contained',
        'Let me look at the tests.',
        'TypeError: cannot read properties of undefined',
        'T  attempt-1 failed: exited with code 3',
        ...end,
      ]),
    );
    assert.deepEqual(rest.slice(-end.length), end);
  });

  test('list active runs, and with --all ended runs', async () => {
    await using cli = await openCli();
    const { say } = cli;
    assert.equal(
      (await say(['status'])).out,
      'No active runs. Start one with: supervisor run "…"\n',
    );
    const id = await submitDetached(cli, 'scripted:never-speaks');
    const clock = new ManualClock(systemClock.now() + 3_700_000);
    assert.deepEqual(await say(['status'], { clock }), {
      code: 0,
      err: '',
      out: `${id}  running  scripted:never-speaks  ${basename(cli.project).slice(0, 22)}  1h01m  do it\n`,
    });
    assert.equal((await say(['kill', id])).out, `${id}  killed\n`);
    assert.equal(
      (await say(['status'])).out,
      'No active runs. Start one with: supervisor run "…"\n',
    );
    const terminal = { isTty: true, width: 80, colour: true };
    const all = await say(['status', '--all'], { terminal });
    const plain = all.out.replaceAll('\u001B', '').split('\n');
    assert.match(plain[0] ?? '', /^\[2mRUN +STATE +AGENT +PROJECT +AGE +TASK\[0m$/);
    assert.match(
      plain[1] ?? '',
      new RegExp(`^\\[36m${id}\\[0m  \\[31mkilled\\[0m  scripted:never-speaks .*  do it$`),
    );
    assert.match(
      plain[2] ?? '',
      /^ {12}\[2m\d\d:\d\d–\d\d:\d\d \(\d+s\) {2}stopped by the user during attempt 1\[0m$/,
    );
    const one = await say(['status', id]);
    assert.match(one.out, new RegExp(`^run        ${id}\nstatus     killed\ntask       do it\n`));
    assert.match(
      one.out,
      /\ncommands {3}3 started, 0 interrupted, 0 in progress\noutcome {4}stopped by the user/,
    );
  });

  test('print valid JSON', async () => {
    await using cli = await openCli();
    const { say } = cli;
    const id = await submitDetached(cli);
    await say(['resume', id]);
    const parsed = async (...argv: string[]): Promise<unknown> =>
      JSON.parse((await say([...argv, '--json'])).out);
    const runs = async (...argv: string[]) => StatusDocument.parse(await parsed(...argv)).runs;
    const [run, ...others] = await runs('status', id);
    assert.deepEqual([run?.run_id, run?.state, run?.artifacts], [id, 'unverified', []]);
    assert.deepEqual(
      [others, await runs('status', '--all')],
      [[], [{ ...run, artifacts: null, limits: null }]],
    );
    assert.deepEqual(await runs('status'), []);
    const { owner } = OwnerDocument.parse(await parsed('owner', 'status'));
    assert.equal(owner?.version, '1.2.3');
    for (const argv of [
      ['events', '--run', id],
      ['events'],
      ['logs', id],
      ['run', 'x', '-a', 'scripted', '--quiet'],
    ]) {
      const { out, err } = await say([...argv, '--json']);
      const lines = out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object);
      assert.deepEqual([lines.length > 0, err], [true, ''], argv.join(' '));
    }
  });

  test('stop a run that waits for its turn, and return', async () => {
    await using cli = await openCli();
    const [first, second] = [
      await submitDetached(cli, 'scripted:never-speaks'),
      await submitDetached(cli, 'scripted:never-speaks'),
    ];
    for (const id of [second, first])
      assert.deepEqual(await cli.say(['stop', id]), {
        code: 0,
        err: '',
        out: `${id}  cancelled\n`,
      });
  });

  test('show what an agent said and did as text, and with --raw as the agent wrote it', async () => {
    await using cli = await openCli();
    const id = await submitDetached(cli, 'scripted:uses-tools');
    assert.match((await cli.say(['logs', id, '--follow'])).out, /^done: \d+ times \d+ calls$/m);
    assert.match((await cli.say(['logs', id, '--raw'])).out, /^\{"type":"result",/m);
    const all = (await cli.say(['logs', id])).out.trimEnd().split('\n');
    for (const flag of ['-n', '--limit', '--tail']) {
      const { out } = await cli.say(['logs', id, flag, '2']);
      assert.deepEqual(out.trimEnd().split('\n'), all.slice(-2), flag);
    }
    const both = await cli.say(['logs', id, '--follow', '-n', '2']);
    assert.deepEqual([both.code, both.out], [2, '']);
  });

  test('logs show each stream of each agent and gate on standard output, in sections', async () => {
    await using cli = await openCli();
    await cli.say(['run', 'a', '--agent', 'scripted:crashes', '--once']);
    const shown = await cli.say(['logs', 'last']);
    assert.equal(shown.err, '');
    assert.match(shown.out, /^── attempt-1: scripted:crashes ──\n[^]*Let me look[^]*TypeError: /);
    const last = await cli.say(['logs', 'last', '-n', '1']);
    assert.match(last.out, /^── attempt-1: scripted:crashes ──\n.*\n$/);
  });

  test('logs say that a run has printed nothing', async () => {
    await using cli = await openCli();
    const id = await submitDetached(cli, 'scripted:never-speaks');
    assert.deepEqual(await cli.say(['logs', id]), {
      code: 0,
      out: '',
      err: `Run ${id} has printed nothing yet. To see what it does: supervisor status ${id}\n`,
    });
    await cli.say(['kill', id]);
  });

  test('case 41: escape control characters in the output of an agent, unless --raw is cli', async () => {
    await using cli = await openCli();
    const id = await submitDetached(cli, 'scripted:writes-nul-bytes');
    const shown = await cli.say(['logs', id, '--follow']);
    assert.match(shown.out, /^── attempt-1: .* ──\na\\x00b\uFFFD\uFFFD\\x1b\[2J\n/);
    // oxlint-disable-next-line no-control-regex -- this is about control characters
    assert.match((await cli.say(['logs', id, '--raw'])).out, /^a\u0000b\uFFFD\uFFFD\u001B\[2J\n/);
  });
});

test('a home behind a symbolic link is the same home', { timeout: 300_000 }, async () => {
  await using cli = await openCli();
  await using elsewhere = await tempDir();
  const link = join(elsewhere.path, 'link');
  await symlink(cli.dir, link);
  const env = { SUPERVISOR_HOME: link };
  assert.equal((await cli.say(['status'], { env })).code, 0);
  const { err } = await cli.say(['run', 'x', '--foreground'], { env });
  assert.match(err, new RegExp(`^error: Another process owns ${cli.dir} `));
});

describe(
  'a refusal prints one sentence and a hint, and has an exit code',
  { timeout: 300_000 },
  () => {
    const cases: [argv: string[], code: number, err: string][] = [
      [
        ['run', ' '],
        2,
        'error: The task is empty.\nDescribe the work: supervisor run "fix the failing test"\n',
      ],
      [
        ['run', 'x', '-a', 'unknown'],
        2,
        'error: There is no agent "unknown" here.\nUse one of: scripted, claude, codex, gemini, copilot, opencode\n',
      ],
      [
        ['run', 'x', '-d', '--foreground'],
        2,
        'error: --detach and --foreground cannot be used together: the owner would end with this command.\n',
      ],
      [
        ['status', 'xyz'],
        2,
        'error: "xyz" is not a run: there is no agent of that name, and a run id has ten hex digits.\nList the runs with: supervisor status --all\n',
      ],
      [
        ['logs', '0000000000'],
        2,
        'error: There is no run 0000000000.\nList the runs with: supervisor status --all\n',
      ],
      [
        ['stop', '0000000000'],
        2,
        'error: There is no run 0000000000.\nList the runs with: supervisor status --all\n',
      ],
      [
        ['resume', '0000000000'],
        2,
        'error: There is no run 0000000000.\nList the runs with: supervisor status --all\n',
      ],
      [
        ['events', '--run', '0000000000'],
        2,
        'error: There is no run 0000000000.\nList the runs with: supervisor status --all\n',
      ],
    ];
    for (const [argv, code, err] of cases) {
      test(argv.join(' '), async () => {
        await using cli = await openCli();
        assert.deepEqual(await cli.say(argv), { code, err, out: '' });
      });
    }

    test('a second owner in the foreground', async () => {
      await using cli = await openCli();
      const { code, err, out } = await cli.say(['run', 'x', '-a', 'scripted', '--foreground']);
      assert.deepEqual([code, out], [1, '']);
      assert.match(
        err,
        new RegExp(`^error: Another process owns ${cli.dir} \\(pid ${process.pid}, since 20`),
      );
    });

    test('a home that cannot be created', async () => {
      await using cli = await openCli();
      const { code, err } = await cli.say(['status'], {
        env: { SUPERVISOR_HOME: '/dev/null/x' },
      });
      assert.equal(code, 2);
      assert.match(err, /^error: The home \/dev\/null\/x can't be used: .*ENOTDIR/);
    });
  },
);
