/**
 * Packing a project, compared with repomix's own library: the same files, the same process; both
 * count tokens and look for secrets.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ContextCache } from '../src/context/context-cache.ts';
import { gather } from '../src/context/gather.ts';
import { ImportResolver } from '../src/context/imports/import-resolver.ts';
import { openProject } from '../src/context/open-project.ts';
import { pack } from '../src/context/pack.ts';
import { PLAIN_STRATEGY } from '../src/context/strategy.ts';
import { typescriptProject } from '../test/support/generated-project.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';

type ContextFigures = {
  /** Our time over repomix's, the first time. */
  readonly coldRatio: number;
  /** repomix's time over ours, when nothing has changed since. */
  readonly cachedRatio: number;
  /** Our peak of memory over repomix's, each in its own process. */
  readonly memoryRatio: number;
  readonly importsOfThousandMs: number;
};

const FILES = 1000;
const ROUNDS = 5;
/** A few milliseconds each, so only many of them are meaningful. */
const CACHED_ROUNDS = 25;

type Redact = (text: string) => Promise<string>;

export async function figures(): Promise<readonly Figure[]> {
  const context = await measureContext();
  return [
    {
      name: 'packing a context',
      value: context.coldRatio,
      unit: '×',
      yardstick: "repomix's time on the same files",
      atMost: 1.2,
    },
    {
      name: 'packing it again',
      value: context.cachedRatio,
      unit: '×',
      yardstick: 'faster than repomix',
      atLeast: 20,
    },
    {
      name: 'memory of packing',
      value: context.memoryRatio,
      unit: '×',
      yardstick: "repomix's peak",
      atMost: 1,
    },
    {
      name: 'imports of 1000 files',
      value: context.importsOfThousandMs,
      unit: 'ms',
      yardstick: 'read, parsed and resolved',
      atMost: 1000,
    },
  ];
}

async function measureContext(redact: Redact = async (text) => text): Promise<ContextFigures> {
  await using folder = await tempDir();
  await writeProject(folder.path);
  const ours: number[] = [];
  const theirs: number[] = [];
  await packTheirs(folder.path); // both with their code loaded and the files in the system's cache
  await packOurs(folder.path, new ContextCache(), redact);
  for (let round = 0; round < ROUNDS; round += 1) {
    theirs.push(await time(() => packTheirs(folder.path)));
    ours.push(await time(() => packOurs(folder.path, new ContextCache(), redact)));
  }
  const cache = new ContextCache();
  await packOurs(folder.path, cache, redact);
  const cached: number[] = [];
  for (let round = 0; round < CACHED_ROUNDS; round += 1)
    cached.push(await time(() => packOurs(folder.path, cache, redact)));
  return {
    coldRatio: median(ours) / median(theirs),
    cachedRatio: median(theirs) / median(cached),
    memoryRatio: peakMb('ours', folder.path) / peakMb('theirs', folder.path),
    importsOfThousandMs: await time(() => resolveAll(folder.path)),
  };
}

async function writeProject(root: string): Promise<void> {
  for (const [path, text] of Object.entries(typescriptProject(FILES))) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const who = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost'];
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    [...who, 'commit', '-qm', 'all'],
  ]) {
    const { status, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${args.join(' ')} ended with ${status}: ${stderr}`);
  }
}

async function packOurs(root: string, cache: ContextCache, redact: Redact): Promise<void> {
  const request = {
    include: ['**/*'],
    alwaysInclude: [],
    exclude: [],
    gitDiff: false,
    blind: false,
  };
  const view = await openProject(root, cache);
  const gathered = await gather({ view, request, strategy: PLAIN_STRATEGY, targets: [] });
  const { kept } = await pack({
    ...gathered,
    budget: 1_000_000_000,
    cli: 'codex',
    around: (context) => context,
    redact,
    cache,
  });
  if (kept.length < FILES) throw new Error(`only ${kept.length} files were kept`);
}

async function packTheirs(root: string): Promise<void> {
  const { mergeConfigs, pack: packWithRepomix } = await import('repomix');
  const config = mergeConfigs(
    root,
    {},
    { output: { filePath: join(root, '..', `${FILES}.xml`), style: 'xml' } },
  );
  const quiet = { ...config, output: { ...config.output, stdout: false, copyToClipboard: false } };
  const { totalFiles } = await packWithRepomix([root], quiet, () => {});
  if (totalFiles < FILES) throw new Error(`repomix packed only ${totalFiles} files`);
}

async function resolveAll(root: string): Promise<void> {
  const view = await openProject(root, new ContextCache());
  const resolver = new ImportResolver(view);
  const files = view.paths.filter((path) => path.endsWith('.ts'));
  const found = await Promise.all(files.map((path) => resolver.findImports(path)));
  if (found.flat().length < FILES)
    throw new Error(`only ${found.flat().length} imports were found`);
}

async function time(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Of a whole process that packs once. */
function peakMb(who: 'ours' | 'theirs', root: string): number {
  const argv = [fileURLToPath(import.meta.url), 'peak', who, root];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${who} ended with ${status}: ${stderr}`);
  return Number(stdout.trim().split('\n').at(-1));
}

const [, , mode, who, root = ''] = process.argv;
if (mode === 'peak') {
  await (who === 'ours'
    ? packOurs(root, new ContextCache(), async (text) => text)
    : packTheirs(root));
  process.stdout.write(`\n${process.resourceUsage().maxRSS / 1000}\n`);
  process.exit(0); // its workers would keep it alive
}
