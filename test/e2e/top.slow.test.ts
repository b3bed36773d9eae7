/** `supervisor top` at a real terminal: every screen at three sizes, and every way out of it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { trustProject } from '../support/trust-project.ts';
import type { TerminalSize } from '../support/tmux-terminal.ts';
import { TmuxTerminal } from '../support/tmux-terminal.ts';
import { eventually } from '../support/eventually.ts';
import type { CliHarness } from './cli-process-harness.ts';
import { newRepository } from './new-repository.ts';
import { shellLine } from './real-terminal.ts';

const isMissing = ['tmux', 'bwrap'].some((tool) => which(tool, process.env) === undefined);
const skip = isMissing && process.env['CI'] === undefined ? 'missing: tmux or bwrap' : false;

const WORKFLOW = `description: One step and a person
initial_step: implement
steps:
  implement: {role: implementer, next: look}
  look: {kind: human, on_reject: implement}
`;
const SIZES: readonly TerminalSize[] = [
  { columns: 60, rows: 15 },
  { columns: 100, rows: 30 },
  { columns: 200, rows: 50 },
];

type Has = (text: RegExp) => (lines: readonly string[]) => boolean;
const has: Has = (text) => (lines) => text.test(lines.join('\n'));

async function openShell(harness: CliHarness, size: TerminalSize): Promise<TmuxTerminal> {
  const { HOME = harness.dir, PATH = '' } = harness.env();
  const own = Object.entries(harness.env()).filter(([name]) => name.startsWith('SUPERVISOR_'));
  const named = Object.fromEntries(own.map(([name, value]) => [name, value ?? '']));
  const env = { ...named, HOME, PATH, LANG: 'C.UTF-8', PS1: 'ready> ' };
  const socket = join(harness.dir, `tmux-${size.columns}`);
  const shell = await TmuxTerminal.open({ ...size, env, socket, cwd: harness.project });
  await shell.until('a prompt', has(/ready>/));
  return shell;
}

/** A file has its process id, so that a test can send it a signal. */
async function startTop(
  harness: CliHarness,
  shell: TmuxTerminal,
  ...more: readonly string[]
): Promise<void> {
  const command = shellLine(harness.argv(['top', ...more]));
  await shell.type(
    `sh -c 'echo $$ > "${harness.dir}/pid"; exec "$@"' - ${command}; echo "ended=$?"`,
  );
  await shell.press('Enter');
}

/** The shell reads lines again, and shows them. */
async function assertRestored(shell: TmuxTerminal, code: number): Promise<void> {
  await shell.until(`the end with ${code}`, has(new RegExp(`^ended=${code}$`, 'm')));
  await shell.type('stty -a | tr " ;" "\\n\\n" | grep -x -e icanon -e echo | tr "\\n" "+"');
  await shell.press('Enter');
  await shell.until('a terminal in its usual mode', has(/^icanon\+echo\+/m));
}

/** A run that works, a workflow that asks for an approval, and a long-lived agent. */
async function busyHome(at: {
  harness: CliHarness;
  env: NodeJS.ProcessEnv;
}): Promise<{ working: string; asking: string }> {
  const { harness } = at;
  const who = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com'];
  for (const line of [
    ['add', '--all'],
    ['commit', '--quiet', '-m', 'first'],
  ])
    execFileSync('git', [...who, ...line], { cwd: harness.project });
  await harness.run(['status']); // creates the home
  await trustProject(harness.home.dir, harness.project);
  const env = { ...at.env, SUPERVISOR_SCRIPTED_IN_PROJECT: undefined };
  const start = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await harness.run(args, { env });
    assert.equal(code, 0, stdout + stderr);
    return stdout.trim().split(' ')[0] ?? '';
  };
  const asking = await start(
    'run',
    'Add a sum.',
    '--workflow',
    'small',
    '-a',
    'scripted:plays-every-role',
    '--detach',
  );
  const evil = 'Think \u001B[2J\u001B]0;evil\u0007 hard';
  const working = await start('run', evil, '-a', 'scripted:never-speaks', '--detach');
  await start('spawn', 'keep the docs in order', '--name', 'docs', '-a', 'scripted:never-speaks');
  await eventually(
    'the workflow asks',
    async () => (await harness.stateOf(asking)) === 'awaiting_input',
  );
  await eventually('the run works', async () => (await harness.stateOf(working)) === 'running');
  return { working, asking };
}

