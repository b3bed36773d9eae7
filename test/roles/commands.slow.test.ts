/** `roles`, `context`, `init` and `schema` as they are typed. */
import assert from 'node:assert/strict';
import { ContextDocument, RolesDocument } from '../../src/public-json/project-documents.ts';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { builtInRoles } from '../support/built-in-roles.ts';
import { trustProject } from '../support/trust-project.ts';
import { CliHarness } from '../e2e/cli-process-harness.ts';
import type { ShellResult } from '../e2e/shell.ts';

async function write(harness: CliHarness, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(harness.project, path)), { recursive: true });
    await writeFile(join(harness.project, path), text);
  }
  await trustProject(harness.home.dir, harness.project);
}

function type(harness: CliHarness, ...args: readonly string[]): Promise<ShellResult> {
  return harness.run(args);
}

describe('supervisor roles', () => {
  test('lists roles of the package and of the project, and names the faulty ones', async () => {
    await using harness = await CliHarness.create();
    await write(harness, {
      '.supervisor/roles/house.yaml': 'extends: reviewer\ndescription: Ours\n',
      '.supervisor/roles/bad.yaml': 'extends: nobody\n',
    });
    const list = await type(harness, 'role', 'list', '--json');
    const { roles, problems } = RolesDocument.parse(JSON.parse(list.stdout));
    assert.deepEqual(
      roles.slice(0, 2).map(({ name, level }) => `${level} ${name}`),
      ['project bad', 'project house'],
    );
    assert.equal(roles.length, builtInRoles() + 2);
    assert.match(problems.join('\n'), /bad\.yaml:1:10: extends: no role is called "nobody"/);
    const check = await type(harness, 'roles', 'validate');
    assert.equal(check.code, 2);
    assert.match(check.stderr, /bad\.yaml:1:10/);
  });

  test('accepts every role that the guide shows', async () => {
    const guide = await readFile(new URL('../../docs/guide/roles.md', import.meta.url), 'utf8');
    const shown = [...guide.matchAll(/```yaml\n# (\S+)\n(.*?)```/gs)];
    assert.ok(shown.length > 0, 'the guide shows no role');
    await using harness = await CliHarness.create();
    await write(harness, Object.fromEntries(shown.map(([, path = '', text = '']) => [path, text])));
    const { code, stderr } = await type(harness, 'roles', 'validate');
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('shows one with the origin of each field', async () => {
    await using harness = await CliHarness.create();
    await write(harness, {
      '.supervisor/roles/house.yaml': 'extends: reviewer\ndescription: Ours\n',
    });
    const { code, stdout } = await type(harness, 'roles', 'show', 'house');
    assert.equal(code, 0);
    assert.match(stdout, /^description +Ours +\S+\.supervisor\/roles\/house\.yaml:2:14$/m);
    assert.match(stdout, /^cli +claude +\S+base_roles\/reviewer\.yaml:2:6$/m);
    const unknown = await type(harness, 'roles', 'show', 'revewer');
    assert.match(unknown.stderr, /no role is called "revewer" \(did you mean "reviewer"\?\)/);
  });
});

describe('supervisor context', () => {
  const files = {
    'src/a.ts': "import { b } from './b.ts';\nexport const a = b;\n",
    'src/b.ts': "export const b = 1;\nexport const token = 'abcdef123456';\n",
  };

  test('prints exactly what is packed, and the same inside the whole prompt', async () => {
    await using harness = await CliHarness.create();
    await write(harness, files);
    const words = ['context', 'implementer', '--target', 'src/a.ts', '--task', 'Rename it.'];
    const { code, stdout } = await type(harness, ...words);
    assert.equal(code, 0);
    assert.match(stdout, /path="src\/a\.ts".*path="src\/b\.ts"/s);
    assert.doesNotMatch(stdout, /abcdef123456/);
    const prompt = (await type(harness, ...words, '--prompt')).stdout;
    assert.equal(prompt.split(stdout).length, 2);
    assert.match(prompt, /Rename it\./);
    const json = await type(harness, ...words, '--json');
    const { text, tokens, usable_tokens: usable } = ContextDocument.parse(JSON.parse(json.stdout));
    assert.equal(text, stdout);
    assert.ok(tokens <= usable);
  });

  test('explains what went in and what did not', async () => {
    await using harness = await CliHarness.create();
    await write(harness, { ...files, 'yarn.lock': 'x', 'README.md': '# R' });
    const { stdout } = await type(harness, 'context', 'investigator', '--explain');
    assert.match(
      stdout,
      /^investigator: \d+ of \d+ usable tokens \(budget 50000, counted by o200k_base with a 15 % margin for gemini\)$/m,
    );
    assert.match(stdout, /^documents\n +\d+ {2}README\.md$/m);
    assert.match(stdout, /^left out\n {2}yarn\.lock {2}lock file$/m);
  });

  test('refuses a target outside the project, and a missing one', async () => {
    await using harness = await CliHarness.create();
    await write(harness, files);
    assert.match(
      (await type(harness, 'context', 'implementer', '-t', '../x')).stderr,
      /is outside the project/,
    );
    assert.match(
      (await type(harness, 'context', 'implementer', '-t', 'src/aa.ts')).stderr,
      /did you mean "src\/a\.ts"/,
    );
    assert.match((await type(harness, 'context', 'implementer')).stderr, /needs --target FILE/);
  });
});

describe('supervisor init', () => {
  test('adds the packs that fit on request, and overwrites nothing', async () => {
    await using harness = await CliHarness.create();
    await write(harness, {
      'package.json': '{"scripts":{"test":"x"},"dependencies":{"react":"19"}}',
      '.supervisor/roles/ui_designer.yaml': 'extends: ui_designer\n# mine\n',
    });
    execFileSync('git', ['init', '-q', harness.project]);
    const { code, stdout } = await type(harness, 'init', '--yes', '--packs', '--no-prove');
    assert.equal(code, 0);
    assert.match(stdout, /\+ \.supervisor\/config\.yaml/);
    assert.match(stdout, /= \.supervisor\/roles\/ui_designer\.yaml \(exists, not changed\)/);
    const own = (name: string): Promise<string> =>
      readFile(join(harness.project, '.supervisor', name), 'utf8');
    assert.equal(await own('roles/ui_designer.yaml'), 'extends: ui_designer\n# mine\n');
    assert.match(await own('roles/state_architect.yaml'), /^extends: state_architect$/m);
    assert.match(await own('roles/component_builder.yaml'), /npm test/);

    const valid = await type(harness, 'roles', 'validate');
    assert.equal(valid.stdout, `All ${builtInRoles()} roles are valid.\n`);
    assert.equal((await type(harness, 'config')).code, 0);
    const again = await type(harness, 'init', '--yes', '--packs', '--no-prove');
    assert.doesNotMatch(again.stdout, /^\+/m);
  });
});

test('supervisor schema prints what editors need', async () => {
  await using harness = await CliHarness.create();
  const titles = [];
  for (const what of ['config', 'role', 'strategy'])
    titles.push(
      (JSON.parse((await type(harness, 'schema', what)).stdout) as { title: string }).title,
    );
  assert.deepEqual(titles, [
    'Supervisor configuration',
    'Supervisor role',
    'Supervisor context strategy',
  ]);
});
