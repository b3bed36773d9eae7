/** In a checkout, the page is built when it is missing or older than its sources. The package contains it. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import { PACKAGE_ROOT, PAGE_FOLDER } from '../../host/machine/page-folder.ts';

export type PageBuild = {
  /** The root of the checkout or of the package. */
  readonly root: string;
  readonly page: string;
  readonly node: string;
  readonly tell: (line: string) => void;
};

/** What the page is made from. */
const SOURCES = ['web', 'src/protocol', 'src/base', 'package-lock.json'];
const VITE = 'node_modules/vite/bin/vite.js';

/** Resolves when the page is there. Refuses if it can't be built. */
export async function ensurePage({
  root = PACKAGE_ROOT,
  page = PAGE_FOLDER,
  node,
  tell,
}: Pick<PageBuild, 'node' | 'tell'> & Partial<PageBuild>): Promise<void> {
  const builtAt = await changedAt(join(page, 'index.html'));
  const isCheckout = existsSync(join(root, 'web', 'index.html'));
  if (!isCheckout) {
    if (builtAt === 0) throw missing(page);
    return;
  }
  const sources = await Promise.all(SOURCES.map((path) => newestBelow(join(root, path))));
  if (builtAt > Math.max(...sources)) return;
  tell(
    'Building the page of the dashboard. This happens once, and again when its sources change.\n',
  );
  await runBuild(node, root);
}

async function runBuild(node: string, root: string): Promise<void> {
  const args = [join(root, VITE), 'build', join(root, 'web'), '--logLevel', 'error'];
  const child = spawn(node, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (said = (said + text.toString('utf8')).slice(-2000)));
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      said += error.message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  if (code === 0) return;
  throw new Refusal({
    code: 'machine.fault',
    message: `The page of the dashboard could not be built: ${said.trim()}`,
    hint: 'Install the packages of the checkout with: npm ci',
  });
}

async function newestBelow(path: string): Promise<number> {
  const found = await readdir(path, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const times = await Promise.all([path, ...files].map(changedAt));
  return times.reduce((newest, one) => Math.max(newest, one), 0);
}

/** 0: it does not exist. */
async function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

function missing(page: string): Refusal {
  return new Refusal({
    code: 'machine.fault',
    message: `This installation lacks the page of the dashboard: ${page} does not exist.`,
    hint: 'Install Supervisor again.',
  });
}
