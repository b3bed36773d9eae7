import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inProcessCli } from '../../../test/support/cli-harness.ts';

describe('completion', { timeout: 300_000 }, () => {
  const cases: [why: string, typed: string[], offered: string[]][] = [
    ['a command', ['ru'], ['run', 'runs']],
    ['a subcommand', ['sandbox', 'ch'], ['check']],
    ['the subcommand of an alias', ['role', 'va'], ['validate']],
    ['a long option', ['run', '--pref'], ['--preflight-only']],
    ['an option after the task', ['run', 'fix', 'it', '--det'], ['--detach']],
    ['an option after a value', ['run', '-a', 'claude', '--det'], ['--detach']],
    ['the choices of an option', ['spawn', '--on-done', ''], ['dismiss', 'wait', 'next']],
    ['the choices after an equals sign', ['spawn', '--on-done=w'], ['--on-done=wait']],
    ['the choices of an argument', ['completion', 'z'], ['zsh']],
    ['an agent', ['run', '--agent', 'mi'], ['mine']],
    ['an agent after an equals sign', ['run', '--agent=cl'], ['--agent=claude']],
    ['a role', ['run', '-r', 'plann'], ['planner']],
    ['the role to show', ['roles', 'show', 'plann'], ['planner']],
    ['the workflow to show', ['workflow', 'show', 'enter'], ['enterprise']],
    ['the workflow to compare', ['ablate', 'enter'], ['enterprise']],
    ['files', ['run', '--project', ''], [':files']],
    ['the file of a feature', ['feature', 'show', ''], [':files']],
    ['files after an equals sign', ['run', '--target=s'], [':files']],
    ['nothing in a task', ['run', 'fi'], []],
    ['nothing for a value without a list', ['run', '--deadline', ''], []],
    ['nothing after --', ['run', '--', '--det'], []],
    ['nothing for an unknown option', ['run', '--xyz='], []],
    ['no hidden option', ['run', '--json-'], []],
  ];
  test('offers what can follow', async () => {
    await using cli = await inProcessCli('agents: [{ id: mine, cli: claude }]\n');
    for (const [why, typed, offered] of cases) {
      const { code, out, err } = await cli.say(['completion', 'words', '--', ...typed]);
      const words = out.split('\n').flatMap((line) => (line === '' ? [] : line.split('\t')[0]));
      assert.deepEqual([code, words, err], [0, offered, ''], why);
    }
  });

  test('offers active runs to stop, all runs to read, and agents by name', async () => {
    await using cli = await inProcessCli();
    const offered = async (...typed: readonly string[]): Promise<string> =>
      (await cli.say(['completion', 'words', '--', ...typed])).out;
    const ran = await cli.say(['run', 'write\ta\nhaiku', '-a', 'scripted']);
    const [run] = /[0-9a-f]{10}/.exec(ran.out) ?? assert.fail(ran.out);
    assert.equal(await offered('logs', ''), `${run}\tunverified: write a\n`);
    assert.equal(await offered('logs', 'x'), '');
    assert.equal(await offered('events', '--run', ''), `${run}\tunverified: write a\n`);
    assert.equal(await offered('stop', ''), '');
    const agent = ['--name', 'docs', '-a', 'scripted:lives-in-turns', '--on-done', 'wait'];
    assert.equal((await cli.say(['spawn', 'keep the docs', ...agent])).code, 0);
    assert.match(await offered('send', 'd'), /^docs\tmortal, [a-z-]+\n$/);
    assert.match(await offered('stop', ''), /^[0-9a-f]{10}\t/);
    assert.equal((await cli.say(['dismiss', 'docs'])).code, 0);
  });

  test('starts no owner, and an error is silent', async () => {
    await using cli = await inProcessCli();
    const env = { SUPERVISOR_HOME: '/nowhere/at/all' };
    for (const typed of [
      ['logs', ''],
      ['send', ''],
      ['run', '--agent', 'cl'],
    ])
      assert.deepEqual(
        await cli.say(['completion', 'words', '--', ...typed], { env }),
        { code: 0, out: typed[0] === 'run' ? 'claude\t\n' : '', err: '' },
        typed.join(' '),
      );
  });
});
