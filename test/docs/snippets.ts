/** The `ts` blocks of the documents: checked by the compiler all at once, then run one by one. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CliHarness } from '../e2e/cli-process-harness.ts';
import type { ShellResult } from '../e2e/shell.ts';
import { checkout } from './markdown.ts';
import { shimPath } from './shell-script.ts';

const NAME = 'agent-supervisor';

type Exports = Readonly<Record<string, string | { readonly default: string }>>;

/** The names that users import, and the source behind each. */
function parts(): ReadonlyMap<string, URL> {
  const text = readFileSync(join(checkout, 'package.json'), 'utf8');
  const { exports } = JSON.parse(text) as { exports: Exports };
  return new Map(
    Object.entries(exports).flatMap(([path, target]) => {
      if (typeof target === 'string') return [];
      const source = target.default.replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts');
      return [[path.replace('.', NAME), new URL(source, new URL('../../', import.meta.url))]];
    }),
  );
}

/**
 * Preloaded before a snippet: `agent-supervisor` and its parts are the sources of this checkout.
 */
function preload(): string {
  const sources = Object.fromEntries([...parts()].map(([name, { href }]) => [name, href]));
  const program = `
    import { registerHooks } from 'node:module';
    const sources = ${JSON.stringify(sources)};
    registerHooks({ resolve: (name, context, next) => next(sources[name] ?? name, context) });`;
  return `data:text/javascript,${encodeURIComponent(program)}`;
}

/** The compiler's messages about these files, which are in the harness's project. */
export async function typeCheck(
  harness: CliHarness,
  files: readonly string[],
): Promise<ShellResult> {
  const paths = [...parts()].map(([name, source]) => [name, [fileURLToPath(source)]] as const);
  const config = {
    extends: join(checkout, 'tsconfig.json'),
    compilerOptions: {
      paths: Object.fromEntries(paths),
      typeRoots: [join(checkout, 'node_modules/@types')],
      noUnusedLocals: false,
    },
    files,
    include: [],
  };
  writeFileSync(join(harness.project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(harness.project, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(checkout, 'node_modules/.bin/tsc');
  return await harness.open([process.execPath, tsc, '-p', '.'], '').ended;
}

export async function runSnippet(harness: CliHarness, file: string): Promise<ShellResult> {
  const argv = [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    '--import',
    preload(),
    file,
  ] as const;
  return await harness.open(argv, '', { PATH: shimPath(harness) }).ended;
}
