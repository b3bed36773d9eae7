import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Command } from 'commander';
import { inProcessCli } from '../../../test/support/cli-harness.ts';
import { renderManPage } from './man-page.ts';

describe('the manual page', { timeout: 300_000 }, () => {
  test('has the arguments and options of each command, below its group', () => {
    const program = new Command('tool').description('Do things.');
    program.commandsGroup('Start:');
    program
      .command('go')
      .description("'quick' start")
      .argument('<what>', 'a thing')
      .option('-f, --fast', '.5 of the time\\cost', false);
    const page = renderManPage(program, '1.2.3').split('\n');
    const from = page.indexOf('.SS "Start"');
    assert.deepEqual(page.slice(from, page.indexOf('.SH ENVIRONMENT')), [
      '.SS "Start"',
      '.TP',
      '.B tool go [options] <what>',
      "\\&'quick' start",
      '.RS',
      '.TP',
      '.B what',
      'a thing',
      '.TP',
      '.B \\-f, \\-\\-fast',
      '\\&.5 of the time\\ecost (default: false)',
      '.RE',
    ]);
  });

  test('names every command and option of the help', async () => {
    await using cli = await inProcessCli();
    const { code, out } = await cli.say(['man']);
    assert.equal(code, 0);
    const text = out.replaceAll('\\-', '-');
    const { out: help } = await cli.say(['--help']);
    const commands = [...help.matchAll(/^ {2}([a-z][\w-]+)/gm)].map(([, name]) => name ?? '');
    for (const name of commands.filter((one) => one !== 'supervisor')) {
      assert.match(text, new RegExp(`^\\.B supervisor ${name}`, 'm'));
      const { out: own } = await cli.say([name, '--help']);
      for (const [flag] of own.matchAll(/(?<= {2}(?:-\w, )?)--[\w-]+(?= )/g))
        if (flag !== '--help') assert.ok(text.includes(flag), `${name} ${flag}`);
    }
    assert.doesNotMatch(text, /json-stream/);
  });
});
