import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { typeScriptOf, typesGate } from './types-gate.ts';

describe('the TypeScript of a project', () => {
  const rows: readonly (readonly [
    why: string,
    manifest: string | null,
    installed: string | null,
    major: number | null,
  ])[] = [
    ['is the one that is installed', '{"devDependencies":{"typescript":"^6.0.0"}}', '5.9.2', 5],
    ['else the one that its manifest asks for', '{"dependencies":{"typescript":"~5.4"}}', null, 5],
    ['is a new one if no version is named', '{"devDependencies":{"typescript":"latest"}}', null, 6],
    ['is missing in a manifest without it', '{"devDependencies":{}}', null, null],
    ['is missing without a manifest', null, null, null],
    ['is missing in a manifest that is no JSON', '{', null, null],
  ];
  for (const [why, manifest, installed, major] of rows)
    test(why, async () => {
      await using at = await tempDir();
      if (manifest !== null) writeFileSync(join(at.path, 'package.json'), manifest);
      if (installed !== null) {
        const folder = join(at.path, 'node_modules', 'typescript');
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: installed }));
      }
      assert.equal(await typeScriptOf(at.path), major);
    });

  test('before 6 does not know the flag that leaves out tsconfig.json', () =>
    assert.deepEqual(
      [5, 6].map((major) => typesGate(major).command.includes('--ignoreConfig')),
      [false, true],
    ));
});
