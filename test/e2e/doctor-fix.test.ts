/** `doctor --fix` at a real terminal, on a machine whose agent CLI is not logged in. */
import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { ErrorDocument } from '../../src/public-json/error-document.ts';
import { CliHarness } from './cli-process-harness.ts';
import { openTerminal, terminalTool } from './real-terminal.ts';

/** Its login leaves a file, so that a test sees whether it was called. */
const CLAUDE = `#!/bin/sh
case "$1" in
  --version) echo '2.1.325 (Claude Code)' ;;
  auth) : > "$HOME/called-$2" ;;
esac
`;
/** Whatever a test answers, nothing is installed on this machine. */
const INSTALLERS = 'sudo npm npx apt-get dnf pacman apk zypper brew systemctl sysctl'.split(' ');

/** A fake claude comes first in PATH, and no key is set. */
async function claudeWithoutLogin(harness: CliHarness): Promise<NodeJS.ProcessEnv> {
  const bin = join(harness.dir, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'claude'), CLAUDE, { mode: 0o755 });
  for (const name of INSTALLERS)
    await writeFile(join(bin, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const keys = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];
  return {
    ...Object.fromEntries(keys.map((name) => [name, undefined])),
    CI: undefined,
    TERM: 'xterm',
    HOME: harness.dir,
    CLAUDE_CONFIG_DIR: undefined,
    PATH: [bin, harness.env()['PATH'] ?? ''].join(delimiter),
  };
}

/** A question that waits for its answer shows both choices on one line. */
const ASKED = /: run [\s\S]*Yes[^\n]*\/[^\n]*No/;

async function wasCalled(harness: CliHarness): Promise<boolean> {
  return (await readdir(harness.dir)).includes('called-login');
}

describe('doctor --fix', { timeout: 300_000 }, () => {
  test('is refused without a terminal, and with --json', async () => {
    await using harness = await CliHarness.create();
    const env = await claudeWithoutLogin(harness);
    const shown = await harness.run(['doctor', '--fix'], { env });
    assert.deepEqual([shown.code, shown.stdout], [2, '']);
    assert.match(shown.stderr, /^error: .*--fix.* asks? before each command/);
    const json = await harness.run(['doctor', '--fix', '--json'], { env });
    const { error, exit_code: code } = ErrorDocument.parse(JSON.parse(json.stdout));
    assert.deepEqual([json.code, json.stderr, code, error.code], [2, '', 2, 'usage.invalid']);
    assert.equal(await wasCalled(harness), false);
  });

  test('runs a command after a yes only', async (t) => {
    const script = terminalTool(t);
    if (script === undefined) return;
    await using harness = await CliHarness.create();
    const env = await claudeWithoutLogin(harness);
    for (const key of ['n', 'y']) {
      assert.equal(await wasCalled(harness), false);
      const terminal = openTerminal(harness, script, ['doctor', '--fix'], env);
      let [isOver, seen] = [false, 0];
      void terminal.ended.then(() => (isOver = true));
      const unseen = (): string => terminal.stdout().slice(seen);
      // Other findings of this machine are asked about too: no to all of them.
      for (;;) {
        await eventually('a question', () => isOver || ASKED.test(unseen()), 60_000);
        if (isOver) break;
        const question = [...unseen().matchAll(/: run [^\n\r]*/g)].at(-1)?.[0] ?? '';
        seen = terminal.stdout().length;
        terminal.child.stdin?.write(question.includes('claude auth login') ? key : 'n');
      }
      assert.match(terminal.stdout(), /Claude Code: run claude auth login/);
      assert.equal(await wasCalled(harness), key === 'y', terminal.stdout());
    }
  });
});
