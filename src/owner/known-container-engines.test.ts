import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { homeAt } from '../host/machine/state-home.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { knownContainerEngines, recordContainerEngine } from './known-container-engines.ts';

test('an engine is known as soon as a container may have been created in it', async () => {
  await using dir = await tempDir();
  const home = homeAt(dir.path, dir.path);
  assert.deepEqual(await knownContainerEngines(home), []);
  await recordContainerEngine(home, { backend: 'auto', image: null, unsafe: false });
  await recordContainerEngine(home, { backend: 'bubblewrap', image: 'an-image', unsafe: false });
  assert.deepEqual(await knownContainerEngines(home), []);
  await recordContainerEngine(home, { backend: 'podman', image: 'an-image', unsafe: false });
  assert.deepEqual(await knownContainerEngines(home), ['podman']);
  await recordContainerEngine(home, { backend: 'auto', image: 'an-image', unsafe: false });
  assert.deepEqual(await knownContainerEngines(home), ['docker', 'podman']);
  await writeFile(`${dir.path}/engines.json`, 'half a fi');
  assert.deepEqual(await knownContainerEngines(home), []);
});
