import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { seededRandom } from '../base/random.ts';
import { homeAt } from '../host/machine/state-home.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { executionHost } from './execution-host.ts';

test('a backend that is installed while the owner runs is found by the next choice', async () => {
  await using dir = await tempDir();
  for (const name of ['home', 'bin']) await mkdir(join(dir.path, name));
  const host = executionHost({
    home: homeAt(join(dir.path, 'home'), dir.path),
    ownerId: 'tester',
    version: '1.2.3',
    pid: process.pid,
    clock: systemClock,
    random: seededRandom(1),
    node: process.execPath,
    agentEnv: {},
    env: { PATH: join(dir.path, 'bin') },
    log: () => {},
  });
  const before = host.facts();
  assert.equal(host.facts(), before);

  // It can't be chosen on any machine: it names no image.
  const choice = host.chooseBackend({ backend: 'podman', image: null, unsafe: false });
  await assert.rejects(choice, /No sandbox holds on this machine.*podman: it /);
  await writeFile(join(dir.path, 'bin', 'podman'), '', { mode: 0o755 });

  assert.notEqual(host.facts(), before);
  assert.match(host.facts().tools.podman ?? '', /podman$/);
});
