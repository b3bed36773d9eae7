/** Without a sandbox there is no gateway, so the agent itself logs in with the keys of the shell that typed its command. */
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { CliHarness } from './cli-process-harness.ts';

const KEY = 'sk-canary-of-this-shell-0123456789abcdef';
const CONFIG = JSON.stringify({
  agents: [{ id: 'mine', cli: 'custom', command: ['my-agent'], model: 'gpt-5.5' }],
});
/** Writes down what it got, and prints its key. */
const AGENT = `#!/bin/sh
echo "$OPENAI_API_KEY $OPENAI_BASE_URL \${UNRELATED_TOKEN-none}" > seen.txt
echo "my key is $OPENAI_API_KEY"
`;

async function shellOf(harness: CliHarness): Promise<NodeJS.ProcessEnv> {
  const bin = join(harness.dir, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'my-agent'), AGENT, { mode: 0o755 });
  return {
    PATH: `${bin}:${harness.env()['PATH'] ?? ''}`,
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
    UNRELATED_TOKEN: 'stays-in-the-shell',
  };
}

describe('an agent without a sandbox', { timeout: 300_000 }, () => {
  for (const [where, more] of [
    ['in the background', []],
    ['in the command', ['--foreground']],
  ] as const)
    test(`gets the keys of the shell that typed its command, with an owner ${where}`, async () => {
      await using harness = await CliHarness.create(CONFIG);
      const env = await shellOf(harness);
      // Another shell starts the owner. Its key must not be used.
      if (more.length === 0)
        await harness.run(['up', '--detach'], { env: { OPENAI_API_KEY: 'sk-of-the-owner' } });
      const words = ['run', 'x', '--agent', 'mine', '--unsafe-no-sandbox', ...more];
      const { code, stdout, stderr } = await harness.run(words, { env });
      assert.equal(code, 0, `${stdout}${stderr}`);
      const seen = await readFile(join(harness.project, 'seen.txt'), 'utf8');
      assert.equal(seen, `${KEY} http://127.0.0.1:9/v1 none\n`);
      assert.match(stdout, /my key is /);
      assert.ok(!`${stdout}${stderr}`.includes(KEY), 'its output is shown without the key');
      const { stdout: facts } = await harness.run(['events', '--raw']);
      assert.ok(!facts.includes(KEY), 'no fact contains the key');
    });
});
