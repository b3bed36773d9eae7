/** Runs commands at a real terminal, made by `script`, which every Debian has. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { CliHarness, Terminal } from './cli-process-harness.ts';
import { whichSync } from './which.ts';

/** Undefined, with the test skipped, if there is none. */
export function terminalTool(t: TestContext): string | undefined {
  const script = process.platform === 'linux' ? whichSync('script') : undefined;
  if (script === undefined && process.env['CI']) assert.fail('script (bsdutils) is missing');
  if (script === undefined) t.skip('no util-linux `script` here to make a terminal with');
  return script;
}

export function openTerminal(
  harness: CliHarness,
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  columns = 100,
): Terminal {
  // A terminal that is made without one has no size, and a question would get a line for each
  // letter.
  const command = `stty columns ${columns} rows 40; exec ${shellLine(harness.argv(args))}`;
  return harness.open([script, '-qefc', command, '/dev/null'], undefined, {
    SHELL: '/bin/sh',
    ...env,
  });
}

export function shellLine(argv: readonly string[]): string {
  return argv.map((word) => `'${word}'`).join(' ');
}
