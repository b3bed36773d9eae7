/** A gate that needs dependencies which git ignores: the user hears of it before any agent is paid. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { CliHarness } from './cli-process-harness.ts';
import { openTerminal, terminalTool } from './real-terminal.ts';

const ENTER = '\r';
const DOWN = '\u001B[B';
const RUN = ['run', 'fix it', '--agent', 'mine', '--gate', 'npm test'];
const LINES =
  'setup:\n  command: [npm, ci]\n  inputs: [package-lock.json]\n  network: [registry]\n';
/** Linux has no such sandbox, so no run of these tests gets further than the checks before it. */
const CONFIG = 'agents: [{id: mine, cli: custom, command: [sh]}]\nsandbox: {backend: seatbelt}\n';
/** The run got past the check of its setup: the next check refused it. */
const PAST_IT = /error: .*seatbelt/;

async function create(): Promise<CliHarness> {
  const harness = await CliHarness.create(CONFIG);
  execFileSync('git', ['init', '--quiet'], { cwd: harness.project });
  await mkdir(join(harness.project, 'node_modules'));
  const files = {
    '.gitignore': 'node_modules/\n',
    'node_modules/a.js': '',
    'package.json': '{"scripts":{"test":"node a.js"},"devDependencies":{"a":"1"}}',
    'package-lock.json': '{}',
  };
  for (const [path, text] of Object.entries(files))
    await writeFile(join(harness.project, path), text);
  return harness;
}

describe('a run whose gate lacks its dependencies', { timeout: 300_000 }, () => {
  test('is refused without a terminal, and starts with the lines or with the flag', async () => {
    await using harness = await create();
    const { code, stderr } = await harness.run(RUN);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /The gate "npm test" needs node_modules, which git ignores/);
    assert.ok(stderr.endsWith(LINES), stderr);
    assert.deepEqual(await harness.runs('--all'), []);

    const checked = await harness.run([...RUN, '--preflight-only']);
    assert.match(checked.stdout, /! setup +not checked yet: gate npm test may need node_modules/);

    const without = await harness.run([...RUN, '--without-setup']);
    assert.match(without.stderr, PAST_IT);
    assert.doesNotMatch(without.stderr, /node_modules/);

    await harness.configure(CONFIG + LINES);
    const withLines = await harness.run(RUN);
    assert.match(withLines.stderr, PAST_IT);
    assert.doesNotMatch(withLines.stderr, /node_modules/);
  });

  test('at a terminal, can be canceled, continue without a setup, or get one', async (t) => {
    const script = terminalTool(t);
    if (script === undefined) return;
    await using harness = await create();
    const answer = async (keys: string): Promise<string> => {
      const terminal = openTerminal(harness, script, RUN, { CI: undefined, TERM: 'xterm' });
      await terminal.shows(/Use this setup\?[\s\S]*Cancel/);
      terminal.child.stdin?.write(keys);
      return (await terminal.ended).stdout;
    };
    const config = join(harness.project, '.supervisor/config.yaml');

    assert.match(
      await answer(`${DOWN}${DOWN}${ENTER}`),
      /Canceled\. Nothing was written or started\./,
    );
    assert.match(await answer(`${DOWN}${ENTER}`), PAST_IT);
    await assert.rejects(readFile(config), /ENOENT/);

    const added = await answer(ENTER);
    assert.match(added, /The setup is in \.supervisor\/config\.yaml\. You trust it as it is now\./);
    assert.match(added, PAST_IT);
    assert.ok((await readFile(config, 'utf8')).endsWith(LINES));
    assert.equal((await harness.run(['trust', '--show'])).code, 0);
  });
});
