import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, readFile, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import type { CollectBounds, CollectedFiles } from './collect-files.ts';
import { collectFiles } from './collect-files.ts';

const BOUNDS: CollectBounds = {
  filesMax: 5,
  fileBytesMax: 1000,
  bytesMax: 1500,
  depthMax: 2,
  entriesMax: 50,
};
const ALWAYS = new AbortController().signal;

type Scene = { readonly from: string; readonly into: string; readonly outside: string };

/** Only a killed process leaves its socket behind. No shell is between, because it would print that its child died. */
async function leaveSocket(cwd: string): Promise<void> {
  const script =
    'require("node:net").createServer().listen("x", () => process.kill(process.pid, "SIGKILL"))';
  assert.equal(spawnSync(process.execPath, ['-e', script], { cwd }).signal, 'SIGKILL');
  return Promise.resolve();
}

async function collect(
  make: (scene: Scene) => Promise<unknown>,
  bounds: Partial<CollectBounds> = {},
): Promise<CollectedFiles & { readonly taken: readonly string[] }> {
  await using dir = await tempDir();
  const scene: Scene = {
    from: join(dir.path, 'from'),
    into: join(dir.path, 'into'),
    outside: join(dir.path, 'outside'),
  };
  await mkdir(scene.from);
  await writeFile(scene.outside, 'canary');
  await make(scene);
  const collected = await collectFiles(scene.from, scene.into, { ...BOUNDS, ...bounds }, ALWAYS);
  const taken = await readdir(scene.into, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = taken.filter((entry) => entry.isFile());
  for (const { parentPath, name } of files)
    assert.doesNotMatch(await readFile(join(parentPath, name), 'utf8'), /canary/);
  assert.equal(files.length, collected.files.length);
  assert.ok(taken.every((entry) => entry.isFile() || entry.isDirectory()));
  return { ...collected, taken: files.map(({ name }) => name) };
}

test('plain files are collected, with their folders', async () => {
  const { files, refused } = await collect(async ({ from }) => {
    await mkdir(join(from, 'a/b'), { recursive: true });
    await mkdir(join(from, 'empty'));
    await writeFile(join(from, 'a/b/two'), 'xy');
    await writeFile(join(from, 'one'), '');
  });
  assert.deepEqual(files, [
    { path: 'a/b/two', bytes: 2 },
    { path: 'one', bytes: 0 },
  ]);
  assert.deepEqual(refused, []);
});

describe('untrusted content', () => {
  const shell = (script: string) => async (scene: Scene) => {
    execFileSync('sh', ['-ec', script], { cwd: scene.from });
    return Promise.resolve();
  };
  const cases: [
    why: string,
    make: (scene: Scene) => Promise<unknown>,
    path: string,
    said: RegExp,
  ][] = [
    [
      'case 1: a link to a file',
      ({ from, outside }) => symlink(outside, join(from, 'x')),
      'x',
      /a link/,
    ],
    ['a link to a folder', ({ from }) => symlink('/etc', join(from, 'x')), 'x', /a link/],
    ['a link to nothing', ({ from }) => symlink('../../..', join(from, 'x')), 'x', /a link/],
    [
      'case 3: a hard link to a file outside',
      ({ from, outside }) => link(outside, join(from, 'x')),
      'x',
      /hard link elsewhere/,
    ],
    ['case 11: a pipe', shell('mkfifo x'), 'x', /not a plain file/],
    ['case 11: a socket', ({ from }) => leaveSocket(from), 'x', /not a plain file/],
    ['a line break in a name', ({ from }) => writeFile(join(from, 'a\nb'), ''), 'a\uFFFDb', /name/],
    [
      'an escape in a name',
      ({ from }) => writeFile(join(from, '\x1b[2J'), ''),
      '\uFFFD[2J',
      /name/,
    ],
    [
      'a name with a text direction mark',
      ({ from }) => writeFile(join(from, 'a\u202egnp'), ''),
      'a\uFFFDgnp',
      /name/,
    ],
    ['a backslash', ({ from }) => writeFile(join(from, '..\\x'), ''), '..\uFFFDx', /name/],
    ['a name that is not text', shell('touch "$(printf "a\\377")"'), 'a\uFFFD', /not text/],
    [
      'case 11: a file that is too large',
      async ({ from }) => {
        await writeFile(join(from, 'x'), '');
        await truncate(join(from, 'x'), 2 ** 40);
      },
      'x',
      /1099511627776 bytes exceed/,
    ],
    [
      'a folder that is nested too deep',
      shell('mkdir -p a/b/c/d; touch a/b/c/d/e'),
      'a/b/c',
      /too deep/,
    ],
  ];
  for (const [why, make, path, said] of cases)
    test(`${why} is refused by name`, async () => {
      const { files, refused } = await collect(make);
      assert.deepEqual([files, refused.map((one) => one.path)], [[], [path]]);
      assert.match(refused[0]?.why ?? '', said);
    });

  test('case 11: a device is refused', async (t) => {
    if (process.geteuid?.() !== 0) return t.skip('only root makes one');
    const { files, refused } = await collect(shell('mknod x c 1 5 || mkfifo x'));
    assert.deepEqual([files, refused], [[], [{ path: 'x', why: 'it is not a plain file' }]]);
  });

  test('number, size and depth are bounded', async () => {
    const many = shell('for n in 1 2 3 4 5 6 7; do echo $n >$n; done');
    assert.equal((await collect(many)).files.length, 5);
    const large = shell('for n in 1 2 3; do head -c 700 /dev/zero >$n; done');
    const { files, refused } = await collect(large);
    assert.deepEqual([files.length, refused.map(({ path }) => path)], [2, ['3']]);
    const flood = await collect(many, { entriesMax: 3 });
    assert.deepEqual([flood.files.length, flood.refused.length], [3, 1]);
  });
});

test(
  'case 2: a file that is swapped for a link while it is read is never followed',
  { timeout: 300_000 },
  async () => {
    await using dir = await tempDir();
    const [from, outside] = [join(dir.path, 'from'), join(dir.path, 'outside')];
    await mkdir(join(from, 'sub'), { recursive: true });
    await writeFile(outside, 'canary');
    await mkdir(join(dir.path, 'away'));
    await writeFile(join(dir.path, 'away', 'file'), 'canary');
    const flip = `const fs = require('node:fs'); const [a, s, o, w] = process.argv.slice(1);
    console.log('on'); for (;;) { try {
      for (let swaps = 0; swaps < 50; swaps += 1) {
        fs.symlinkSync(o, o + '-l'); fs.renameSync(o + '-l', a);
        fs.writeFileSync(o + '-f', 'mine'); fs.renameSync(o + '-f', a);
      }
      fs.rmSync(s, { recursive: true, force: true }); fs.mkdirSync(s); fs.writeFileSync(s + '/file', 'mine');
      fs.renameSync(s, s + '2'); fs.symlinkSync(w, s); fs.rmSync(s); fs.rmSync(s + '2', { recursive: true });
    } catch {} }`;
    const args = [join(from, 'a'), join(from, 'sub'), outside, join(dir.path, 'away')];
    const child = spawn(process.execPath, ['-e', flip, ...args]);
    try {
      await once(child.stdout, 'data');
      const begun = performance.now();
      let [rounds, taken, left] = [0, 0, 0];
      // At least a thousand reads over two seconds, until both states of the swap were seen.
      while (rounds < 1000 || performance.now() - begun < 2000 || taken * left === 0) {
        const into = join(dir.path, 'into');
        const { files, refused } = await collectFiles(from, into, BOUNDS, ALWAYS);
        for (const { path } of files)
          assert.doesNotMatch(await readFile(join(into, path), 'utf8'), /canary/);
        await rm(into, { recursive: true, force: true });
        [rounds, taken, left] = [rounds + 1, taken + files.length, left + refused.length];
      }
    } finally {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  },
);
