/**
 * Programs, start-up files and variables that act as traps in a project, a tree and an agent's
 * environment.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ContextCache } from '../../src/context/context-cache.ts';
import { openProject } from '../../src/context/open-project.ts';
import { which } from '../../src/host/process/which.ts';
import { resultOf, SandboxedHarness } from '../real/sandboxed-harness.ts';

const missing = ['bwrap', 'npm', 'python3'].filter(
  (name) => which(name, process.env) === undefined,
);
const skip =
  missing.length > 0 && process.env['CI'] === undefined ? `missing: ${missing.join(', ')}` : false;

const TOOLS =
  'git bwrap setpriv sh bash env node npm python3 ps docker mkfifo socat cat sleep'.split(' ');
const FOLDERS = ['.', 'bin', 'node_modules/.bin'];

async function write(path: string, text: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await chmod(path, mode);
}

/**
 * Each of these, if it runs outside a sandbox, leaves a file in `marks`, which no sandbox shows.
 */
async function plant(folder: string, marks: string): Promise<void> {
  const touch = (what: string): string => `touch ${marks}/${what}-$$ 2>/dev/null`;
  for (const where of FOLDERS)
    for (const tool of TOOLS)
      await write(join(folder, where, tool), `#!/bin/sh\n${touch(tool)}\nexit 1\n`, 0o755);
  await write(join(folder, 'trap.sh'), `${touch('shell')}\n`, 0o755);
  await write(join(folder, '.bashrc'), `${touch('bashrc')}\n`);
  await write(join(folder, '.profile'), `${touch('profile')}\n`);
  const node = `require('node:fs').writeFileSync('${marks}/node-' + process.pid, '');\n`;
  await write(join(folder, 'trap.cjs'), node);
  const python = `open('${marks}/python', 'w')\n`;
  await write(join(folder, 'sitecustomize.py'), python);
  await write(
    join(folder, '.npmrc'),
    `script-shell=${folder}/trap.sh\nnode-options=--require=${folder}/trap.cjs\n`,
  );
}

/** Variables that make programs run other programs. */
function variables(folder: string): Record<string, string> {
  return {
    BASH_ENV: join(folder, 'trap.sh'),
    ENV: join(folder, 'trap.sh'),
    LD_PRELOAD: join(folder, 'trap.so'),
    NODE_OPTIONS: `--require=${join(folder, 'trap.cjs')}`,
    PYTHONPATH: folder,
    npm_config_script_shell: join(folder, 'trap.sh'),
    GIT_EXEC_PATH: join(folder, 'bin'),
    GIT_SSH_COMMAND: join(folder, 'trap.sh'),
  };
}

test(
  'case 38: no trap in a project or a tree runs outside the sandbox',
  { skip, timeout: 300_000 },
  async () => {
    const here = process.cwd();
    const path = process.env['PATH'];
    await using at = await SandboxedHarness.create({ path: ['', ...FOLDERS] });
    const marks = join(at.root, 'marks');
    await mkdir(marks, { mode: 0o777 });
    await chmod(marks, 0o777);
    await plant(at.project, marks);
    at.git('add', '--all', '--force');
    at.git('commit', '--quiet', '-m', 'traps');
    // The agent sets the same traps in its own tree and home, and its environment leads to them.
    const spread = 'cp -r . "$HOME" 2>/dev/null; /bin/echo worked >done.txt';
    const env = variables(at.project);
    const mine = { id: 'mine', cli: 'custom', command: ['/bin/sh', '-c', spread], env };
    await writeFile(
      join(at.home, 'config.yaml'),
      JSON.stringify({
        agents: [mine],
        setup: { command: ['/bin/true'], network: ['registry'] },
        gates: [{ name: 'check', command: ['/bin/grep', '-q', 'worked', 'done.txt'] }],
      }),
    );
    try {
      // Supervisor is started in the project, as a user would start it, with a common PATH.
      process.chdir(at.project);
      process.env['PATH'] = `:./node_modules/.bin:bin:.:${path}`;
      assert.equal(
        spawnSync('git', ['--version'], { cwd: at.project }).status,
        1,
        'no trap at all',
      );
      assert.equal((await readdir(marks)).length, 1);
      await rm(marks, { recursive: true });
      await mkdir(marks);
      await chmod(marks, 0o777);

      const run = await at.submit('mine', { once: true });
      const facts = await at.factsOf(run);
      assert.equal(resultOf(facts)['kind'], 'completed', JSON.stringify(facts.at(-1)));
      const end = facts.at(-1);
      assert.equal(end?.type === 'run.ended' && end.payload.outcome.kind, 'succeeded');
      await at.client.diff(run);
      await at.client.apply(run);
      await at.type('doctor');
      await openProject(at.project, new ContextCache());
    } finally {
      process.chdir(here);
      process.env['PATH'] = path;
    }
    assert.deepEqual(await readdir(marks), []);
  },
);
