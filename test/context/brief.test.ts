/** Whole briefs from real repositories: the input of a worker, byte for byte. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { openTrustedProject } from '../support/trust-project.ts';
import { prepareBrief } from '../../src/brief/prepare-brief.ts';
import type { PreparedBrief, BriefOptions } from '../../src/brief/prepare-brief.ts';
import { ContextCache } from '../../src/context/context-cache.ts';
import { tempDir } from '../support/temp-dir.ts';
import type { TempDir } from '../support/temp-dir.ts';

const SECRET = `ghp_${'a1B2'.repeat(9)}`;

const FILES = {
  '.gitignore': 'ignored/\n',
  'README.md': '# The shop\n',
  'docs/STANDARDS/CODE.md': 'Be plain.\n',
  'docs/ADRs/0001.md': 'We use SQLite.\n',
  'src/cart.ts':
    "import { price } from './price.ts';\n/** The sum. */\nexport function total(): number {\n  return price() * 2;\n}\n",
  'src/price.ts': `const key = '${SECRET}';\nexport function price(): number {\n  return secretFormula(key);\n}\n`,
  'src/cart.test.ts': 'test();\n',
  'ignored/x.ts': 'IGNORED',
  '.env': 'TOKEN=supersecret\n',
};

async function repository(files: Readonly<Record<string, string>> = FILES): Promise<TempDir> {
  const dir = await tempDir();
  await write(dir.path, files);
  git(dir.path, 'init', '-q', '-b', 'main');
  git(
    dir.path,
    'add',
    '-A',
    '-f',
    ...Object.keys(files).filter((one) => !one.startsWith('ignored/')),
  );
  git(dir.path, 'commit', '-qm', 'first');
  return dir;
}

