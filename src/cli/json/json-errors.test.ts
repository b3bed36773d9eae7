/** With --json, every error is a document on standard output, with the exit code that it also has without --json. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ErrorDocument } from '../../public-json/error-document.ts';
import { inProcessCli } from '../../../test/support/cli-harness.ts';
import type { CommandOutput } from '../../../test/support/cli-harness.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';

function read({ code, out }: CommandOutput): ErrorDocument['error'] {
  const { error, exit_code: exitCode } = ErrorDocument.parse(JSON.parse(out));
  assert.equal(exitCode, code);
  return error;
}

describe('an error with --json', { timeout: 300_000 }, () => {
  const usage: [why: string, argv: string[], message: RegExp][] = [
    ['an unknown option', ['status', '--jsn', '--json'], /^unknown option '--jsn'/],
    ['an unknown option after it', ['run', 'x', '--json', '--agnet', 'y'], /Did you mean --agent/],
    ['a missing argument', ['answer', '--json'], /^missing required argument 'run'$/],
    ['an unknown command', ['rnu', '--json'], /^unknown command 'rnu'\n\(Did you mean run\?\)$/],
    ['a value that is no number', ['events', '--json', '--limit', 'x'], /--limit <count>/],
    ['flags that exclude each other', ['run', 'x', '-d', '-f', '--json'], /--follow cannot be/],
    ['a deadline of no time', ['run', 'x', '--deadline', '0', '--json'], /from 1s to 30d/],
    ['an empty task', ['run', '', '--json=stream'], /^The task is empty\.$/],
    ['an unknown schema', ['schema', 'statsu', '--json'], /^There is no schema "statsu"\.$/],
  ];
  for (const [why, argv, message] of usage)
    test(`is JSON for ${why}`, async () => {
      await using cli = await inProcessCli();
      const said = await cli.say(argv);
      const error = read(said);
      assert.deepEqual([said.code, error.code, said.err], [2, 'usage.invalid', '']);
      assert.match(error.message, message);
      const words = argv.filter((word) => !word.startsWith('--json'));
      const plain = await cli.say(words);
      assert.deepEqual([plain.code, plain.out], [2, ''], 'without --json it is text');
      assert.match(plain.err, /^error: /);
    });

  const remedies: [argv: string[], remedy: string][] = [
    [['status', '--jsn'], 'To see how it is used: supervisor status --help'],
    [['ps', '--jsn'], 'To see how it is used: supervisor status --help'],
    [['prices', 'set', 'm'], 'To see how it is used: supervisor prices set --help'],
    [['rnu'], 'To see all commands: supervisor --help'],
  ];
  for (const [argv, remedy] of remedies)
    test(`names the help of what was typed: ${argv.join(' ')}`, async () => {
      await using cli = await inProcessCli();
      assert.equal(read(await cli.say([...argv, '--json'])).remedy, remedy);
    });

  test('names the file, the key and the line of a wrong setting', async () => {
    await using cli = await inProcessCli();
    await using home = await tempDir(); // another one than that of the owner, which reads its own settings
    const file = join(home.path, 'config.yaml');
    await writeFile(file, 'attempt:\n  grase: 1s\n');
    const said = await cli.say(['config', '--json'], { env: { SUPERVISOR_HOME: home.path } });
    const { code, file: named, key, line, remedy } = read(said);
    assert.deepEqual(
      [said.code, said.err, code, named, key, line],
      [2, '', 'config.invalid', file, 'attempt.grase', 2],
    );
    assert.notEqual(remedy, null);
  });

  test('names the key of a wrong --set, and no file', async () => {
    await using cli = await inProcessCli();
    const argv = ['run', 'x', '-a', 'scripted', '--set', 'attempt.grace=soon', '--json'];
    const { code, file, key, line } = read(await cli.say(argv));
    assert.deepEqual([code, file, key, line], ['config.invalid', null, 'attempt.grace', null]);
  });

  test('has the code of the refusal by the owner', async () => {
    await using cli = await inProcessCli();
    const said = await cli.say(['why', 'ffffffffff', '--json']);
    const { code, file } = read(said);
    assert.deepEqual([said.code, said.err, code, file], [2, '', 'run.not-found', null]);
  });

  test('is JSON if no owner can be reached', async () => {
    await using cli = await inProcessCli();
    await using home = await tempDir();
    const said = await cli.say(['status', '--json'], { env: { SUPERVISOR_HOME: home.path } });
    assert.deepEqual([said.code, read(said).code, said.err], [1, 'owner.unreachable', '']);
  });

  test('is JSON for a defect, and its stack is on stderr', async () => {
    await using cli = await inProcessCli();
    const stdin = () => Promise.reject(new TypeError('our bug'));
    const said = await cli.say(['run', '-', '--json'], { stdin });
    const { code, message } = read(said);
    assert.deepEqual([said.code, code], [70, 'internal.defect']);
    assert.equal(message, 'Internal error: TypeError: our bug');
    assert.match(said.err, /^TypeError: our bug\n +at /);
  });

  test('is no error if only the help is asked for', async () => {
    await using cli = await inProcessCli();
    const { code, out } = await cli.say(['status', '--json', '--help']);
    assert.equal(code, 0);
    assert.match(out, /^Usage: supervisor status/);
  });

  test('a word after -- does not ask for JSON', async () => {
    await using cli = await inProcessCli();
    const { code, out, err } = await cli.say(['why', '--nope', '--', '--json']);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /^error: unknown option/);
  });
});
