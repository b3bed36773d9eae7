import assert from 'node:assert/strict';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../test/support/temp-dir.ts';
import {
  artifactFile,
  artifactPaths,
  collectArtifacts,
  makeStaging,
  readArtifacts,
} from './collect-artifacts.ts';

const RUN = 'a000000000';
const { signal } = new AbortController();

test('the artifacts of each attempt are collected, in the order of the attempts', async () => {
  await using dir = await tempDir();
  for (const key of ['attempt-10', 'attempt-2', 'attempt-3']) {
    const folder = await makeStaging(dir.path, RUN, key);
    if (key !== 'attempt-3') await writeFile(join(folder, 'report'), key);
  }
  await symlink('/etc/passwd', join(artifactPaths(dir.path, RUN).staging, 'attempt-2', 'link'));
  assert.deepEqual(await collectArtifacts(dir.path, RUN, signal), [
    {
      key: 'attempt-2',
      files: [{ path: 'report', bytes: 9 }],
      refused: [{ path: 'link', why: 'it is a link' }],
    },
    { key: 'attempt-10', files: [{ path: 'report', bytes: 10 }], refused: [] },
  ]);
  const file = artifactFile(dir.path, RUN, 'attempt-2', 'report');
  assert.equal(await readFile(file, 'utf8'), 'attempt-2');
});

test('a second collection changes nothing, and an interrupted one is repeated', async () => {
  await using dir = await tempDir();
  const { collected } = artifactPaths(dir.path, RUN);
  await writeFile(join(await makeStaging(dir.path, RUN, 'attempt-1'), 'a'), 'whole');
  await mkdir(join(collected, 'attempt-1', 'files'), { recursive: true });
  await writeFile(join(collected, 'attempt-1', 'files', 'a'), 'wh'); // an owner died here
  const artifacts = await collectArtifacts(dir.path, RUN, signal);
  assert.deepEqual(artifacts, [
    { key: 'attempt-1', files: [{ path: 'a', bytes: 5 }], refused: [] },
  ]);
  const file = artifactFile(dir.path, RUN, 'attempt-1', 'a');
  assert.equal(await readFile(file, 'utf8'), 'whole');
  assert.deepEqual(await collectArtifacts(dir.path, RUN, signal), artifacts);
  assert.deepEqual(await readArtifacts(dir.path, RUN), artifacts);
});

test('a run that made none has none', async () => {
  await using dir = await tempDir();
  assert.deepEqual(await collectArtifacts(dir.path, RUN, signal), []);
});
