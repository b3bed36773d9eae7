import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import type { InProcessCli } from '../../../../test/support/cli-harness.ts';

const UNIT = '.config/systemd/user/agent-supervisor.service';
const skip = process.platform === 'linux' ? false : 'the file of this machine is another one';

/** A machine whose service manager only writes down what it is asked. */
async function machine(
  cli: InProcessCli,
  systemctl = 'exit 0',
): Promise<{ env: Record<string, string>; asked: () => Promise<string>; unit: string }> {
  const bin = join(cli.dir, 'bin');
  await mkdir(bin);
  for (const [name, end] of [
    ['systemctl', systemctl],
    ['loginctl', 'exit 0'],
  ] as const) {
    await writeFile(
      join(bin, name),
      `#!/bin/sh\necho "${name} $*" >> "${cli.dir}/asked"\n${end}\n`,
    );
    await chmod(join(bin, name), 0o755);
  }
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: cli.dir,
    SUPERVISOR_HOME: cli.dir,
  };
  const asked = (): Promise<string> => readFile(join(cli.dir, 'asked'), 'utf8').catch(() => '');
  return { env, asked, unit: join(cli.dir, UNIT) };
}

describe('up --install', { skip, timeout: 120_000 }, () => {
  test('shows the file and the commands, then writes and starts, and --uninstall ends it', async () => {
    await using cli = await inProcessCli();
    const { env, asked, unit } = await machine(cli);
    const { code, out, err } = await cli.say(['up', '--install', '--yes'], { env });
    assert.equal(code, 0, err);
    const written = await readFile(unit, 'utf8');
    assert.ok(out.startsWith(written));
    assert.match(written, /ExecStart=.*--stay/);
    assert.match(
      err,
      /This goes to:.*agent-supervisor\.service\nThen these commands run:\n {2}systemctl --user daemon-reload/,
    );
    assert.equal(
      await asked(),
      'systemctl --user daemon-reload\nsystemctl --user enable --now agent-supervisor\nloginctl enable-linger\n',
    );
    const ended = await cli.say(['up', '--uninstall', '--yes'], { env });
    assert.equal(ended.code, 0, ended.err);
    await assert.rejects(readFile(unit), { code: 'ENOENT' });
    assert.match(await asked(), /systemctl --user disable --now agent-supervisor\n$/);
    assert.match(
      (await cli.say(['up', '--uninstall', '--yes'], { env })).out,
      /nothing keeps the owner running/,
    );
  });

  test('changes nothing after a no, and without a terminal to ask at', async () => {
    await using cli = await inProcessCli();
    const { env, asked, unit } = await machine(cli);
    assert.notEqual(
      (await cli.say(['up', '--install'], { env, confirm: async () => false })).code,
      0,
    );
    const { code, err } = await cli.say(['up', '--install'], { env });
    assert.deepEqual([code, /Add --yes/.test(err)], [2, true]);
    assert.equal(await asked(), '');
    await assert.rejects(readFile(unit), { code: 'ENOENT' });
  });

  test('says which command failed and what to type', async () => {
    await using cli = await inProcessCli();
    const { env } = await machine(cli, 'echo "no bus" >&2; exit 1');
    const { code, err } = await cli.say(['up', '--install', '--yes'], { env });
    assert.equal(code, 1);
    assert.match(
      err,
      /failed: no bus\nType it yourself when that is solved:\n {2}systemctl --user daemon-reload/,
    );
  });

  test('refuses both directions at once', async () => {
    await using cli = await inProcessCli();
    assert.equal((await cli.say(['up', '--install', '--uninstall'])).code, 2);
  });
});
