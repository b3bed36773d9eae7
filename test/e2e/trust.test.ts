/** `supervisor trust` as it is typed, without a terminal. */
import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import type { InProcessCli, CommandOutput } from '../support/cli-harness.ts';
import { TrustDocument, TrustedDocument } from '../../src/public-json/project-documents.ts';
import { inProcessCli } from '../support/cli-harness.ts';

async function write(harness: InProcessCli, path: string, text: string): Promise<void> {
  const full = join(harness.project, '.supervisor', path);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, text);
}

function hashIn({ err }: CommandOutput): string {
  return /^hash ([0-9a-f]{64})$/m.exec(err)?.[1] ?? assert.fail(err);
}

describe('supervisor trust', { timeout: 300_000 }, () => {
  test('shows what would be trusted, and trusts exactly that by its hash', async () => {
    await using harness = await inProcessCli();
    await write(harness, 'config.yaml', 'attempt: {grace: 1s}\n');
    const asked = await harness.say(['trust']);
    assert.equal(asked.code, 3);
    assert.match(asked.err, /\+ \.supervisor\/config\.yaml\n/);
    assert.match(asked.err, /^\+attempt: \{grace: 1s\}$/m);
    const command = /run: supervisor trust (\S+) --hash ([0-9a-f]{64})$/m.exec(asked.err);
    assert.deepEqual([command?.[1], command?.[2]], [harness.project, hashIn(asked)]);
    const wrong = await harness.say(['trust', '--hash', '0'.repeat(64)]);
    assert.deepEqual([wrong.code, wrong.out], [3, '']);
    assert.equal((await harness.say(['trust', '--hash', hashIn(asked)])).code, 0);
    assert.equal((await harness.say(['config'])).code, 0);
    const { out } = await harness.say(['trust', '--list', '--json']);
    assert.equal(TrustedDocument.parse(JSON.parse(out)).projects.length, 1);
  });

  test('shows the difference after a change, with control characters made visible', async () => {
    await using harness = await inProcessCli();
    await write(harness, 'config.yaml', 'attempt: {grace: 1s}\n');
    await harness.say(['trust', '--hash', hashIn(await harness.say(['trust', '--show']))]);
    await write(harness, 'config.yaml', 'attempt: {grace: 2s} # \u001B[2J\u202E\n');
    await write(harness, 'roles/x.yaml', 'description: d\n');
    await chmod(join(harness.project, '.supervisor/roles/x.yaml'), 0o755);
    const shown = await harness.say(['trust', '--show']);
    assert.equal(shown.code, 3);
    assert.match(shown.err, /~ \.supervisor\/config\.yaml\n/);
    assert.match(shown.err, /^-attempt: \{grace: 1s\}$/m);
    assert.match(shown.err, /^\+attempt: \{grace: 2s\} # \\x1b\[2J\\u202e$/m);
    assert.match(shown.err, /\+ \.supervisor\/roles\/x\.yaml/);
    const { out } = await harness.say(['trust', '--show', '--json']);
    const { state, changes } = TrustDocument.parse(JSON.parse(out));
    assert.deepEqual(
      [state, changes?.map(({ path }) => path)],
      ['changed', ['config.yaml', 'roles', 'roles/x.yaml']],
    );
  });

  test('refuses broken settings, with file, line and key, and trusts nothing', async () => {
    await using harness = await inProcessCli();
    const file = join(harness.project, '.supervisor/config.yaml');
    const texts = [
      ['attempt: {grace: 1s}\ngatez: []\n', `${file}:2:1: unknown key "gatez"`],
      ['gates: [\n', `${file}:`],
      ['owner: {idle_exit: 1h}\n', `${file}:1:20: owner.idle_exit: a project may not set this`],
    ] as const;
    for (const [text, problem] of texts) {
      await write(harness, 'config.yaml', text);
      const hash = hashIn(await harness.say(['trust', '--show']));
      for (const asked of [['trust'], ['trust', '--hash', hash]]) {
        const { code, out, err } = await harness.say(asked);
        assert.deepEqual([code, out], [2, ''], err);
        assert.ok(err.includes(`error: ${problem}`), err);
        assert.match(err, /^Nothing was trusted\./m);
      }
      assert.equal((await harness.say(['trust', '--list'])).out, 'No project is trusted.\n');
    }
  });

  test('revokes trust', async () => {
    await using harness = await inProcessCli();
    await write(harness, 'config.yaml', '');
    await harness.say(['trust', '--hash', hashIn(await harness.say(['trust', '--show']))]);
    assert.match((await harness.say(['trust', '--revoke'])).out, /no longer trusted/);
    assert.equal((await harness.say(['config'])).code, 3);
    assert.match((await harness.say(['trust', '--list'])).out, /No project is trusted/);
  });

  test('has nothing to do in a project without files of its own', async () => {
    await using harness = await inProcessCli();
    const result = await harness.say(['trust']);
    assert.equal(result.code, 0);
    assert.match(result.out, /nothing to trust/);
  });

  const commands: readonly (readonly string[])[] = [
    ['run', 'x', '--agent', 'scripted'],
    ['run', 'x', '--agent', 'scripted', '--detach'],
    ['plan', 'x'],
    ['spawn', 'x', '--agent', 'scripted'],
    ['roles'],
    ['roles', 'show', 'planner'],
    ['roles', 'validate'],
    ['workflow'],
    ['workflow', 'show', 'mvp'],
    ['workflow', 'validate'],
    ['workflow', 'graph', 'mvp'],
    ['context', 'planner'],
    ['config'],
    ['sandbox', 'exec', '--', 'true'],
  ];
  for (const argv of commands)
    test(`is asked for by ${argv.join(' ')}, which is refused without a terminal`, async () => {
      await using harness = await inProcessCli();
      await write(harness, 'config.yaml', '');
      await write(harness, 'templates/_base.j2', 'x');
      const result = await harness.say(argv);
      assert.equal(result.code, 3, result.err);
      assert.match(result.err, /has its own settings, which you have not trusted/);
      assert.ok(result.err.includes(`supervisor trust ${harness.project} `), result.err);
      assert.equal(result.out, '');
    });

  test('is not needed with --untrusted, which says that only your own settings count', async () => {
    await using harness = await inProcessCli();
    await write(harness, 'config.yaml', 'this is: [broken\n');
    const result = await harness.say(['run', 'x', '--agent', 'scripted', '--once', '--untrusted']);
    assert.equal(result.code, 0, result.err);
    assert.match(
      result.err,
      /^untrusted: Ignoring \S+\/\.supervisor\. Only your own settings apply/m,
    );
    assert.equal((await harness.say(['config', '--untrusted'])).code, 0);
  });

  test('is given to what init writes, unless other files were there', async () => {
    await using harness = await inProcessCli();
    assert.equal((await harness.say(['init', '--yes'])).code, 0);
    assert.equal((await harness.say(['config'])).code, 0);
    await harness.say(['trust', '--revoke']);
    await write(harness, 'roles/other.yaml', 'description: d\n');
    assert.match(
      (await harness.say(['init', '--yes'])).out,
      /Some of these files are not trusted yet/,
    );
    assert.equal((await harness.say(['config'])).code, 3);
  });

  test('is recorded in a file that only the user can read', async () => {
    await using harness = await inProcessCli();
    await write(harness, 'config.yaml', '# mine\n');
    await harness.say(['trust', '--hash', hashIn(await harness.say(['trust', '--show']))]);
    const { out } = await harness.say(['trust', '--list', '--json']);
    const [trusted] = TrustedDocument.parse(JSON.parse(out)).projects;
    assert.equal(trusted?.project, harness.project);
    assert.equal(
      await readFile(join(harness.project, '.supervisor/config.yaml'), 'utf8'),
      '# mine\n',
    );
  });
});
