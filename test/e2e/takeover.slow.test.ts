/** A person takes an agent over at a real terminal, hands it back, or loses the terminal. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { CliHarness } from './cli-process-harness.ts';
import { openTerminal, terminalTool } from './real-terminal.ts';

const TERMINAL = { CI: undefined, TERM: 'xterm', NO_COLOR: undefined };
const GATE = ['--gate', 'test -f NOTES.md', '--without-baseline'];
const DOWN = '\u001B[B';

async function thinking(harness: CliHarness, ...more: readonly string[]): Promise<string> {
  const run = ['run', 'think', '-a', 'scripted:never-speaks', '--detach', ...more];
  const id = (await harness.run(run)).stdout.trim();
  await eventually('the agent works', async () => (await harness.stateOf(id)) === 'running');
  return id;
}

describe('a takeover', { timeout: 600_000 }, () => {
  test('opens the agent, and the gates judge the work of the person', async (t) => {
    const script = terminalTool(t);
    if (script === undefined) return;
    await using harness = await CliHarness.create();
    const id = await thinking(harness, ...GATE);
    const terminal = openTerminal(harness, script, ['takeover', id], TERMINAL);
    await terminal.shows(/This is the scripted agent/);
    assert.equal(await harness.stateOf(id), 'taken_over');
    const second = openTerminal(harness, script, ['takeover', id], TERMINAL);
    assert.match((await second.ended).stdout, /is already in the terminal of a person/);
    terminal.child.stdin?.write('keep the name\r');
    await terminal.shows(/noted: keep the name/);
    terminal.child.stdin?.write('exit\r');
    await terminal.shows(/What follows\?[^]*stop/);
    terminal.child.stdin?.write(DOWN);
    await terminal.shows(/What follows\?[^]*●\S* gates/);
    terminal.child.stdin?.write('\r');
    const { code, stdout } = await terminal.ended;
    assert.equal(code, 0, stdout);
    assert.match(stdout, /succeeded: a person worked on it and handed it to the gates/);
    const notes = await readFile(join(harness.project, 'NOTES.md'), 'utf8');
    assert.equal(notes, 'keep the name\n');
  });

  test('that loses its terminal asks in the inbox, and a run that has ended is refused', async (t) => {
    const script = terminalTool(t);
    if (script === undefined) return;
    await using harness = await CliHarness.create();
    const id = await thinking(harness);
    const terminal = openTerminal(harness, script, ['takeover', id], TERMINAL);
    await terminal.shows(/This is the scripted agent/);
    terminal.child.kill('SIGKILL'); // the window is closed
    await eventually('the question', async () => (await harness.stateOf(id)) === 'awaiting_input');
    assert.match((await harness.run(['inbox'])).stdout, /in your terminal\. What follows\?/);
    assert.match(
      (await harness.run(['logs', id])).stdout + (await harness.run(['events'])).stdout,
      /the terminal is gone/,
    );
    assert.equal((await harness.run(['answer', id, 'stop'])).code, 0);
    await eventually('the end', async () => (await harness.stateOf(id)) === 'cancelled');
    const again = openTerminal(harness, script, ['takeover', id], TERMINAL);
    const { stdout } = await again.ended;
    assert.match(stdout, /has ended, so there is no agent to take over/);
  });

  test('says so when the owner is killed, and asks under the next one', async (t) => {
    const script = terminalTool(t);
    if (script === undefined) return;
    await using harness = await CliHarness.create();
    const id = await thinking(harness);
    const terminal = openTerminal(harness, script, ['takeover', id], TERMINAL);
    await terminal.shows(/This is the scripted agent/);
    await harness.killOwner();
    await terminal.shows(/The owner died, and the agent in your terminal with it/);
    await terminal.shows(/The owner died while you had[^]*stop/);
    terminal.child.stdin?.write('\u0003');
    const { code, stdout } = await terminal.ended;
    assert.notEqual(code, 0);
    assert.match(stdout, new RegExp(`supervisor answer ${id} continue\\|stop`));
    assert.equal(await harness.stateOf(id), 'awaiting_input');
    assert.equal((await harness.run(['kill', id])).code, 0);
  });

  test('from the start of a run, left with Ctrl-] twice', async (t) => {
    const script = terminalTool(t);
    if (script === undefined) return;
    await using harness = await CliHarness.create();
    const run = ['run', 'think', '-a', 'scripted', '--interactive'];
    const terminal = openTerminal(harness, script, run, TERMINAL);
    await terminal.shows(/in a new conversation[^]*This is the scripted agent/);
    terminal.child.stdin?.write('\u001D\u001D');
    await terminal.shows(/What follows\?[^]*stop/);
    terminal.child.stdin?.write('\r'); // continue
    const { code, stdout } = await terminal.ended;
    assert.equal(code, 0, stdout);
    assert.match(stdout, /you left the terminal[^]*handed back|5 steps are done/);
  });

  test('needs a terminal', async () => {
    await using harness = await CliHarness.create();
    const { code, stderr } = await harness.run(['takeover', 'last']);
    assert.equal(code, 2);
    assert.match(stderr, /A takeover needs a terminal/);
  });
});