describe('supervisor top', { skip, timeout: 900_000 }, () => {
  const name = 'shows every screen at every size, survives its owner, and gives the terminal back';
  test(name, { timeout: 900_000 }, async (t: TestContext) => {
    await using at = await newRepository({ '.supervisor/workflows/small.yaml': WORKFLOW });
    const { harness } = at;
    const { working, asking } = await busyHome(at);
    for (const size of SIZES)
      await t.test(`at ${size.columns}×${size.rows}`, async () => {
        await using shell = await openShell(harness, size);
        await startTop(harness, shell);
        const list = await shell.until('the list', has(/1 needs you[^]*Add a sum[^]*Think/));
        assert.ok(list.length <= size.rows, list.join('\n'));
        assert.match(list.join('\n'), /Think \\x1b\[2J/);
        await shell.press('d');
        await shell.until('the review', has(/asks for an approval[^]*sum\.mjs[^]*\+/));
        await shell.press('Escape');
        await shell.until('the list again', has(/▸ ◆ Add a sum/));
        await shell.type(`:${working}`);
        await shell.press('Enter');
        await shell.until('the run', has(/attempt 1[^]*1 output {2}2 story/));
        await shell.type('2');
        await shell.until('the story', has(/has been running for|it is running/));
        await shell.type('T');
        await shell.until('the tree', has(/docs +working/));
        await shell.type('?');
        await shell.until('the help', has(/message[^]*dismiss/));
        await shell.type('q');
        await assertRestored(shell, 0);
      });

    await t.test('after a change of the size, Ctrl-Z and fg', async () => {
      await using shell = await openShell(harness, { columns: 101, rows: 31 });
      await startTop(harness, shell);
      await shell.until('the list', has(/Add a sum/));
      await shell.resize({ columns: 60, rows: 15 });
      await shell.until(
        'the list in the smaller window',
        (lines) => lines.every((one) => one.length <= 60) && has(/▸ ◆ Add/)(lines),
      );
      await shell.press('C-z');
      await shell.until('the shell', has(/Stopped/));
      await shell.type('fg');
      await shell.press('Enter');
      await shell.until('the list once more', has(/▸ ◆ Add/));
      await shell.press('C-c');
      // The shell ran its next command when the screen was suspended.
      await shell.until('a prompt', (lines) => lines.at(-1) === 'ready>');
      await shell.type('echo "ended=$?"');
      await shell.press('Enter');
      await assertRestored(shell, 130);
    });

    await t.test('ended by SIGTERM', async () => {
      await using shell = await openShell(harness, { columns: 102, rows: 31 });
      await startTop(harness, shell);
      await shell.until('the list', has(/Add a sum/));
      process.kill(Number(await readFile(join(harness.dir, 'pid'), 'utf8')), 'SIGTERM');
      await assertRestored(shell, 143);
    });

    await t.test(
      'as text for a screen reader, and on a terminal that prints only lines',
      async () => {
        await using shell = await openShell(harness, { columns: 103, rows: 31 });
        await shell.type('export TERM=dumb');
        await shell.press('Enter');
        await startTop(harness, shell);
        await shell.until('the refusal', has(/supervisor top --plain[^]*ended=2/));
        await startTop(harness, shell, '--plain');
        await shell.until('the selected run in words', has(/selected: needs you: Add a sum/));
        await shell.type('j');
        await shell.until('the next one in words', has(/selected: running.*: (?:docs|Think)/));
        await shell.type('q');
        await shell.until('the end', has(/ended=0/));
      },
    );

    await t.test(
      'while the owner is killed and replaced: no fact is missing, none comes twice',
      async () => {
        await using shell = await openShell(harness, { columns: 160, rows: 50 });
        await startTop(harness, shell);
        await shell.until('the list', has(/Add a sum/));
        await shell.type(`:${working}`);
        await shell.press('Enter');
        await shell.type('4');
        await shell.until('facts', has(/#4$/m));
        await harness.killOwner();
        const facts = await shell.until(
          'the next attempt, by the next owner',
          has(/attempt-2 begins[^]*owner ●|owner ●[^]*attempt-2 begins/),
        );
        const shown = facts.flatMap((one) => /#(\d+)$/.exec(one)?.[1] ?? []).map(Number);
        const known = (await harness.events(working)).map(({ seq }) => seq).slice(0, shown.length);
        assert.deepEqual(shown, known);
        await harness.run(['down']);
        await shell.until('that the owner was stopped', has(/owner lost: it was stopped/));
        await harness.run(['up', '--detach']);
        await shell.until('the next owner', has(/owner ●/));
        await shell.type('x');
        await shell.until('the question', has(/Stop this run[^]*\$ supervisor stop/));
        await shell.type('y');
        await shell.until('the end of the run', has(/cancelled/));
        await shell.type('q');
        await assertRestored(shell, 0);
      },
    );
    assert.equal((await harness.run(['kill', asking])).code, 0);
    assert.equal((await harness.run(['dismiss', 'docs'])).code, 0);
  });
});
