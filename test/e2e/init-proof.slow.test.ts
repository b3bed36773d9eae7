/** `supervisor init` runs the setup and the gates of a project once, in the sandbox. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { trustProject } from '../support/trust-project.ts';
import { newRepository } from './new-repository.ts';

const missing = which('bwrap', process.env) === undefined && process.env['CI'] === undefined;

describe('the proof of supervisor init', { timeout: 600_000 }, () => {
  test(
    'runs setup and gates once on the base, and a run finds the result of the setup',
    { skip: missing ? 'missing: bwrap' : false },
    async () => {
      await using at = await newRepository({
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
      await trustProject(harness.home.dir, harness.project);
      const { code, stdout, stderr } = await harness.run(['init', '--yes'], { env });
      assert.equal(code, 3, stderr);
      assert.match(stdout, /^✔ setup {2}echo made >made {2}[\d.]+s {2}made made$/m);
      assert.match(stdout, /^✔ gate made {2}grep made made {2}[\d.]+s$/m);
      assert.match(stdout, /^✖ gate value {2}grep 4 value\.txt {2}[\d.]+s {2}exit code 1$/m);
      assert.match(stdout, /Not everything is green\./);
      assert.match(stdout, /Start a run with: supervisor run "fix the failing value"/);
      assert.deepEqual(await harness.runs('--all'), []);

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

      const broken = 'setup: {command: ["false"]}\ngates: [{name: a, command: ["true"]}]\n';
      await writeFile(at.config, broken);
      await trustProject(harness.home.dir, harness.project);
      const red = await harness.run(['init', '--yes'], { env });
      assert.equal(red.code, 3, red.stdout);
      assert.match(
        red.stdout,
        /^✖ setup {2}false {2}[\d.]+s {2}the setup, false, ended with code 1$/m,
      );
      assert.match(red.stdout, /^– gate a {2}true {2}the setup is not ready$/m);
      assert.match(
        red.stdout,
        /The setup is red, so a run would be blocked before any agent starts\.\n.*\nThen try it again: supervisor trust && supervisor init\n$/,
      );
    },
  );

  test('names the missing sandbox, and blames no gate, if none works here', async () => {
    await using at = await newRepository({
      'package.json': '{"scripts":{"test":"true"}}',
    });
    const { harness, env } = at;
    await mkdir(harness.home.dir, { recursive: true, mode: 0o700 });
    await writeFile(join(harness.home.dir, 'config.yaml'), 'sandbox: {backend: none}\n');

    const { code, stdout } = await harness.run(['init', '--yes'], { env });
    assert.equal(code, 1, stdout);
    assert.match(stdout, /^\+ \.supervisor\/config\.yaml$/m);
    assert.match(
      stdout,
      /\nNeither the setup nor a gate was tried\. No sandbox holds on this machine.*\n.*supervisor doctor.*\nThen try it again: supervisor init\n$/,
    );
    const asked = await harness.run(['init', '--yes', '--json'], { env });
    const document = JSON.parse(asked.stdout) as {
      error: { code: string };
      checks: readonly unknown[];
    };
    assert.deepEqual([document.error.code, document.checks], ['sandbox.unavailable', []]);

    const run = await harness.run(['run', 'x', '--agent', 'scripted', '--json'], { env });
    const { error } = JSON.parse(run.stdout) as { error: { code: string } };
    assert.deepEqual([run.code, error.code], [1, 'sandbox.unavailable']);
    assert.deepEqual(await harness.runs('--all'), []);
  });
});
