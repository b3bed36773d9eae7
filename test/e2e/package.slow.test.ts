/** What a user installs: the packed package in an empty folder. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parse } from '../docs/markdown.ts';
import { builtInRoles } from '../support/built-in-roles.ts';
import type { ShellResult } from './shell.ts';
import { checkout, emptyFolder, node24Env, run, systemNode } from './shell.ts';

type Packed = readonly [{ readonly filename: string; readonly files: readonly { path: string }[] }];

const exported = ['', '/supervision', '/protocol', '/testing'] as const;

describe('the packed package', { timeout: 10 * 60_000 }, () => {
  let home = '';
  let files: string[] = [];
  /** A state of its own, because the one in the home of the user may have an owner that works. */
  const env = (): NodeJS.ProcessEnv => ({ ...node24Env(), SUPERVISOR_HOME: join(home, 'state') });

  before(async () => {
    home = (await emptyFolder()).path;
    const pack = await run(
      ['npm', 'pack', '--json', '--loglevel=error', '--pack-destination', home],
      checkout,
    );
    assert.equal(pack.code, 0, pack.stderr);
    const [packed] = JSON.parse(pack.stdout.slice(pack.stdout.indexOf('['))) as Packed;
    files = packed.files.map(({ path }) => path);
    await writeFile(join(home, 'package.json'), '{ "private": true, "type": "module" }');
    const tarball = join(home, packed.filename);
    const install = await run(
      ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', tarball],
      home,
    );
    assert.equal(install.code, 0, install.stderr);
  });

  after(() => rm(home, { recursive: true, force: true }));

  test('contains the program and its documents, no source and no tests', () => {
    const documents = ['CHANGELOG.md', 'LICENSE', 'README.md'].filter((name) =>
      existsSync(join(checkout, name)),
    );
    assert.deepEqual(
      files.filter((path) => !/^(?:dist|config|docs\/guide)\//.test(path)).toSorted(),
      [...documents, 'bin/supervisor.js', 'man/supervisor.1', 'package.json'].toSorted(),
    );
    const guides = readdirSync(join(checkout, 'docs/guide')).map((name) => `docs/guide/${name}`);
    assert.deepEqual(
      files.filter((path) => path.startsWith('docs/')).toSorted(),
      guides.toSorted(),
    );
    const roles = files.filter((path) => path.startsWith('config/base_roles/'));
    assert.ok(roles.length > 5, 'the roles that come with the package are missing');
    const strange = files.filter((path) => !/^dist\/.*(?<!\.test)(\.js|\.d\.ts)$/.test(path));
    // Reporters run in the user's projects as they are, so they are copied and not compiled.
    const reporters = readdirSync(join(checkout, 'src/test-reports/runners'));
    const ofPage = strange.filter((path) =>
      /^dist\/web\/(?:assets\/)?[\w-]+\.(?:css|html|svg)$/.test(path),
    );
    assert.ok(ofPage.includes('dist/web/index.html'), 'the page of the dashboard is missing');
    assert.deepEqual(
      strange.filter((path) => path.startsWith('dist/') && !ofPage.includes(path)).toSorted(),
      reporters.map((name) => `dist/test-reports/runners/${name}`).toSorted(),
    );
  });

  test('has a page that is small: what a browser loads first, and all of it', async () => {
    const page = join(home, 'node_modules/agent-supervisor/dist/web');
    const html = readFileSync(join(page, 'index.html'), 'utf8');
    const first = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(
      ([, name = '']) => name,
    );
    assert.ok(first.length > 0, html);
    assert.ok(
      !/<script(?![^>]*\bsrc=)|<style|\son\w+=/.test(html),
      'the page has no script or style inside',
    );
    const entry = first.filter((name) => name.endsWith('.js'));
    const packed = entry.map(
      (name) => gzipSync(readFileSync(join(page, name)), { level: 9 }).length,
    );
    const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(total(packed) <= 90_000, `${total(packed)} bytes of script, packed`);
    const all = readdirSync(page, { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    );
    const sizes = all.map((one) => readFileSync(join(one.parentPath, one.name)).length);
    assert.ok(total(sizes) <= 1_500_000, `${total(sizes)} bytes in all`);
    const link = await run(['npx', '--no', '--', 'supervisor', 'dashboard'], home, env());
    assert.deepEqual(
      [link.code, /^http:\/\/127\.0\.0\.1:\d+\/enter\//.test(link.stdout)],
      [0, true],
      link.stderr,
    );
    await run(['npx', '--no', '--', 'supervisor', 'down'], home, env());
  });

  test('includes its roles, strategies and templates, and finds them', async () => {
    const typed = ['npx', '--no', '--', 'supervisor'] as const;
    const result = await run([...typed, 'roles', 'validate'], home, env());
    assert.deepEqual([result.code, result.stdout], [0, `All ${builtInRoles()} roles are valid.\n`]);
    const prompt = await run([...typed, 'context', 'planner', '--prompt'], home, env());
    assert.match(prompt.stdout, /^You are a software architect/);
  });

  test('answers --version', async () => {
    const { version } = (await import('../../package.json', { with: { type: 'json' } })).default;
    const result = await run(['npx', '--no', '--', 'supervisor', '--version'], home, node24Env());
    assert.deepEqual([result.code, result.stdout], [0, `${version}\n`]);
  });

  for (const path of exported) {
    test(`agent-supervisor${path} exports what the source does`, async () => {
      const source = (await import(`../../src${path}/index.ts`)) as object;
      const print = `console.log(Object.keys(await import('agent-supervisor${path}')).sort().join())`;
      const result = await run(['node', '--input-type=module', '-e', print], home, node24Env());
      assert.deepEqual(result, {
        code: 0,
        stdout: `${Object.keys(source).toSorted().join()}\n`,
        stderr: '',
      });
    });
  }

  test('has types that a strict program compiles against', async () => {
    const uses = exported.map((path, at) => `import * as m${at} from 'agent-supervisor${path}';`);
    const wrong = `const day: number = m0.isoTime(m0.at(0));`;
    await writeFile(
      join(home, 'uses.ts'),
      [...uses, wrong, 'export { m1, m2, m3, day };'].join('\n'),
    );
    const tsc = join(checkout, 'node_modules/.bin/tsc');
    const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024'];
    const result = await run(['node', tsc, ...flags, 'uses.ts'], home, node24Env());
    assert.match(result.stdout, /^uses\.ts\(5,7\): error TS2322: [^\n]*\n$/);
  });

  describe('runs the program of the guide', () => {
    const guide = parse(
      'library.md',
      readFileSync(join(checkout, 'docs/guide/library.md'), 'utf8'),
    );
    const program = guide.blocks.find(({ text }) => text.startsWith('// run-task.ts\n'));
    const type = async (...words: readonly string[]): Promise<ShellResult> => {
      await writeFile(join(home, 'run-task.ts'), program?.text ?? assert.fail('no program'));
      await using state = await emptyFolder();
      const env = { ...node24Env(), SUPERVISOR_HOME: state.path };
      return await run(['node', 'run-task.ts', ...words], home, env);
    };

    test('to the end of a run', async () => {
      const { code, stdout, stderr } = await type('write a haiku');
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^state: queued\nstate: preparing\nstate: running\n/);
      assert.match(stdout, /\nstate: unverified\n[0-9a-f]{10} unverified null\n$/);
    });

    test('with the code of a run that fails, and of a request that is refused', async () => {
      const failed = await type('x', 'scripted:crashes');
      assert.equal(failed.code, 1, failed.stdout);
      assert.match(failed.stderr, /^attempt\.crashed: scripted:crashes: /);
      const refused = await type('x', 'nobody');
      assert.deepEqual([refused.code, refused.stdout], [2, '']);
      assert.match(refused.stderr, /^agent\.unknown: There is no agent "nobody" here\. Use one of/);
      const own = join(home, '.supervisor');
      await mkdir(own);
      await writeFile(join(own, 'config.yaml'), 'attempt: { grace: 2s }\n');
      const untrusted = await type('x');
      await rm(own, { recursive: true });
      assert.match(untrusted.stderr, /^project\.untrusted: /);
      assert.equal(untrusted.code, 3, 'as on the command line');
    });

    test('as a strict TypeScript program', async () => {
      const tsc = join(checkout, 'node_modules/.bin/tsc');
      const types = ['--typeRoots', join(checkout, 'node_modules/@types'), '--types', 'node'];
      const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024'];
      const checked = await run(
        ['node', tsc, ...flags, ...types, 'run-task.ts'],
        home,
        node24Env(),
      );
      assert.deepEqual([checked.code, checked.stdout], [0, '']);
    });
  });

  test('prints one sentence with the remedy on an older Node', async (t) => {
    const node = systemNode();
    if (node === undefined) return t.skip('no Node in PATH but our own');
    const version = (await run([node, '--version'], home)).stdout.trim().slice(1);
    if (Number.parseInt(version) >= 24) return t.skip(`the Node in PATH is ${version}`);
    const door = join(home, 'node_modules/.bin/supervisor');
    const program = await realpath(door);
    assert.deepEqual(await run([node, door, 'run', "don't stop"], home), {
      code: 1,
      stdout: '',
      stderr: `supervisor needs Node 24 or newer and this is Node ${version}; type: npx -p node@24 node ${program} run 'don'\\''t stop'\n`,
    });
  });
});
