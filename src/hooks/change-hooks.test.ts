import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../test/support/temp-dir.ts';
import { isRefusal } from '../base/errors.ts';
import { performHookChange, planInstall, planRemove } from './change-hooks.ts';
import { readHookRecords, writeHookRecords } from './hook-records.ts';
import type { HookCli } from './hook-target.ts';
import { HOOK_CLIS, hookTarget } from './hook-target.ts';

class Places {
  readonly home: string;
  readonly user: string;

  constructor(path: string) {
    this.home = join(path, 'state');
    this.user = join(path, 'user');
  }

  target(cli: HookCli, command = 'supervisor hook take'): ReturnType<typeof hookTarget> {
    return hookTarget(cli, { kind: 'user', home: this.user, env: {} }, command);
  }

  async install(cli: HookCli, command = 'supervisor hook take'): Promise<boolean> {
    const target = this.target(cli, command);
    const plan = await planInstall(this.home, cli, target, { command, at: 0 });
    await performHookChange(this.home, cli, plan);
    return plan.before !== plan.after;
  }

  async remove(cli: HookCli): Promise<boolean> {
    const plan = await planRemove(this.home, cli, this.target(cli, ''));
    if (plan !== undefined) await performHookChange(this.home, cli, plan);
    return plan !== undefined;
  }
}

const SETTINGS = '{\n  // mine\n  "model": "x",\n}\n';

describe('a hook', () => {
  for (const cli of HOOK_CLIS) {
    test(`of ${cli} leaves no file and no folder when it is removed`, async () => {
      await using dir = await tempDir();
      const places = new Places(dir.path);
      await mkdir(places.user);
      assert.equal(await places.install(cli), true);
      assert.match(await readFile(places.target(cli).file, 'utf8'), /supervisor hook take/);
      assert.equal(await places.install(cli), false); // it is there already
      assert.equal(await places.remove(cli), true);
      assert.deepEqual(await readdir(places.user), []);
      assert.equal(await places.remove(cli), false);
      assert.deepEqual(await readHookRecords(places.home), []);
    });
  }

  for (const cli of ['claude', 'codex', 'gemini'] as const)
    test(`of ${cli} keeps every byte of the settings, their mode and a link to them`, async () => {
      await using dir = await tempDir();
      const places = new Places(dir.path);
      const { file } = places.target(cli);
      const real = join(dir.path, 'dotfiles.json');
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(real, SETTINGS);
      await chmod(real, 0o600);
      await symlink(real, file);
      await places.install(cli, 'one');
      await places.install(cli, 'two'); // replaced, and not added
      const text = await readFile(real, 'utf8');
      assert.deepEqual([text.includes('"one"'), text.includes('"two"')], [false, true]);
      await places.remove(cli);
      assert.equal(await readFile(real, 'utf8'), SETTINGS);
      assert.equal((await stat(real)).mode & 0o777, 0o600);
    });

  test('never is one at the end of a turn', () => {
    const texts = HOOK_CLIS.map((cli) => JSON.stringify(new Places('/x').target(cli)));
    assert.deepEqual(
      texts.filter((text) =>
        /"(?:Stop|SubagentStop|AfterAgent|agentStop)"|session\.idle/.test(text),
      ),
      [],
    );
  });

  test('does not change a file that is no JSON, or that others wrote', async () => {
    await using dir = await tempDir();
    const places = new Places(dir.path);
    for (const cli of ['claude', 'copilot'] as const) {
      const { file } = places.target(cli);
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, 'mine');
      await assert.rejects(places.install(cli), (error) => isRefusal(error));
      assert.equal(await readFile(file, 'utf8'), 'mine');
    }
    assert.deepEqual(await readHookRecords(places.home), []);
  });

  test('that a user took out is forgotten, and their file stays', async () => {
    await using dir = await tempDir();
    const places = new Places(dir.path);
    const { file } = places.target('claude');
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, SETTINGS);
    await places.install('claude');
    await writeFile(file, SETTINGS);
    assert.equal(await places.remove('claude'), true);
    assert.equal(await readFile(file, 'utf8'), SETTINGS);
  });

  test('whose installation or removal was interrupted between its two writes is repeated', async () => {
    await using dir = await tempDir();
    const places = new Places(dir.path);
    const { file } = places.target('claude');
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, SETTINGS);
    const command = 'supervisor hook take';
    const plan = await planInstall(places.home, 'claude', places.target('claude'), {
      command,
      at: 0,
    });
    await writeHookRecords(places.home, plan.record === null ? [] : [plan.record]); // and no more
    assert.equal(await places.install('claude'), true);
    const records = await readHookRecords(places.home);
    await places.remove('claude');
    await writeHookRecords(places.home, records); // the settings were restored, and no more
    assert.equal(await places.remove('claude'), true);
    assert.deepEqual(await readHookRecords(places.home), []);
    assert.equal(await readFile(file, 'utf8'), SETTINGS);
  });
});
