import assert from 'node:assert/strict';
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { ensurePage } from './build-page.ts';

/** Stands for vite: it writes the page. */
const BUILD = `import { mkdirSync, writeFileSync } from 'node:fs';
mkdirSync('dist/web', { recursive: true });
writeFileSync('dist/web/index.html', 'built ' + process.argv.slice(2).join(' '));
`;

type Root = AsyncDisposable & {
  readonly write: (path: string, text: string) => Promise<void>;
  readonly path: string;
  /** What was told, and the page. */
  readonly ensure: () => Promise<readonly [told: number, page: string]>;
};

async function rootFolder(): Promise<Root> {
  const dir = await tempDir();
  const page = join(dir.path, 'dist/web');
  return {
    path: dir.path,
    write: async (path, text) => {
      await mkdir(dirname(join(dir.path, path)), { recursive: true });
      await writeFile(join(dir.path, path), text);
    },
    ensure: async () => {
      const told: string[] = [];
      const tell = (line: string): void => void told.push(line);
      await ensurePage({ root: dir.path, page, node: process.execPath, tell });
      return [told.length, await readFile(join(page, 'index.html'), 'utf8')];
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const LATER = new Date(Date.now() + 3_600_000);

describe('the page of the dashboard', () => {
  test('comes with the package', async () => {
    await using root = await rootFolder();
    await root.write('dist/web/index.html', 'shipped');
    assert.deepEqual(await root.ensure(), [0, 'shipped']);
  });

  test('that a package lacks is refused', async () => {
    await using root = await rootFolder();
    await assert.rejects(root.ensure(), { message: /lacks the page of the dashboard/ });
  });

  test('is built in a checkout once, and again when a source has changed', async () => {
    await using root = await rootFolder();
    await root.write('package.json', '{"type":"module"}');
    await root.write('web/index.html', 'source');
    await root.write('node_modules/vite/bin/vite.js', BUILD);
    const [told, page] = await root.ensure();
    assert.deepEqual([told, page.startsWith('built build ')], [1, true]);
    await utimes(join(root.path, 'dist/web/index.html'), LATER, LATER);
    assert.equal((await root.ensure())[0], 0);
    const evenLater = new Date(LATER.getTime() + 1000);
    await utimes(join(root.path, 'web/index.html'), evenLater, evenLater);
    assert.equal((await root.ensure())[0], 1);
  });

  test('that can not be built is refused with the words of the build', async () => {
    await using root = await rootFolder();
    await root.write('web/index.html', 'source');
    await root.write(
      'node_modules/vite/bin/vite.js',
      'console.error("no react"); process.exit(1);',
    );
    await assert.rejects(root.ensure(), { message: /could not be built: no react/ });
  });
});
