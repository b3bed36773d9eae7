/**
 * H5: a matrix of bypasses and gates. Each is decided on the definition alone. If the programs are
 * installed, it is also shown for real: the change makes the gate green, and with the definition of
 * the base the same gate is red.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import type { Followed } from '../../src/gates/follow/followed.ts';
import { followCommand } from '../../src/gates/definition/gate-command.ts';
import type { GateDefinition } from '../../src/gates/definition/gate-definition.ts';
import { findGateDefinition } from '../../src/gates/definition/gate-definition.ts';
import { restoreManifest } from '../../src/gates/definition/manifest-parts.ts';
import { which } from '../../src/host/process/which.ts';
import { tempDir } from '../support/temp-dir.ts';
import type { FileTree } from '../../src/workspace/tree-entries.ts';
import type { Bypass } from './bypass.ts';
import { BYPASSES } from './bypass-table.ts';

type Texts = ReadonlyMap<string, string>;

const textsOf = (files: Bypass['base']): Texts =>
  new Map(Object.entries(files).flatMap(([path, text]) => (text === null ? [] : [[path, text]])));
const treeOf = (texts: Texts): FileTree =>
  new Map([...texts].map(([path, id]) => [path, { mode: '100755', id, bytes: id.length }]));

type Judged = { readonly followed: Followed; readonly found: GateDefinition; readonly tree: Texts };

/** The files that the gate runs on first. */
function judged({ gate, base, work }: Bypass): Judged & { readonly after: Texts } {
  const before = textsOf(base);
  const after = textsOf({ ...base, ...work });
  const followed = followCommand(gate, '', treeOf(before), before);
  const found = findGateDefinition(followed, treeOf(before), treeOf(after));
  const tree = new Map(after);
  for (const path of [...found.whole, ...found.tests, ...found.quiet]) {
    const was = before.get(path);
    if (was === undefined) tree.delete(path);
    else tree.set(path, was);
  }
  for (const path of found.parts) {
    const is = after.get(path);
    const text =
      is === undefined
        ? before.get(path)
        : (restoreManifest(path, before.get(path), is, (one) => after.has(one)) ?? is);
    if (text !== undefined) tree.set(path, text);
  }
  return { followed, found, tree, after };
}

/** The exit code of a gate on these files, run without a sandbox. */
async function exitOn(files: Texts, gate: readonly string[]): Promise<number | null> {
  await using dir = await tempDir();
  for (const [path, text] of files) {
    await mkdir(dirname(join(dir.path, path)), { recursive: true });
    await writeFile(join(dir.path, path), text);
    await chmod(join(dir.path, path), 0o755);
  }
  const [program = '', ...args] = gate;
  const { status } = spawnSync(program, args, {
    cwd: dir.path,
    env: { PATH: process.env['PATH'], HOME: dir.path, CI: '1', PYTHONDONTWRITEBYTECODE: '1' },
    stdio: 'ignore',
    timeout: 300_000,
  });
  return status;
}

/** Whether the gate runs on something other than the agent's files. */
const hasBeenClosed = ({ work }: Bypass, { tree }: Judged): boolean =>
  Object.entries(work).some(([path, text]) => (tree.get(path) ?? null) !== text);

describe('H5: a way to make a gate green on wrong work', { timeout: 600_000 }, () => {
  test('is in a table of at least sixty rows', () => assert.ok(BYPASSES.length >= 60));

  for (const bypass of BYPASSES) {
    const { why, gate, expected, real } = bypass;
    test(`${gate.join(' ')}: ${why}: ${expected}`, async (t) => {
      const result = judged(bypass);
      const { followed, found } = result;
      if (expected === 'not-protected') {
        assert.notDeepEqual(followed.notFollowed, []);
        return;
      }
      assert.deepEqual(followed.notFollowed, []);
      assert.ok(hasBeenClosed(bypass, result), JSON.stringify(found));
      if (expected === 'tests') assert.notDeepEqual(found.tests, []);
      const missing = real?.filter((name) => which(name, process.env) === undefined) ?? [];
      if (real === undefined) return;
      if (missing.length > 0) return t.skip(`missing: ${missing.join(', ')}`);
      assert.equal(await exitOn(result.after, gate), 0, 'the change does not make it green');
      assert.notEqual(await exitOn(result.tree, gate), 0, 'green with what the base defines');
    });
  }
});
