/** The width of a real terminal decides where lines break. A pipe has none. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CliHarness } from './cli-process-harness.ts';
import { openTerminal, terminalTool } from './real-terminal.ts';

const HINT = 'Name one or more runs, such as last or 3f2a, or use --all. List them with:';

describe('a message that is longer than the terminal', { timeout: 300_000 }, () => {
  test('breaks between words, also on standard error, and has the command below', async (t) => {
    const script = terminalTool(t);
    if (script === undefined) return;
    await using harness = await CliHarness.create();
    const { stdout } = await openTerminal(harness, script, ['stop'], {}, 60).ended;
    const [first, ...rest] = stdout.replaceAll('\r', '').split('\n');
    assert.deepEqual(
      [first, ...rest],
      [
        'error: No run is named.',
        'Name one or more runs, such as last or 3f2a, or use --all.',
        'List them with:',
        '  supervisor status --all',
        '',
      ],
    );
  });

  test('stays one line in a pipe', async () => {
    await using harness = await CliHarness.create();
    const { stderr } = await harness.run(['stop']);
    assert.equal(stderr, `error: No run is named.\n${HINT} supervisor status --all\n`);
  });
});
