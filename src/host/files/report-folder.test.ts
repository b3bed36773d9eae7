import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { ReportFolder } from './report-folder.ts';

describe('a folder of reports', () => {
  test('has the latest report of each role, and an archive', async () => {
    await using dir = await tempDir();
    const folder = new ReportFolder(dir.path);
    await folder.write('coder', 'latest', { nth: 1 }, Date.UTC(2026, 0, 2, 3, 4, 5, 6));
    await folder.write('coder', 'latest', { nth: 2 }, Date.UTC(2026, 0, 2, 3, 4, 5, 7));
    await folder.write('coder', 'assessment', { nth: 3 }, Date.UTC(2026, 0, 2, 3, 4, 5, 8));
    const reports = join(dir.path, 'reports');
    assert.deepEqual((await readdir(reports)).toSorted(), [
      '.gitignore',
      'archive',
      'coder_assessment.json',
      'coder_latest.json',
    ]);
    assert.deepEqual((await readdir(join(reports, 'archive'))).toSorted(), [
      'coder_20260102T030405006Z.json',
      'coder_20260102T030405007Z.json',
      'coder_assessment_20260102T030405008Z.json',
    ]);
    assert.deepEqual(JSON.parse(await readFile(join(reports, 'coder_latest.json'), 'utf8')), {
      nth: 2,
    });
  });

  test('keeps a hundred archived reports of a role, and those of other roles', async () => {
    await using dir = await tempDir();
    const folder = new ReportFolder(dir.path);
    await folder.write('a_b', 'latest', {}, 0);
    for (let nth = 0; nth < 103; nth += 1) await folder.write('a', 'latest', { nth }, nth);
    const kept = (await readdir(join(dir.path, 'reports', 'archive'))).toSorted();
    assert.deepEqual(
      [kept.length, kept.at(0), kept.at(-1)],
      [101, 'a_19700101T000000003Z.json', 'a_b_19700101T000000000Z.json'],
    );
  });

  const bad = ['../x', 'a/b', '', '.', 'A', `a${'b'.repeat(64)}`];
  for (const role of bad)
    test(`never has a report of ${JSON.stringify(role).slice(0, 20)}`, async () => {
      await using dir = await tempDir();
      await assert.rejects(
        new ReportFolder(dir.path).write(role, 'latest', {}, 0),
        /name of a report/,
      );
      assert.deepEqual(await readdir(dir.path), []);
    });

  for (const link of ['reports', 'organization'])
    test(`is not written if ${link} is a link`, async () => {
      await using dir = await tempDir();
      await using outside = await tempDir();
      const organization = join(dir.path, 'organization');
      if (link === 'reports') await mkdir(organization);
      await symlink(
        outside.path,
        link === 'reports' ? join(organization, 'reports') : organization,
      );
      await assert.rejects(
        new ReportFolder(organization).write('a', 'latest', {}, 0),
        /not a folder/,
      );
      assert.deepEqual(await readdir(outside.path), []);
    });
});
