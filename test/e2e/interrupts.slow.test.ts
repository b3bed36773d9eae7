/** What the keyboard and the terminal do to a run: Ctrl-C once, twice, and a closed terminal. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { CliHarness, gone, livingOf, pidsIn } from './cli-process-harness.ts';
import type { Terminal } from './cli-process-harness.ts';
import { openTerminal, shellLine, terminalTool } from './real-terminal.ts';

const SLOW = `agents:
  - { id: slow, cli: scripted, args: ['1000000', '100'] }
  - { id: worker, cli: scripted, args: ['20', '100'] }
`;
const GATE = ['--gate', 'true', '--without-baseline', '--accept-unprotected'];
/** What a run without a gate says first. */
const NOTE = 'Note: no gate checks this run. To set up this project: supervisor init\n';
const DEAF = ['run', 'x', '--agent', 'scripted:deaf-with-child', '--set', 'attempt.grace=10m'];

async function agentPids(terminal: Terminal): Promise<number[]> {
  const [shown] = await terminal.shows(/\{"pids":.*\}\n/);
  return pidsIn(shown);
}

for (const where of [[], ['--foreground']] as const) {
  const title = where.length === 0 ? 'in the background' : 'in the foreground';
  describe(`Ctrl-C, with the owner ${title}`, { timeout: 300_000 }, () => {
    test('once stops the run', async () => {
      await using harness = await CliHarness.create(SLOW);
      const terminal = harness.type(['run', 'x', '--agent', 'slow', ...where]);
      await terminal.shows(/step 2 /);
      terminal.child.kill('SIGINT');
      const { code, stdout, stderr } = await terminal.ended;
      assert.deepEqual(
        [code, stderr],
        [130, `${NOTE}\nStopping the run. Press Ctrl-C again to kill it.\n`],
      );
      assert.match(stdout, /asked to exit\n/);
      assert.doesNotMatch(stdout, /a person stop/);
      assert.match(
        stdout,
        /stopped by the user during attempt 1\n {2}attempts {2}1 \(slow\)\n(?: {2}.*\n)+Continue the run with: supervisor resume \w{10}\n$/,
      );
      assert.equal((await harness.ownerPid()) === undefined, where.length > 0);
    });

    test('case 60: twice kills a deaf agent and its tool', async () => {
      await using harness = await CliHarness.create();
      const terminal = harness.type([...DEAF, ...where]);
      const pids = await agentPids(terminal);
      terminal.child.kill('SIGINT');
      await terminal.shows(/asked to exit/);
      assert.deepEqual(new Set(await livingOf(pids)), new Set(pids));
      terminal.child.kill('SIGINT');
      const { code, stderr } = await terminal.ended;
      assert.deepEqual(
        [code, stderr],
        [137, `${NOTE}\nStopping the run. Press Ctrl-C again to kill it.\n\nKilling the run.\n`],
      );
      await gone(pids);
    });
  });
}

test('a deaf agent is killed when its grace is over', { timeout: 300_000 }, async () => {
  await using harness = await CliHarness.create();
  const terminal = harness.type([...DEAF, '--set', 'attempt.grace=100ms']);
  const pids = await agentPids(terminal);
  terminal.child.kill('SIGTERM');
  assert.equal((await terminal.ended).code, 130);
  await gone(pids);
});

describe('a real terminal', { timeout: 300_000 }, () => {
  test('case 60: that is closed leaves the run running to its end', async (t) => {
    const script = terminalTool(t);
    if (script === undefined) return;
    await using harness = await CliHarness.create(SLOW);
    const terminal = openTerminal(harness, script, ['run', 'x', '--agent', 'worker']);
    const [, id = ''] = await terminal.shows(/Run (\w{10})/);
    await terminal.shows(/step 2 /);
    terminal.child.kill('SIGKILL'); // the other end of the terminal is gone: SIGHUP for all in it
    await terminal.ended;
    await eventually(
      'the end of the run',
      async () => (await harness.stateOf(id)) === 'unverified',
      60_000,
    );
    const work = readFileSync(join(harness.project, 'WORK.md'), 'utf8');
    assert.equal(work.split('\n').filter(Boolean).length, 20);
    const signals = (await harness.events(id)).filter(({ type }) => type === 'signal.received');
    assert.deepEqual(signals, []);
  });

  test('turns the keys Ctrl and C into a stop, and shows the run in colour', async (t) => {
    const script = terminalTool(t);
    if (script === undefined) return;
    await using harness = await CliHarness.create(SLOW);
    const colour = { NO_COLOR: '', TERM: 'xterm' };
    const terminal = openTerminal(harness, script, ['run', 'x', '--agent', 'slow'], colour);
    await terminal.shows(/step 2 /);
    terminal.child.stdin?.write('\u0003');
    const { code, stdout } = await terminal.ended;
    assert.equal(code, 130);
    // oxlint-disable-next-line no-control-regex -- colours are control characters
    assert.match(stdout, /\u001B\[1mRun \w{10}\u001B\[0m/);
    assert.match(stdout, /Stopping the run\. Press Ctrl-C again to kill it\./);
  });
});

test(
  'case 60: a reader that leaves early gets no stack trace, and the command continues to the end of its run',
  { timeout: 300_000 },
  async () => {
    await using harness = await CliHarness.create(SLOW);
    const line = shellLine(
      harness.argv(['run', 'x', '--agent', 'worker', '--foreground', ...GATE, '--apply']),
    );
    const { code, stdout, stderr } = await harness.open(
      ['sh', '-c', `{ ${line} 2>&1; echo $? > code; } | head -n 1`],
      '',
    ).ended;
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^Run \w{10}  x\n$/);
    const read = (name: string): string => readFileSync(join(harness.project, name), 'utf8');
    assert.equal(read('code'), '0\n', '--apply was reached, and the work is there already');
    assert.equal(read('WORK.md').split('\n').length, 21);
  },
);

test(
  'a reader that leaves early ends a command that only shows, and its run continues',
  { timeout: 300_000 },
  async () => {
    await using harness = await CliHarness.create(SLOW);
    const run = (await harness.run(['run', 'x', '--agent', 'slow', '--detach'])).stdout.trim();
    for (const shows of [
      ['attach', run],
      ['logs', run, '--follow'],
      ['events', '--follow'],
    ]) {
      const line = shellLine(harness.argv(shows));
      const typed = `{ ${line}; echo $? > code; } | head -n 1`;
      assert.equal((await harness.open(['sh', '-c', typed], '').ended).code, 0, typed);
      assert.equal(readFileSync(join(harness.project, 'code'), 'utf8'), '0\n', typed);
    }
    const killed = await harness.run(['kill', run]);
    assert.equal(killed.code, 0, killed.stdout + killed.stderr);
  },
);
