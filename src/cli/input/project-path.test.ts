import assert from 'node:assert/strict';
import { mkdir, realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { inProcessCli } from '../../../test/support/cli-harness.ts';

describe('a command in a subfolder', () => {
  it('uses the project of that folder, and says so in one line', async () => {
    await using cli = await inProcessCli();
    const project = await realpath(cli.project);
    await mkdir(join(project, '.git'));
    await mkdir(join(project, 'src/cart'), { recursive: true });
    const { out, err } = await cli.say(['stop', '--all'], { cwd: join(project, 'src/cart') });
    assert.deepEqual(
      [out, err],
      [
        '',
        `Project: ${project} (found from src/cart/)\nNo active runs in ${project}. For all projects, add --everywhere.\n`,
      ],
    );
  });

  it('finds it through a symbolic link', async () => {
    await using cli = await inProcessCli();
    const project = await realpath(cli.project);
    await mkdir(join(project, '.git'));
    await mkdir(join(project, 'src'));
    const link = join(await realpath(cli.dir), 'link');
    await symlink(join(project, 'src'), link);
    const { err } = await cli.say(['trust', '--json'], { cwd: link });
    assert.equal(err, `Project: ${project} (found from src/)\n`);
  });

  it('uses a folder that is named as it is', async () => {
    await using cli = await inProcessCli();
    const project = await realpath(cli.project);
    await mkdir(join(project, '.git'));
    await mkdir(join(project, 'src'));
    const { out, err } = await cli.say(['trust', 'src'], { cwd: project });
    assert.deepEqual(
      [out, err],
      [`${join(project, 'src')} has no .supervisor folder, so there is nothing to trust.\n`, ''],
    );
  });
});
