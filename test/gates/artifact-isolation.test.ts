/**
 * Knowing the ids of a run does not give access to its artifacts: permissions and the sandbox
 * protect them.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { link, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import {
  artifactFile,
  artifactPaths,
  collectArtifacts,
  makeStaging,
  readArtifacts,
} from '../../src/execution/collect-artifacts.ts';
import { which } from '../../src/host/process/which.ts';
import { tempDir } from '../support/temp-dir.ts';
import { SandboxedHarness } from '../real/sandboxed-harness.ts';

const missing = which('bwrap', process.env) === undefined;
const skip = missing && process.env['CI'] === undefined ? 'missing: bubblewrap' : false;
const [MINE, THEIRS] = ['a000000000', 'b000000000'];
const { signal } = new AbortController();
process.umask(0); // without a mode of its own, a file is open to all

/**
 * The entries of a folder that are open to others. An agent's files keep their own modes, inside a
 * closed folder.
 */
function openIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    return (mode & 0o77) === 0 ? [] : [`${relative(folder, path)} ${(mode & 0o777).toString(8)}`];
  });
}

describe('artifacts', () => {
  test('are private to our user at every moment, whatever the umask is', async () => {
    await using dir = await tempDir();
    const staging = await makeStaging(dir.path, MINE, 'attempt-1');
    assert.deepEqual(openIn(dir.path), []);
    await mkdir(join(staging, 'deep'), { mode: 0o777 });
    for (const name of ['deep/a', 'b', 'c'])
      await writeFile(join(staging, name), 'x'.repeat(5_000_000), { mode: 0o666 });
    const { collected: saved } = artifactPaths(dir.path, MINE);
    const seen = new Set<string>();
    let looks = 0;
    const over = new AbortController();
    const watching = (async () => {
      while (!over.signal.aborted) {
        if (existsSync(saved)) for (const one of openIn(saved)) seen.add(one);
        looks += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const [collected] = await collectArtifacts(dir.path, MINE, signal);
    over.abort();
    await watching;
    assert.equal(collected?.files.length, 3);
    assert.ok(looks > 3, `${looks} looks`);
    assert.deepEqual([[...seen], openIn(dir.path)], [[], []]);
  });

  test('of another run are not collected under any name that an agent can make', async () => {
    await using dir = await tempDir();
    await writeFile(join(await makeStaging(dir.path, THEIRS, 'attempt-1'), 'report'), 'theirs');
    await collectArtifacts(dir.path, THEIRS, signal);
    const theirs = artifactFile(dir.path, THEIRS, 'attempt-1', 'report');
    const own = await makeStaging(dir.path, MINE, 'attempt-1');
    await symlink(theirs, join(own, 'link'));
    await symlink(artifactPaths(dir.path, THEIRS).collected, join(own, 'folder'));
    await link(theirs, join(own, 'second-name'));
    const second = await makeStaging(dir.path, MINE, 'attempt-2');
    await rm(second, { recursive: true });
    await symlink(artifactPaths(dir.path, THEIRS).collected, second);
    const mine = await collectArtifacts(dir.path, MINE, signal);
    assert.deepEqual(
      mine.map(({ key, files, refused }) => [key, files, refused.map(({ path }) => path)]),
      [['attempt-1', [], ['folder', 'link', 'second-name']]],
    );
    const [left] = await readArtifacts(dir.path, THEIRS);
    assert.deepEqual(left?.files, [{ path: 'report', bytes: 6 }]);
  });

  test(
    'of another run are not visible to a sandboxed agent, even if it knows their ids',
    { skip, timeout: 300_000 },
    async () => {
      const script = `
      echo secret >"$SUPERVISOR_ARTIFACTS/report"
      if [ -s other ]; then cat "$(cat other)" >found 2>&1 || true; fi; echo done`;
      const agents = [
        { id: 'mine', cli: 'custom', command: ['sh', '-c', script, '{prompt_file}'] },
      ];
      await using at = await SandboxedHarness.create({ config: { agents } });
      const first = await at.submit('mine');
      await at.factsOf(first);
      const file = artifactFile(at.home, first, 'attempt-1', 'report');
      assert.equal(statSync(file).size, 7);
      await writeFile(join(at.project, 'other'), file);
      at.git('add', '--all');
      at.git('commit', '--quiet', '-m', 'where it lies');
      const second = await at.submit('mine');
      await at.factsOf(second);
      const { text } = await at.client.diff(second);
      assert.match(text, /^\+cat: .*No such file or directory$/m);
      assert.doesNotMatch(text, /secret/);
      assert.deepEqual(openIn(join(at.home, 'artifacts')), []);
    },
  );
});
