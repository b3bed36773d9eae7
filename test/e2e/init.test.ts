/** `supervisor init` in a new repository: what it finds, writes and trusts. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { DoctorDocument } from '../../src/public-json/machine-documents.ts';
import { InitDocument } from '../../src/public-json/project-documents.ts';
import { newRepository } from './new-repository.ts';
import type { Files } from './new-repository.ts';
import { openTerminal, terminalTool } from './real-terminal.ts';

const NODE: Files = {
  '.gitignore': 'node_modules/\n',
  'package.json': '{"scripts":{"test":"node --test","lint":"true"},"dependencies":{"a":"1"}}',
  'package-lock.json': '{}',
};

describe('supervisor init', { timeout: 300_000 }, () => {
  test('finds agents, setup and gates, and writes them only on request', async () => {
    await using at = await newRepository(NODE);
    const { harness, env, config } = at;
    const shown = await harness.run(['init'], { env });
    assert.equal(shown.code, 2, shown.stderr);
    assert.match(shown.stdout, /^ {9}claude +2\.1\.325, with ANTHROPIC_API_KEY$/m);
    assert.match(
      shown.stdout,
      /^Agents {3}codex +not used: no login found.*\. Fix it with: codex login$/m,
    );
    assert.match(shown.stdout, /^Setup {4}npm ci$/m);
    assert.match(shown.stdout, /^Gates {4}test +npm test +the script test in package\.json$/m);
    assert.match(shown.stdout, /Nothing was written\. To write this, add --yes\./);
    const dry = await harness.run(['init', '--dry-run'], { env });
    assert.equal(dry.code, 0);
    assert.match(dry.stdout, /^default_agent: claude$/m);
    assert.ok(!existsSync(config));

    const written = await harness.run(['init', '--yes', '--no-prove', '--json'], { env });
    assert.equal(written.code, 0, written.stderr);
    const found = InitDocument.parse(JSON.parse(written.stdout));
    const { agents, chain, setup, gates, files, trusted, checks, exit_code } = found;
    assert.deepEqual(
      agents.map(({ id }) => id),
      ['codex', 'claude', 'gemini', 'copilot', 'opencode'],
    );
    assert.deepEqual(
      { chain, setup, gates, files, trusted, checks, exit_code },
      {
        chain: ['claude'],
        setup: { command: ['npm', 'ci'], inputs: ['package-lock.json'], network: ['registry'] },
        gates: [
          { name: 'test', command: ['npm', 'test'], reason: 'the script test in package.json' },
          {
            name: 'lint',
            command: ['npm', 'run', 'lint'],
            reason: 'the script lint in package.json',
          },
        ],
        files: [{ path: '.supervisor/config.yaml', state: 'created' }],
        trusted: true,
        checks: [],
        exit_code: 0,
      },
    );
    assert.equal((await harness.run(['trust', '--show'])).code, 0);

    await writeFile(config, '# mine\n');
    const again = await harness.run(['init', '--yes', '--no-prove'], { env });
    assert.equal(again.code, 3, again.stderr);
    assert.match(again.stdout, /= \.supervisor\/config\.yaml \(exists, not changed\)/);
    assert.match(again.stdout, /Some of these files are not trusted yet\./);
    assert.equal(await readFile(config, 'utf8'), '# mine\n');
    const unknown = await harness.run(['init', '--packs', 'cli,nope'], { env });
    assert.deepEqual(
      [unknown.code, unknown.stderr.split('\n')[0]],
      [2, 'error: There is no role pack "nope".'],
    );
  });

  test('writes a file that fits the settings of the user, with the agent that a run prefers', async () => {
    await using at = await newRepository(NODE);
    const { harness } = at;
    const env = { ...at.env, OPENAI_API_KEY: 'sk-test' };
    const own = 'gates: [{name: test, command: [make, test]}]\n';
    await writeFile(join(harness.home.dir, 'config.yaml'), own);
    const written = await harness.run(['init', '--yes', '--no-prove'], { env });
    assert.equal(written.code, 0, written.stderr);
    const config = await harness.run(['config', '--json'], { env });
    assert.equal(config.code, 0, config.stderr);
    const text = await readFile(at.config, 'utf8');
    assert.match(text, /^default_agent: codex$/m);
    assert.match(text, /^ {2}fallbacks: \{codex: claude\}$/m);
    assert.match(text, /name: test project\b/);

    const claudeFirst = text.replace('agent: codex', 'agent: claude');
    await writeFile(at.config, claudeFirst.replace('{codex: claude}', '{claude: codex}'));
    const again = await harness.run(['init', '--dry-run', '--json'], { env });
    const { chain, config: proposed } = InitDocument.parse(JSON.parse(again.stdout));
    assert.deepEqual(chain, ['claude', 'codex'], 'the file names claude first');
    assert.equal(proposed, await readFile(at.config, 'utf8'));
    const shown = await harness.run(['init', '--dry-run'], { env });
    assert.match(shown.stdout, /^Nothing to change: \.supervisor\/config\.yaml has this text/m);
  });

  test('offers the agents of the settings of the user, and says which program is missing', async () => {
    await using at = await newRepository(NODE);
    const { harness, env } = at;
    const own = `default_agent: mine
agents:
  - {id: lost, cli: custom, command: [no-such-house-bot]}
  - {id: mine, cli: custom, command: [sh, -c, "true"]}
`;
    await writeFile(join(harness.home.dir, 'config.yaml'), own);
    const shown = await harness.run(['init', '--dry-run'], { env });
    assert.match(shown.stdout, /^Agents {3}mine +\/\S*sh, from your settings$/m);
    const lost = /^ {9}lost +not used: no-such-house-bot is not installed, or not in your PATH$/m;
    assert.match(shown.stdout, lost);
    const written = await harness.run(['init', '--yes', '--no-prove'], { env });
    assert.equal(written.code, 0, written.stderr);
    const text = await readFile(at.config, 'utf8');
    assert.match(text, /^# mine comes from the settings of the person who wrote this\./m);
    assert.match(text, /^default_agent: mine$/m);
    assert.match(text, /^ {2}fallbacks: \{mine: claude\}$/m);
    const config = await harness.run(['config', '--json'], { env });
    assert.equal(config.code, 0, config.stderr);

    const listed = await harness.run(['agents'], { env });
    assert.match(listed.stdout, /^mine +ok +\/\S*sh · from your settings$/m);
    assert.match(listed.stdout, /^lost +missing +no-such-house-bot is not installed/m);
    const doctor = await harness.run(['doctor', '--json'], { env });
    const { findings, ready_agents } = DoctorDocument.parse(JSON.parse(doctor.stdout));
    assert.ok(ready_agents.includes('mine'), doctor.stdout);
    const state = findings.find(({ id }) => id === 'lost')?.state;
    assert.equal(state, 'missing');
  });

  test('writes through no link of a repository', async () => {
    for (const link of ['.supervisor', '.supervisor/roles', '.supervisor/config.yaml']) {
      await using at = await newRepository(NODE);
      const { harness, env } = at;
      const outside = join(harness.dir, 'outside');
      await mkdir(outside);
      await mkdir(dirname(join(harness.project, link)), { recursive: true });
      const target = link.endsWith('.yaml') ? join(outside, 'config.yaml') : outside;
      await symlink(target, join(harness.project, link));
      const args = ['init', '--yes', '--no-prove', '--packs', 'cli'];
      const { code, stdout, stderr } = await harness.run(args, { env });
      assert.equal(code, 2, stdout);
      assert.match(stderr, /^error: .*\/project\/\.supervisor\S* is a symbolic link/);
      assert.deepEqual(await readdir(outside), []);
      if (link === '.supervisor/roles') assert.ok(!existsSync(at.config));
    }
  });

  test('refuses a home, the state of Supervisor and the whole disk', async () => {
    await using at = await newRepository({});
    const { harness, env } = at;
    const state = join(harness.dir, '.supervisor');
    const own = { ...env, SUPERVISOR_HOME: state };
    const elsewhere = { ...own, HOME: harness.project };
    for (const [folder, using, how] of [
      [harness.dir, own, '--yes'],
      [harness.dir, elsewhere, '--yes'],
      ['/', own, '--dry-run'],
    ] as const) {
      const args = ['init', how, '--no-prove', '--project', folder];
      const { code, stderr } = await harness.run(args, { env: using });
      assert.equal(code, 2, stderr);
      assert.match(stderr, /^error: \S+ is too broad to be a project: it (?:contains|is) /);
      assert.ok(!existsSync(join(state, 'config.yaml')));
    }
  });

  test('shows and keeps the values of a file that exists', async () => {
    await using at = await newRepository(NODE);
    const { harness, env, config } = at;
    const own =
      'version: 1\ngates:\n  - name: mine\n    command: [sh, own.sh]\n    allow_shell: true\n';
    await mkdir(dirname(config), { recursive: true });
    await writeFile(config, own);
    const shown = await harness.run(['init'], { env });
    assert.equal(shown.code, 2, shown.stderr);
    assert.match(shown.stdout, /^Gates {4}mine +sh own\.sh +in \.supervisor\/config\.yaml$/m);
    assert.match(shown.stdout, /^Setup {4}none needed/m);
    assert.match(
      shown.stdout,
      /config\.yaml exists and stays as it is\. To try its setup and its gates, add --yes\./,
    );
    const json = await harness.run(['init', '--yes', '--no-prove', '--json'], { env });
    const found = InitDocument.parse(JSON.parse(json.stdout));
    assert.deepEqual(
      [found.gates, found.setup, found.config],
      [
        [{ name: 'mine', command: ['sh', 'own.sh'], reason: 'in .supervisor/config.yaml' }],
        null,
        own,
      ],
    );

    await writeFile(config, 'version: 1\ngates:\n  - name: a\n    command: [npm, test\n');
    for (const words of [
      ['init', '--yes'],
      ['trust'],
      ['run', 'x', '--agent', 'scripted'],
      ['init'],
    ]) {
      const { code, stderr } = await harness.run(words, { env });
      assert.equal(code, 2, stderr);
      assert.match(stderr, /config\.yaml:4:14: the bracket \[ is never closed: add \]/);
    }
    const doctor = await harness.run(['doctor'], { env });
    assert.equal(doctor.code, 1, doctor.stdout);
    assert.match(
      doctor.stdout.replaceAll(/\s+/g, ' '),
      /config\.yaml:4:14: the bracket \[ is never closed/,
    );
  });

  test('refuses a bare repository', async () => {
    await using at = await newRepository(NODE);
    const { harness, env } = at;
    const bare = join(harness.project, '..', 'bare.git');
    execFileSync('git', ['init', '--quiet', '--bare', bare]);
    const { code, stderr } = await harness.run(['init', '--yes', '--project', bare], { env });
    assert.deepEqual([code, existsSync(join(bare, '.supervisor'))], [2, false], stderr);
    assert.match(stderr, /is a bare repository/);
  });

  test('at a terminal, offers only the role packs that fit', async (t) => {
    const script = terminalTool(t);
    if (script === undefined) return;
    await using at = await newRepository({ 'go.mod': 'module shop\n' });
    const { harness, env } = at;
    const asked = { ...env, CI: undefined, TERM: 'xterm' };
    const terminal = openTerminal(harness, script, ['init', '--no-prove'], asked);
    await terminal.shows(/Write this to[\s\S]*Cancel/);
    terminal.child.stdin?.write('\r');
    await terminal.shows(/Add role packs\?[\s\S]*fits: Go/);
    terminal.child.stdin?.write('\r');
    const { code, stdout } = await terminal.ended;
    assert.equal(code, 0, stdout);
    assert.doesNotMatch(stdout, /Trading/);
  });

  test('at a terminal, shows the file and writes it after a yes', async (t) => {
    const script = terminalTool(t);
    if (script === undefined) return;
    await using at = await newRepository({ 'README.md': 'nothing to test\n' });
    const { harness, env, config } = at;
    const asked = { ...env, CI: undefined, TERM: 'xterm' };
    const terminal = openTerminal(harness, script, ['init'], asked);
    await terminal.shows(/default_agent: claude[\s\S]*Write this to[\s\S]*Cancel/);
    terminal.child.stdin?.write('\r');
    const { code, stdout } = await terminal.ended;
    assert.equal(code, 0, stdout);
    assert.doesNotMatch(stdout, /role packs/, 'no pack fits this project');
    assert.match(stdout, /You trust \.supervisor as it is now/);
    assert.match(await readFile(config, 'utf8'), /^default_agent: claude$/m);
    assert.ok(!existsSync(join(harness.project, '.supervisor/roles')));

    const again = openTerminal(harness, script, ['init'], asked);
    const same = await again.ended;
    assert.equal(same.code, 0, same.stdout);
    assert.match(same.stdout, /Nothing to change:/);
    assert.doesNotMatch(same.stdout, /Replace it|role packs|run once/);

    await appendFile(config, '# mine\n');
    const canceled = openTerminal(harness, script, ['init'], asked);
    await canceled.shows(/exists\. Replace it with this\?[\s\S]*Cancel/);
    canceled.child.stdin?.write('\u0003');
    const end = await canceled.ended;
    assert.equal(end.code, 130, end.stdout);
    assert.match(end.stdout, /Nothing was written\./);
  });
});
