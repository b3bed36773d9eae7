/** The question whether a project is trusted, at a real terminal. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { CliHarness } from './cli-process-harness.ts';
import type { Terminal } from './cli-process-harness.ts';
import { openTerminal, terminalTool } from './real-terminal.ts';

const ENTER = '\r';
const UP = '\u001B[A';
const CTRL_C = '\u0003';
/** With `CI` there are no questions; a plain terminal draws the same marks everywhere. */
const ASKED = { CI: undefined, TERM: 'xterm' };

async function write(harness: CliHarness, path: string, text: string): Promise<void> {
  await mkdir(join(harness.project, '.supervisor'), { recursive: true });
  await writeFile(join(harness.project, '.supervisor', path), text);
}

type Seat = AsyncDisposable & {
  readonly harness: CliHarness;
  /** Types a command, waits for the last words of the question, and presses keys. */
  readonly answer: (
    args: readonly string[],
    asked: RegExp,
    keys: string,
  ) => Promise<Awaited<Terminal['ended']>>;
  /** Whether a command without a terminal would use the project. */
  readonly isTrusted: () => Promise<boolean>;
};

async function seat(t: TestContext): Promise<Seat | undefined> {
  const script = terminalTool(t);
  if (script === undefined) return undefined;
  const harness = await CliHarness.create();
  await write(harness, 'config.yaml', 'attempt: {grace: 1s}\n');
  return {
    harness: harness,
    answer: async (args, asked, keys) => {
      const terminal = openTerminal(harness, script, args, ASKED);
      await terminal.shows(asked);
      terminal.child.stdin?.write(keys);
      return terminal.ended;
    },
    isTrusted: async () => (await harness.run(['trust', '--show'])).code === 0,
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

describe('supervisor trust at a terminal', { timeout: 300_000 }, () => {
  const QUESTION = /Trust these files as they are now\?[\s\S]*No/;

  test('shows the files and trusts them after a yes; a change is shown and asked again', async (t) => {
    const at = await seat(t);
    if (at === undefined) return;
    await using _ = at;
    const first = await at.answer(['trust'], QUESTION, 'y');
    assert.equal(first.code, 0, first.stdout);
    assert.match(
      first.stdout,
      /has project settings that you have not trusted yet:\r\n {2}\+ \.supervisor\/config\.yaml/,
    );
    assert.match(first.stdout, /^\+attempt: \{grace: 1s\}\r$/m);
    assert.match(first.stdout, /hash [0-9a-f]{64}/);
    assert.match(first.stdout, /is now trusted\./);
    assert.ok(await at.isTrusted());
    await write(at.harness, 'config.yaml', 'attempt: {grace: 2s}\n');
    assert.ok(!(await at.isTrusted()));
    const second = await at.answer(['trust'], QUESTION, 'y');
    assert.match(
      second.stdout,
      /has project settings that changed since you trusted them:\r\n {2}~ \.supervisor\/config\.yaml/,
    );
    assert.match(second.stdout, /^-attempt: \{grace: 1s\}\r\n\+attempt: \{grace: 2s\}\r$/m);
    assert.ok(await at.isTrusted());
  });

  const noes: readonly (readonly [why: string, keys: string])[] = [
    ['a no', 'n'],
    ['Enter alone, since no is the default', ENTER],
    ['Ctrl-C', CTRL_C],
  ];
  for (const [why, keys] of noes)
    test(`trusts nothing after ${why}`, async (t) => {
      const at = await seat(t);
      if (at === undefined) return;
      await using _ = at;
      const { code, stdout } = await at.answer(['trust'], QUESTION, keys);
      assert.equal(code, 130, stdout);
      assert.match(stdout, /Nothing was trusted\./);
      assert.ok(!(await at.isTrusted()));
    });
});

describe('a run at a terminal in a project that is not trusted', { timeout: 300_000 }, () => {
  const RUN = ['run', 'x', '--agent', 'scripted', '--once'];
  const QUESTION = /Use them\?[\s\S]*Cancel/;

  test('uses the files once they are trusted', async (t) => {
    const at = await seat(t);
    if (at === undefined) return;
    await using _ = at;
    const { code, stdout } = await at.answer(RUN, QUESTION, `${UP}${UP}${ENTER}`);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /\.supervisor\/config\.yaml/);
    assert.ok(await at.isTrusted());
  });

  test('continues without them, and says so', async (t) => {
    const at = await seat(t);
    if (at === undefined) return;
    await using _ = at;
    await write(at.harness, 'config.yaml', 'default_agent: codex\n');
    const { code, stdout } = await at.answer(RUN, QUESTION, `${UP}${ENTER}`);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /Ignoring .*\/\.supervisor\. Only your own settings apply\./);
    assert.ok(!(await at.isTrusted()));
  });

  for (const [why, keys] of [
    ['Enter alone, since cancel is the default', ENTER],
    ['Ctrl-C', CTRL_C],
  ] as const)
    test(`does not start after ${why}`, async (t) => {
      const at = await seat(t);
      if (at === undefined) return;
      await using _ = at;
      const { code, stdout } = await at.answer(RUN, QUESTION, keys);
      assert.equal(code, 130, stdout);
      assert.match(stdout, /Canceled\. Nothing was trusted or started\./);
      const runs = (await at.harness.events()).filter(({ stream }) => stream.startsWith('run/'));
      assert.deepEqual(runs, []);
      assert.ok(!(await at.isTrusted()));
    });
});
