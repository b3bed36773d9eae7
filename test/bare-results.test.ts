import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from './support/temp-dir.ts';

type BareResults = {
  readonly dependsOnTools: (file: string, text: string, skipped: readonly string[]) => boolean;
  readonly writeResults: (
    results: string,
    files: readonly string[],
    skipped: readonly string[],
  ) => void;
  readonly provenFiles: (
    results: string | undefined,
    root: string,
    files: readonly string[],
  ) => readonly string[];
};

// The scripts run on old versions of Node, so they have no types.
const script = new URL('../scripts/bare-results.mjs', import.meta.url).href;
const { dependsOnTools, provenFiles, writeResults } = (await import(script)) as BareResults;

describe('a test file that was green on a bare machine runs again with tools', () => {
  const cases: [why: string, text: string, skipped: string[], expected: boolean][] = [
    ['not if it names none', "assert.equal(parse('a'), 'b');", [], false],
    ['if one of its tests was skipped', '', ['a.test.ts'], true],
    ['not if another file was skipped', '', ['b.test.ts'], false],
    ['if it names a program', "spawnSync('bwrap', [])", [], true],
    ['if it names the sandbox', 'await openSandbox(); // the sandbox', [], true],
    ['if it names a language', "which('python3', process.env)", [], true],
    ['if it searches the machine', "cli(['doctor'])", [], true],
    ['if it looks for gates and agents', "cli(['init'])", [], true],
    ['not because of a part of a word', 'the perlite reporter contains', [], false],
  ];
  for (const [why, text, skipped, expected] of cases)
    test(why, () => assert.equal(dependsOnTools('a.test.ts', text, skipped), expected));
});

test('only files that the bare machine ran are proven, and none without its results', async () => {
  await using dir = await tempDir();
  const results = join(dir.path, 'results.json');
  const files = ['plain.test.ts', 'skipped.test.ts', 'tool.test.ts', 'slow.test.ts'];
  for (const file of files)
    await writeFile(join(dir.path, file), file === 'tool.test.ts' ? "'docker'" : '');
  writeResults(results, files.slice(0, 3), ['skipped.test.ts']);
  assert.deepEqual(provenFiles(results, dir.path, files), ['plain.test.ts']);
  assert.deepEqual(provenFiles(undefined, dir.path, files), []);
});
