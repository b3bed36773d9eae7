import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { homeAt } from '../host/home.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { enginesUsed, noteEngines } from './engines-used.ts';

test('an engine is remembered once a container may have been made in it', async () => {
  await using dir = await tempDir();
  const home = homeAt(dir.path, dir.path);
  assert.deepEqual(await enginesUsed(home), []);
  await noteEngines(home, { backend: 'auto', image: null, unsafe: false });
  await noteEngines(home, { backend: 'bubblewrap', image: 'an-image', unsafe: false });
  assert.deepEqual(await enginesUsed(home), []);
  await noteEngines(home, { backend: 'podman', image: 'an-image', unsafe: false });
  assert.deepEqual(await enginesUsed(home), ['podman']);
  await noteEngines(home, { backend: 'auto', image: 'an-image', unsafe: false });
  assert.deepEqual(await enginesUsed(home), ['docker', 'podman']);
  await writeFile(`${dir.path}/engines.json`, 'half a fi');
  assert.deepEqual(await enginesUsed(home), []);
});
