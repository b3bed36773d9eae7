import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import { WatchedDocument } from '../../../public-json/hook-documents.ts';

const REPORT = JSON.stringify({
  _schema: 'orgkernel:salute_report',
  status: { state: 'active' },
  unit: { role_id: 'coder', role_name: '', organization: 'team' },
  time: { timestamp: '2026-01-02T00:00:00Z', turns_elapsed: 30, turns_since_progress: 13 },
});

async function team(project: string): Promise<string> {
  const folder = join(project, 'team');
  for (const name of ['roles', 'reports']) await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, 'active.json'), '{"org_id": "team"}');
  await writeFile(join(folder, 'roles', 'coder.json'), '{"role_id": "coder"}');
  await writeFile(join(folder, 'reports', 'coder_latest.json'), REPORT);
  return folder;
}

describe('supervisor watch', () => {
  test('shows what it finds, and writes no message by default', async () => {
    await using cli = await inProcessCli();
    const folder = await team(cli.project);
    const { out, code } = await cli.say(['watch', 'team', '--once']);
    assert.deepEqual(
      [code, out],
      [
        0,
        'coder: active, primary plan, nominal\ncoder: stall (shadow): There was no progress for 13 turns.\n',
      ],
    );
    assert.equal((await readdir(folder)).includes('steering'), false);
  });

  test('writes messages in the mode steer, and prints documents', async () => {
    await using cli = await inProcessCli('steering: {held_out: 0}');
    const folder = await team(cli.project);
    await writeFile(join(folder, 'reports', 'x_latest.json'), '{}');
    const { out } = await cli.say(['watch', 'team', '--once', '--mode', 'steer', '--json']);
    const rows = out
      .trim()
      .split('\n')
      .map((line) => WatchedDocument.parse(JSON.parse(line)));
    assert.deepEqual(
      rows.map(({ kind, decision, message }) => [kind, decision, message]),
      [
        ['report', null, null],
        ['anomaly', 'sent', 1],
        ['refused', null, null],
      ],
    );
    assert.ok((await readdir(join(folder, 'steering', 'coder'))).includes('1.json'));
  });

  test('ends with Ctrl-C', async () => {
    await using cli = await inProcessCli();
    await team(cli.project);
    const { code } = await cli.say(['watch', 'team', '--every', '1h'], {
      onInterrupt: (listener) => {
        queueMicrotask(() => listener('SIGINT'));
        return () => {};
      },
    });
    assert.equal(code, 0);
  });

  const bad: [why: string, folder: string, expected: RegExp][] = [
    ['that does not exist', 'none', /has no organization/],
    ['without an organization', '.', /has no organization/],
    ['that is a file', 'file', /has no organization/],
  ];
  for (const [why, folder, expected] of bad)
    test(`refuses a folder ${why}, and names attach`, async () => {
      await using cli = await inProcessCli();
      await writeFile(join(cli.project, 'file'), '');
      const { code, err } = await cli.say(['watch', folder, '--once']);
      assert.equal(code, 2);
      assert.match(err, expected);
      assert.match(err, /supervisor attach/);
    });

  test('refuses an unknown mode', async () => {
    await using cli = await inProcessCli();
    assert.equal((await cli.say(['watch', '.', '--mode', 'loud'])).code, 2);
  });
});
