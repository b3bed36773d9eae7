/** `supervisor init` in a new repository: what it finds, writes, trusts and proves. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { CliHarness } from './cli-process-harness.ts';
import { openTerminal, terminalTool } from './real-terminal.ts';

type Files = Readonly<Record<string, string>>;

async function write(root: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

type Seat = AsyncDisposable & {
  readonly harness: CliHarness;
  readonly env: NodeJS.ProcessEnv;
  readonly config: string;
};

/** A repository, and a machine with claude, which has a key, and codex, which has none. */
async function seat(files: Files): Promise<Seat> {
  const harness = await CliHarness.create();
  const bin = join(harness.dir, 'bin');
  await write(bin, { claude: '#!/bin/sh\necho 2.1.325\n', codex: '#!/bin/sh\necho 0.166.0\n' });
  for (const name of ['claude', 'codex']) await chmod(join(bin, name), 0o755);
  execFileSync('git', ['init', '--quiet'], { cwd: harness.project });
  await write(harness.project, files);
  return {
    harness,
    env: {
      PATH: [bin, process.env['PATH']].join(delimiter),
      HOME: harness.dir,
      ANTHROPIC_API_KEY: 'sk-test',
    },
    config: join(harness.project, '.supervisor/config.yaml'),
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

const NODE: Files = {
  '.gitignore': 'node_modules/\n',
  'package.json': '{"scripts":{"test":"node --test","lint":"true"},"dependencies":{"a":"1"}}',
  'package-lock.json': '{}',
};

describe('supervisor init', { timeout: 300_000 }, () => {
  test('finds agents, setup and gates, and writes them only on request', async () => {
    await using at = await seat(NODE);
    const { harness, env, config } = at;
    const shown = await harness.run(['init'], { env });
    assert.equal(shown.code, 2, shown.stderr);
    assert.match(shown.stdout, /^Agents {3}claude +2\.1\.325, with ANTHROPIC_API_KEY$/m);
    assert.match(shown.stdout, /codex +not used: no login found.*\(codex login\)/);
    assert.match(shown.stdout, /^Setup {4}npm ci$/m);
    assert.match(shown.stdout, /^Gates {4}test +npm test +the script test in package\.json$/m);
    assert.match(shown.stdout, /Nothing was written\. To write this, add --yes\./);
    const dry = await harness.run(['init', '--dry-run'], { env });
    assert.equal(dry.code, 0);
    assert.match(dry.stdout, /^default_agent: claude$/m);
    assert.ok(!existsSync(config));

    const written = await harness.run(['init', '--yes', '--no-prove', '--json'], { env });
    assert.equal(written.code, 0, written.stderr);
    const { agents, chain, setup, gates, files, trusted, checks, exit_code } = JSON.parse(
      written.stdout,
    ) as Readonly<Record<string, unknown>> & { readonly agents: readonly { id: string }[] };
    assert.deepEqual(
      agents.map(({ id }) => id),
      ['claude', 'codex', 'gemini', 'copilot', 'opencode'],
    );
    assert.deepEqual(
      { chain, setup, gates, files, trusted, checks, exit_code },
      {
        chain: ['claude'],
        setup: { command: ['npm', 'ci'], inputs: ['package-lock.json'], network: ['registry'] },
        gates: [
          { name: 'test', command: ['npm', 'test'], why: 'the script test in package.json' },
          { name: 'lint', command: ['npm', 'run', 'lint'], why: 'the script lint in package.json' },
        ],
        files: [{ path: '.supervisor/config.yaml', what: 'created' }],
        trusted: true,
        checks: [],
        exit_code: 0,
      },
    );
    assert.equal((await harness.run(['trust', '--show'])).code, 0);

    await writeFile(config, '# mine\n');
    const again = await harness.run(['init', '--yes', '--no-prove'], { env });
    assert.match(again.stdout, /= \.supervisor\/config\.yaml \(exists, not changed\)/);
    assert.match(again.stdout, /Some of these files are not trusted yet\./);
    assert.equal(await readFile(config, 'utf8'), '# mine\n');
    const unknown = await harness.run(['init', '--packs', 'cli,nope'], { env });
    assert.deepEqual(
      [unknown.code, unknown.stderr.split('\n')[0]],
      [2, 'error: There is no role pack "nope".'],
    );
  });

  const missing = which('bwrap', process.env) === undefined && process.env['CI'] === undefined;

  test(
    'runs setup and gates once on the base, and a run finds the result of the setup',
    { skip: missing ? 'missing: bwrap' : false },
    async () => {
      await using at = await seat({
        '.gitignore': 'made\n',
        'value.txt': '3\n',
        '.supervisor/config.yaml': `agents: [{id: mine, cli: custom, command: [sh, -c, "echo 4 >value.txt"]}]
setup: {command: [sh, -c, "echo made >made"]}
gates:
  - {name: made, command: [grep, made, made]}
  - {name: value, command: [grep, "4", value.txt]}
`,
      });
      const { harness, env } = at;
      const { stdout: hash } = await harness.run(['trust', '--show', '--json'], { env });
      await harness.run(['trust', '--hash', (JSON.parse(hash) as { hash: string }).hash], { env });
      const { code, stdout, stderr } = await harness.run(['init', '--yes'], { env });
      assert.equal(code, 3, stderr);
      assert.match(stdout, /^✔ setup {2}sh -c echo made >made {2}[\d.]+s {2}made made$/m);
      assert.match(stdout, /^✔ gate made {2}grep made made {2}[\d.]+s$/m);
      assert.match(stdout, /^✖ gate value {2}grep 4 value\.txt {2}[\d.]+s {2}exit code 1$/m);
      assert.match(stdout, /Not everything is green\./);
      assert.deepEqual(await harness.json(['status', '--all']), []);

      const run = await harness.run(['run', 'make it four', '--agent', 'mine'], { env });
      assert.equal(run.code, 0, run.stdout);
      assert.match(run.stdout, /made: made before/);
      await writeFile(join(harness.project, 'value.txt'), '4\n');
      const green = await harness.run(['init', '--yes', '--json'], { env });
      assert.equal(green.code, 0, green.stdout);
      const { checks } = JSON.parse(green.stdout) as {
        checks: readonly { name: string; state: string }[];
      };
      assert.deepEqual(
        checks.map(({ name, state }) => `${name} ${state}`),
        ['setup passed', 'made passed', 'value passed'],
      );
    },
  );

  test('at a terminal, shows the file and writes it after a yes', async (t) => {
    const script = terminalTool(t);
    if (script === undefined) return;
    await using at = await seat({ 'README.md': 'nothing to test\n' });
    const { harness, env, config } = at;
    const asked = { ...env, CI: undefined, TERM: 'xterm' };
    const terminal = openTerminal(harness, script, ['init'], asked);
    await terminal.shows(/default_agent: claude[\s\S]*Write this to[\s\S]*Cancel/);
    terminal.child.stdin?.write('\r');
    await terminal.shows(/Add role packs\?[\s\S]*Trading/);
    terminal.child.stdin?.write('\r');
    const { code, stdout } = await terminal.ended;
    assert.equal(code, 0, stdout);
    assert.match(stdout, /You trust \.supervisor as it is now/);
    assert.match(await readFile(config, 'utf8'), /^default_agent: claude$/m);
    assert.ok(!existsSync(join(harness.project, '.supervisor/roles')));

    const canceled = openTerminal(harness, script, ['init'], asked);
    await canceled.shows(/exists\. Replace it with this\?[\s\S]*Cancel/);
    canceled.child.stdin?.write('\u0003');
    const end = await canceled.ended;
    assert.equal(end.code, 130, end.stdout);
    assert.match(end.stdout, /Nothing was written\./);
  });
});