async function write(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

function git(cwd: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8' });
}

async function brief(
  project: string,
  role: string,
  more: Partial<BriefOptions> = {},
): Promise<PreparedBrief> {
  const home = join(project, '..', 'no-home');
  return prepareBrief({
    home,
    project: await openTrustedProject(home, project),
    role,
    task: 'Do it.',
    targets: [],
    clisOf: ({ cli }) => (cli === null ? [] : [cli]),
    redact: async (text) => text,
    cache: new ContextCache(),
    ...more,
  });
}

function namesOf({ packed }: PreparedBrief): readonly string[] {
  return packed.kept.map(({ piece: { part, name } }) => `${part} ${name}`);
}

describe('a brief', () => {
  test('for an implementer contains the target, its imports and the changes, without secrets', async () => {
    await using dir = await repository();
    await write(dir.path, { 'src/cart.ts': `${FILES['src/cart.ts']}// changed\n` });
    const made = await brief(dir.path, 'implementer', { targets: ['src/cart.ts'] });
    assert.deepEqual(namesOf(made), [
      'git_diff src/cart.ts',
      'target_file src/cart.ts',
      'imports src/price.ts',
      'related docs/STANDARDS/CODE.md',
      'tree files',
    ]);
    assert.equal(made.prompt.split(made.packed.text).length, 2);
    assert.doesNotMatch(made.prompt, new RegExp(`${SECRET}|supersecret|IGNORED`));
    assert.match(made.packed.text, /\+\/\/ changed/);
  });

  test('for a reviewer contains what is staged and not the working tree', async () => {
    await using dir = await repository();
    await write(dir.path, { 'src/cart.ts': 'STAGED\n', 'src/new.ts': 'export const added = 1;\n' });
    git(dir.path, 'add', '-A');
    await write(dir.path, { 'src/cart.ts': 'UNSTAGED\n' });
    const made = await brief(dir.path, 'reviewer', { plan: 'THE PLAN' });
    assert.deepEqual(namesOf(made), [
      'plan plan',
      'changes staged',
      'git_diff src/cart.ts',
      'git_diff src/new.ts',
      'changed_files src/cart.ts',
      'changed_files src/new.ts',
      'standards docs/STANDARDS/CODE.md',
    ]);
    const after = git(dir.path, 'rev-parse', ':src/cart.ts').trim();
    const before = git(dir.path, 'rev-parse', 'HEAD:src/cart.ts').trim();
    assert.ok(made.packed.text.includes(`changed "src/cart.ts" ${before} -> ${after}`));
    assert.doesNotMatch(made.prompt, /UNSTAGED/);
  });

  test('for a test engineer contains no implementation', async () => {
    await using dir = await repository();
    const made = await brief(dir.path, 'test_engineer', { targets: ['src'] });
    assert.match(made.packed.text, /\/\*\* The sum\. \*\/\nexport function total\(\): number;/);
    assert.doesNotMatch(made.prompt, /price\(\) \* 2|secretFormula/);
  });

  test('for a planner contains documents and the tree, and for an investigator nearly everything', async () => {
    await using dir = await repository();
    assert.deepEqual(namesOf(await brief(dir.path, 'planner')), [
      'documents README.md',
      'documents docs/ADRs/0001.md',
      'related docs/STANDARDS/CODE.md',
      'tree files',
    ]);
    const wide = await brief(dir.path, 'investigator');
    assert.deepEqual(wide.packed.leftOut, [
      { part: 'related', name: '.env', why: 'has the name of a file with secrets' },
    ]);
    assert.ok(namesOf(wide).includes('related src/price.ts'));
  });

  test('follows no link out of the project, and says so', async () => {
    await using outside = await tempDir();
    await writeFile(join(outside.path, 'secret.md'), 'OUTSIDE');
    await using dir = await repository();
    await symlink(join(outside.path, 'secret.md'), join(dir.path, 'docs/link.md'));
    const made = await brief(dir.path, 'planner');
    assert.doesNotMatch(made.prompt, /OUTSIDE/);
    assert.deepEqual(made.packed.leftOut, [
      { part: 'related', name: 'docs/link.md', why: 'outside the project' },
    ]);
  });

  test('can be made outside version control', async () => {
    await using dir = await tempDir();
    await write(dir.path, FILES);
    const made = await brief(dir.path, 'implementer', { targets: ['src/cart.ts'] });
    assert.ok(namesOf(made).includes('imports src/price.ts'));
  });

  test('is the same each time, and never runs a program of the repository', async () => {
    await using dir = await repository();
    await write(dir.path, { 'src/cart.ts': 'CHANGED\n', 'evil.sh': '#!/bin/sh\ntouch ran\n' });
    git(dir.path, 'config', 'diff.external', 'sh evil.sh');
    git(dir.path, 'config', 'core.fsmonitor', 'sh evil.sh');
    const once = await brief(dir.path, 'implementer', { targets: ['src/cart.ts'] });
    const again = await brief(dir.path, 'implementer', { targets: ['src/cart.ts'] });
    assert.equal(once.prompt, again.prompt);
    assert.ok(!(await readdir(dir.path)).includes('ran'));
  });
});

async function runCommand(command: string): Promise<string> {
  return `ran ${command}`;
}

describe("a project's own strategy that runs commands", () => {
  const role = 'description: d\nsystem_prompt: s\ncontext: {strategy: mine}\n';
  const strategy = 'description: d\nalgorithm: [command: {part: out, run: make list}]\n';
  const own = { '.supervisor/roles/own.yaml': role, '.supervisor/strategies/mine.yaml': strategy };

  test('is used as it was committed', async () => {
    await using dir = await repository({ ...FILES, ...own });
    const made = await brief(dir.path, 'own', { runCommand });
    assert.match(made.packed.text, /ran make list/);
    await write(dir.path, { '.supervisor/strategies/mine.yaml': strategy.replace('list', 'all') });
    await assert.rejects(
      brief(dir.path, 'own', { runCommand }),
      /must be committed without changes/,
    );
  });
});
