/**
 * Checks the prose of documents, comments, test names and messages: `node test/prose/main.ts`. With paths
 * it checks these alone, those of NOT_YET included.
 */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { paragraphsOfCode, paragraphsOfMarkdown } from './paragraphs.ts';
import { checkParagraph } from './rules.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Folders and files whose words are not rewritten yet. One that is clean leaves the list. */
const NOT_YET: readonly string[] = [];

/** Other people's words: recorded transcripts, and what tests of the prose need as bad examples. */
const NOT_OURS = ['test/corpus', 'test/prose/prose.test.ts'];

const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`);

function filesBelow(path: string): readonly string[] {
  if (!statSync(join(root, path)).isDirectory())
    return /\.(?:tsx?|mjs|md)$/.test(path) ? [path] : [];
  return readdirSync(join(root, path))
    .filter((name) => name !== 'node_modules' && name !== 'dist' && !name.startsWith('.'))
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}

function* problemsOf(file: string): Generator<string> {
  const source = readFileSync(join(root, file), 'utf8');
  const isCli = isBelow(file, 'src/cli') && !file.endsWith('.test.ts');
  const paragraphs = file.endsWith('.md')
    ? paragraphsOfMarkdown(source)
    : paragraphsOfCode(file, source, isCli ? 'all' : 'messages');
  for (const { text, line, isCell } of paragraphs)
    for (const { offset, found, advice } of checkParagraph(text, isCell)) {
      const at = line + text.slice(0, offset).split('\n').length - 1;
      yield `${file}:${at}: ${found}; ${advice}`;
    }
}

const paths = process.argv.slice(2).map((path) => relative(root, resolve(path)));
const everywhere = readdirSync(root).filter((name) =>
  /^(?:docs|src|test|bench|scripts|web)$|\.md$/.test(name),
);
const leftOut = paths.length > 0 ? NOT_OURS : [...NOT_OURS, ...NOT_YET];
const problems = (paths.length > 0 ? paths : everywhere)
  .flatMap(filesBelow)
  .filter((file) => !leftOut.some((folder) => isBelow(file, folder)))
  .flatMap((file) => [...problemsOf(file)]);
for (const problem of problems) console.log(problem);
if (problems.length > 0)
  console.log(`${problems.length} places to rewrite (see CONTRIBUTING.md, "Prose").`);
process.exitCode = problems.length === 0 ? 0 : 1;
