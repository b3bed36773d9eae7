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
