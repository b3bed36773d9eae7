/** On a terminal of any width, no word is broken, no line is too long, and a command can be copied. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { InProcessCli } from '../../../../test/support/cli-harness.ts';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import { displayWidth } from '../../../host/output/fit-lines.ts';
import { fittedWrite } from '../../cli-context.ts';
import { COMMAND_NAMES } from '../../help/command-groups.ts';

const NARROW = [60, 80, 120];
const WIDE = 200;
const TASK =
  'Round the total of the cart to cents before the tax is added to it, and show the customer which part of the ' +
  'sum is tax and which part is the price of the goods';

/** A table is cut on a narrow terminal, so it has more words on a wide one. */
const TABLES = ['status --all', 'prices', 'metrics', 'runs prune --older-than 0s --dry-run'];
const TEXTS = [
  'status last',
  'why last',
  'report',
  'events --run last --limit 4',
  'logs last',
  'config',
  'roles list',
  'roles show planner',
  'workflow list',
  'workflow show mvp',
  'workflow show mvp --origins',
  'prices check',
  'inbox',
  '',
  'cooldowns',
  'breakers',
  'tree --all --internals',
  'schema',
  'trust --show',
  'status no-such-run',
  'run x --budget-usd lots',
  'answer last yes',
  'stop',
  'diff last',
  'config --set no.such.key=1',
  'send docs hello',
  'apply --undo',
  'prices set m',
  'fix the failing test',
];

/** A line that a person may copy. It is longer than the terminal rather than broken. */
const COMMAND_LINE = /^ *(?:supervisor|npm|npx|git|source|sudo|--[a-z])/;

function isTooLong(line: string, columns: number): boolean {
  const isOneWord = !line.trim().includes(' ');
  return displayWidth(line) > columns && !isOneWord && !COMMAND_LINE.test(line);
}

/** Without numbers, which count time, and without punctuation: a full stop after a command is left out. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = text.split(/\s+/).map((word) => word.replaceAll(/^["`(]+|["`).,;:]+$/g, ''));
  return new Set(words.filter((word) => word !== '' && !/\d/.test(word)));
}

describe('the output at a terminal', { timeout: 300_000 }, () => {
  let cli: InProcessCli;
  before(async () => {
    cli = await inProcessCli();
    for (const agent of ['scripted', 'scripted:crashes'])
      await cli.say(['run', TASK, '--agent', agent, '--without-setup']);
    await mkdir(join(cli.project, '.supervisor'));
    await writeFile(join(cli.project, '.supervisor/config.yaml'), 'version: 1\n');
  });
  after(() => cli[Symbol.asyncDispose]());

  /** Both streams together, as the terminal shows them. */
  async function show(command: string, columns: number): Promise<string> {
    const terminal = { isTty: true, width: columns, colour: false };
    let shown = '';
    const write = fittedWrite(
      (text) => (shown += text),
      () => terminal,
      () => 0,
    );
    await cli.say(
      command.split(' ').filter((word) => word !== ''),
      { terminal, out: write, err: write },
    );
    return shown;
  }

  for (const command of [...COMMAND_NAMES.map((name) => `${name} --help`), ...TEXTS, ...TABLES])
    test(`of "${command}" fits at any width`, async () => {
      const whole = wordsOf(await show(command, WIDE));
      assert.ok(whole.size > 2, [...whole].join(' '));
      for (const columns of NARROW) {
        const text = await show(command, columns);
        const long = text.split('\n').filter((line) => isTooLong(line, columns));
        assert.deepEqual(long, [], `${columns} columns`);
        if (TABLES.includes(command)) continue;
        const words = wordsOf(text);
        const missing = [...whole].filter((word) => !words.has(word));
        assert.deepEqual(missing, [], `${columns} columns:\n${text}`);
      }
    });

  test('has each command on a line of its own if a sentence does not fit', async () => {
    assert.match(
      await show('why last', 60),
      /^Next {2}Read its output with:\n {8}supervisor logs \w+\n {6}Continue with:\n {8}supervisor resume \w+$/m,
    );
  });

  test('has files and the commands that use them as they are', async () => {
    for (const command of ['schema config', 'completion bash'])
      assert.equal(await show(command, 80), await show(command, WIDE), command);
    // A sentence about keys follows, and may be broken.
    const file = async (columns: number): Promise<string> =>
      (await show('owner service systemd', columns)).split('\nA run whose key')[0] ?? '';
    assert.equal(await file(80), await file(WIDE));
    assert.match(await file(80), /loginctl enable-linger$/);
  });

  test('is JSON in one line', async () => {
    assert.equal((await show('why last --json', 60)).trimEnd().split('\n').length, 1);
  });
});
