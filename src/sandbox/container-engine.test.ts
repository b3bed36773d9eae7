import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../host/machine/system-clock.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { ContainerEngine } from './container-engine.ts';
import type { SandboxFacts } from './sandbox-facts.ts';

/** Answers like docker: a forced removal of a container that does not exist succeeds. */
const DOCKER = `#!/bin/sh
echo "$*" >>"$0.calls"
[ "$2" = rm ] || [ -e "$0.container" ]
`;

test('the command that removes a container fails until there is one, and then removes it', async () => {
  await using dir = await tempDir();
  const docker = join(dir.path, 'docker');
  await writeFile(docker, DOCKER, { mode: 0o700 });
  const facts = { tools: { docker }, engineEnv: {} } as unknown as SandboxFacts;
  const engine = new ContainerEngine('docker', facts, systemClock, `engine-test:${process.pid}`);
  const [program = '', ...args] = engine.removal('box');
  const remove = (): boolean => spawnSync(program, args).status === 0;
  const calls = (): string[] => readFileSync(`${docker}.calls`, 'utf8').trim().split('\n');

  assert.equal(remove(), false);
  assert.deepEqual(calls(), ['container inspect box']);
  await writeFile(`${docker}.container`, '');
  assert.equal(remove(), true);
  assert.equal(calls().at(-1), 'container rm --force --volumes box');
});

/** Answers like podman on a busy machine: the first two questions fail. */
const BUSY_PODMAN = `#!/bin/sh
echo "$1" >>"$0.calls"
if [ "$(grep -c "$1" "$0.calls")" -lt 3 ]; then echo 'Error: acquiring lock: resource busy' >&2; exit 125; fi
if [ "$1" = inspect ]; then echo '{"StartedAt":"2030-01-01T00:00:00Z","ExitCode":3,"OOMKilled":false}'; fi
`;

const PODMAN_WITHOUT_CONTAINERS = `#!/bin/sh
echo "$1" >>"$0.calls"
echo 'Error: no container with name or ID "box" found: no such container' >&2
exit 125
`;

async function fakePodman(folder: string, script: string) {
  const podman = join(folder, 'podman');
  await writeFile(podman, script, { mode: 0o700 });
  const facts = { tools: { podman }, engineEnv: { PATH: '/usr/bin:/bin' } };
  const engine = new ContainerEngine(
    'podman',
    facts as unknown as SandboxFacts,
    systemClock,
    `engine-test:${process.pid}`,
  );
  const calls = (): string[] => readFileSync(`${podman}.calls`, 'utf8').trim().split('\n');
  return { engine, calls };
}

test('an engine that fails to answer is asked again', async () => {
  await using dir = await tempDir();
  const { engine, calls } = await fakePodman(dir.path, BUSY_PODMAN);
  assert.deepEqual(await engine.findExitState('box'), { started: true, code: 3, oomKilled: false });
  await engine.remove('box');
  assert.deepEqual(calls(), ['inspect', 'inspect', 'inspect', 'rm', 'rm', 'rm']);
});

test('an engine that knows no such container is asked once', async () => {
  await using dir = await tempDir();
  const { engine, calls } = await fakePodman(dir.path, PODMAN_WITHOUT_CONTAINERS);
  assert.equal(await engine.findExitState('box'), undefined);
  await engine.remove('box');
  assert.deepEqual(calls(), ['inspect', 'rm']);
});
