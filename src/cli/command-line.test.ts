import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Command } from 'commander';
import { seededRandom } from '../base/random.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import type { CliContext } from './cli-context.ts';
import { DOCUMENT_NAMES } from '../public-json/documents.ts';
import { JSON_OUTPUT } from './json/json-output.ts';
import { createProgram, runCommand } from './command-line.ts';

function fakeContext(print: { out: string; err: string }): CliContext {
  return {
    version: '1.2.3',
    pid: process.pid,
    clock: systemClock,
    node: process.execPath,
    out: (text) => (print.out += text),
    err: (text) => (print.err += text),
    stdin: () => Promise.resolve(''),
    terminal: { isTty: false, width: 80, colour: false },
    cwd: '/',
    env: {},
    random: seededRandom(1),
    ownerCommand: ['/bin/false'],
    onInterrupt: () => () => {},
    onReaderGone: () => () => {},
    onKey: () => () => {},
  };
}

async function say(...argv: readonly string[]): Promise<readonly [number, string, string]> {
  const print = { out: '', err: '' };
  const code = await runCommand(argv, fakeContext(print));
  return [code, print.out, print.err];
}

function commandsBelow(command: Command): readonly Command[] {
  return command.commands.flatMap((one) => [one, ...commandsBelow(one)]);
}

function namesBelow(command: Command): readonly (readonly string[])[] {
  return command.commands.flatMap((one) => [
    [one.name()],
    ...namesBelow(one).map((names) => [one.name(), ...names]),
  ]);
}

describe('the command line', () => {
  test('has a help of its own for every command and subcommand, and most print JSON', async () => {
    const whole = await createProgram([], fakeContext({ out: '', err: '' }), () => {});
    const commands = namesBelow(whole);
    assert.ok(commands.length > 40);
    const withoutJson: string[] = [];
    for (const names of commands) {
      const [code, out, err] = await say(...names, '--help');
      assert.deepEqual([code, err], [0, ''], names.join(' '));
      const [first = ''] = out.split('\n');
      const shown = first.replace(/\|\S+/, '').split(/ (?=[[<])/)[0];
      assert.equal(shown, `Usage: supervisor ${names.join(' ')}`);
      assert.deepEqual(await say(...names, '-h'), [code, out, err], names.join(' '));
      if (!/^Commands:$/m.test(out) && !out.includes(' --json ')) withoutJson.push(names.join(' '));
    }
    assert.deepEqual(withoutJson, [
      'feature graph',
      'top',
      'takeover',
      'hook take',
      'workflow graph',
      'sandbox exec',
      'owner serve',
      'completion',
      'completion words',
      'man',
    ]);
  });

  test('has a schema for the JSON of every command that prints JSON, and names it in the help', async () => {
    const whole = await createProgram([], fakeContext({ out: '', err: '' }), () => {});
    const printing = namesBelow(whole)
      .filter((names) => {
        const found = names.reduce(
          (command: Command | undefined, name) =>
            command?.commands.find((one) => one.name() === name),
          whole,
        );
        return found?.options.some(({ long }) => long === '--json') === true;
      })
      .map((names) => names.join(' '));
    assert.deepEqual(printing.toSorted(), Object.keys(JSON_OUTPUT).toSorted());
    const named = new Set(Object.values(JSON_OUTPUT).flat());
    const others = DOCUMENT_NAMES.filter((name) => !named.has(name));
    assert.deepEqual(others, ['error', 'notification']);
    const [, help] = await say('logs', '--help');
    assert.match(help, /\nJSON: logs, model-calls\. See a schema with: supervisor schema logs\n/);
  });

  test('prints the schema of a name, lists all names, and suggests one for a mistake', async () => {
    const [code, out] = await say('schema', 'run-result');
    const schema = JSON.parse(out) as Record<string, unknown>;
    assert.deepEqual(
      [code, schema['$id'], schema['additionalProperties']],
      [0, 'supervisor.run-result/1', false],
    );
    const [, list] = await say('schema');
    for (const name of ['config', 'role', 'strategy', ...DOCUMENT_NAMES])
      assert.match(list, new RegExp(`^${name} +[A-Z].*\\.$`, 'm'));
    assert.deepEqual(await say('schema', 'run-resul'), [
      2,
      '',
      'error: There is no schema "run-resul".\nDid you mean run-result? List all names with: supervisor schema\n',
    ]);
  });

  test('refuses the help of a command that does not exist', async () => {
    const hint = 'To see all commands: supervisor --help\n';
    for (const argv of [
      ['rnu', '--help'],
      ['rnu', '-h'],
      ['help', 'rnu'],
    ])
      assert.deepEqual(await say(...argv), [
        2,
        '',
        `error: unknown command 'rnu'\n(Did you mean run?)\n${hint}`,
      ]);
  });

  test('shows only defaults that tell the reader something', async () => {
    const whole = await createProgram([], fakeContext({ out: '', err: '' }), () => {});
    for (const names of namesBelow(whole)) {
      const [, out] = await say(...names, '--help');
      assert.doesNotMatch(out, /\(default:\s+(false|\[\]|0|\d{7,})\)/, names.join(' '));
    }
  });

  test('gives a letter one meaning in all commands', async () => {
    const whole = await createProgram([], fakeContext({ out: '', err: '' }), () => {});
    const meanings = new Map<string, Set<string>>();
    for (const { options } of commandsBelow(whole))
      for (const { short, long } of options)
        if (short !== undefined)
          meanings.set(short, (meanings.get(short) ?? new Set()).add(long ?? ''));
    const several = [...meanings].filter(([, longs]) => longs.size > 1);
    assert.deepEqual(several, []);
    assert.ok(meanings.size > 5);
  });

  test('suggests run for words that begin with no command', async () => {
    const [code, out, err] = await say('fix', 'the', 'failing', 'test');
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /\nTo run this as a task: supervisor run "fix the failing test"\n$/);
    for (const argv of [['rnu', 'fix', 'it'], ['xyzzy'], ['fix', 'it', '--json']])
      assert.doesNotMatch((await say(...argv))[2], /To run this/, argv.join(' '));
  });

  test('prints the general help without a command, with the commands in groups', async () => {
    const [code, out] = await say('--help');
    assert.equal(code, 0);
    assert.match(out, /^Usage: supervisor \[options\] \[command\]\n/);
    assert.deepEqual(out.match(/^[A-Z].*:$/gm), [
      'Options:',
      'Get started:',
      'See what runs do:',
      'Use the work:',
      'Control a run:',
      'Keep agents running:',
      'Configure:',
      'Maintain:',
      'Write scripts and find faults:',
      'Examples, in your repository:',
    ]);
    assert.match(out, /\nGet started:\n {2}init .*\n {2}doctor .*\n {2}run /);
    const long = out.split('\n').filter((line) => line.length > 80);
    assert.deepEqual(long, []);
    const [, commands = ''] = out.split('\nGet started:\n');
    assert.doesNotMatch(commands, /^ {4,}/m, 'each command has one line');
  });
});
