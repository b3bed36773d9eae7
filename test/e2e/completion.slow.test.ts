/** The scripts of `supervisor completion`, loaded into the real shells. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { CliHarness } from './cli-process-harness.ts';
import { shellLine } from './real-terminal.ts';
import { run } from './shell.ts';
import { whichSync } from './which.ts';

/** Undefined, with the test skipped, if this machine does not have the shell. */
function shell(t: TestContext, name: string): string | undefined {
  const path = whichSync(name);
  if (path === undefined) t.skip(`no ${name} here`);
  return path;
}

/** The environment of a user who has installed the command. */
async function installed(harness: CliHarness): Promise<NodeJS.ProcessEnv> {
  const bin = join(harness.dir, 'bin');
  await mkdir(bin);
  const script = `#!/bin/sh\nexec ${shellLine(harness.argv([]))} "$@"\n`;
  await writeFile(join(bin, 'supervisor'), script, { mode: 0o755 });
  await writeFile(join(harness.project, 'my file.txt'), '');
  const path = harness.env()['PATH'] ?? '';
  return harness.env({ HOME: harness.dir, PATH: [bin, path].join(delimiter) });
}

/** Readline gives the words to the function as it splits them: also at `:` and `=`. */
const IN_BASH = `
source <(supervisor completion bash)
offer() {
  COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
  _supervisor_completion
  (IFS='|'; echo "\${COMPREPLY[*]}")
}
offer supervisor ru
offer supervisor run --agent = co
offer supervisor run --project ''
offer supervisor run --project = my
offer supervisor logs ''
complete -p supervisor
`;

describe('completion', { timeout: 300_000 }, () => {
  test('works in bash, with the ids of runs', async (t) => {
    const bash = shell(t, 'bash');
    if (bash === undefined) return;
    await using harness = await CliHarness.create();
    const env = await installed(harness);
    const task = ['run', 'a haiku', '--agent', 'scripted', '--detach'];
    const id = (await harness.run(task)).stdout.trim();
    const { stdout, stderr } = await run([bash, '-c', IN_BASH], harness.project, env);
    assert.equal(stderr, '');
    const [commands, agent, files, named, runs, registered] = stdout.split('\n');
    assert.deepEqual([commands, agent], ['run|runs', 'codex|copilot']);
    assert.ok(files?.split('|').includes('my file.txt'), files);
    assert.equal(named, 'my file.txt');
    assert.equal(runs, id);
    assert.equal(registered, 'complete -F _supervisor_completion supervisor');
  });

  test('works in fish', async (t) => {
    const fish = shell(t, 'fish');
    if (fish === undefined) return;
    await using harness = await CliHarness.create();
    const env = await installed(harness);
    const script = `supervisor completion fish | source
complete -C 'supervisor ru'
complete -C 'supervisor run --agent=co'
complete -C 'supervisor run --project my'`;
    const { stdout } = await run([fish, '--no-config', '-c', script], harness.project, env);
    const words = stdout.split('\n').map((line) => line.split('\t')[0]);
    assert.deepEqual(words, ['run', 'runs', '--agent=codex', '--agent=copilot', 'my file.txt', '']);
  });

  test('works in zsh', async (t) => {
    const zsh = shell(t, 'zsh');
    if (zsh === undefined) return;
    await using harness = await CliHarness.create();
    const env = await installed(harness);
    // The two functions that show candidates print them instead.
    const script = `autoload -U compinit; compinit -u -D; source <(supervisor completion zsh)
_describe() { print -rl -- $candidates }
_files() { print files }
compset() { :; }
offer() { words=("$@"); CURRENT=$#; _supervisor }
offer supervisor ru
offer supervisor run --agent=co
offer supervisor run --project ''
print $_comps[supervisor]`;
    const { stdout, stderr } = await run([zsh, '-f', '-c', script], harness.project, env);
    assert.equal(stderr, '');
    assert.deepEqual(
      stdout.split('\n').map((line) => line.split(':')[0]),
      ['run', 'runs', '--agent=codex', '--agent=copilot', 'files', '_supervisor', ''],
    );
  });
});
