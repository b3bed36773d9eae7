import assert from 'node:assert/strict';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { grantedTo } from './prepare-tree.ts';

const cases: [why: string, made: string, granted: string, inPath: string][] = [
  ['its folder for programs', 'tools/bin', 'tools', 'tools/bin'],
  ['the folder itself when it is called bin', 'cargo/bin', 'cargo/bin', 'cargo/bin'],
  ['the folder itself, whatever it is called', 'scripts', 'scripts', 'scripts'],
];
for (const [why, made, granted, inPath] of cases)
  test(`a toolchain that is granted has in PATH ${why}`, async () => {
    await using dir = await tempDir();
    const userDir = await realpath(dir.path);
    await mkdir(join(userDir, made), { recursive: true });
    const grants = { toolchains: [join(userDir, granted)], files: [], gitIdentity: null };
    const places = { userDir, stateDir: join(userDir, 'state'), root: join(userDir, 'app') };
    assert.deepEqual(grantedTo({ grants }, places).path, [join(userDir, inPath)]);
  });
