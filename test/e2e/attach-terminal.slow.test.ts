/** A person looks at runs at a real terminal and leaves. The runs continue. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CliHarness } from './cli-process-harness.ts';
import { openTerminal, terminalTool } from './real-terminal.ts';

const TERMINAL = { CI: undefined, TERM: 'xterm' };
const KEYS = [
  ['q', 'q', 0],
  ['Ctrl-C', '\u0003', 130],
] as const;

describe('at a terminal', { timeout: 300_000 }, () => {
  for (const [name, key, expected] of KEYS) {
    test(`${name} leaves attach, and the run continues`, async (t) => {
      const script = terminalTool(t);
      if (script === undefined) return;
      await using harness = await CliHarness.create();
      const { stdout } = await harness.run([
        ...['run', 'think', '-a', 'scripted:never-speaks', '--detach'],
      ]);
      const id = stdout.trim();
      const terminal = openTerminal(harness, script, ['attach', id], TERMINAL);
      await terminal.shows(/Press q or Ctrl-C to leave[^]*attempt-1/);
      terminal.child.stdin?.write(key);
      const { code, stdout: shown } = await terminal.ended;
      assert.equal(code, expected, shown);
      assert.match(shown, new RegExp(`The run continues\\. Watch it again with: .* ${id}`));
      assert.match((await harness.run(['status'])).stdout, new RegExp(`^${id}  running`));
      assert.equal((await harness.run(['kill', id])).code, 0);
    });

    test(`${name} ends status --watch`, async (t) => {
      const script = terminalTool(t);
      if (script === undefined) return;
      await using harness = await CliHarness.create();
      const terminal = openTerminal(harness, script, ['status', '--watch'], TERMINAL);
      await terminal.shows(/No active runs/);
      terminal.child.stdin?.write(key);
      const { code, stdout } = await terminal.ended;
      assert.equal(code, 0, stdout);
    });
  }

  test('attach clears its status line when the owner dies, and says that it reconnects', async (t) => {
    const script = terminalTool(t);
    if (script === undefined) return;
    await using harness = await CliHarness.create();
    const run = ['run', 'think', '-a', 'scripted:never-speaks', '--detach'];
    const id = (await harness.run(run)).stdout.trim();
    const terminal = openTerminal(harness, script, ['attach', id], TERMINAL);
    await terminal.shows(/scripted:never-speaks, attempt 1/);
    await harness.killOwner();
    await terminal.shows(/scripted:never-speaks, attempt 2/);
    terminal.child.stdin?.write('q');
    const { stdout } = await terminal.ended;
    const lost = String.raw`\r\u001B\[2K.*Connection to the owner lost, reconnecting …`;
    const died = String.raw`.*\r\u001B\[2K.*The owner died\. A new owner resumes the run\.`;
    assert.match(stdout, new RegExp(`${lost}${died}`));
    assert.equal((await harness.run(['kill', id])).code, 0);
  });
});
