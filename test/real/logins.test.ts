/** Real CLIs in a sandbox with a user's login: the token is used outside and is nowhere inside. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { isRefusal } from '../../src/base/errors.ts';
import { which } from '../../src/host/process/which.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { commandOf } from './clis.ts';
import { resultOf, SandboxedHarness } from './sandboxed-harness.ts';

const TIMEOUT_MS = 180_000;

const CLAUDE_TOKEN = 'fake-oat01-outside-0123456789abcdef';
const CHATGPT_TOKEN = 'fake-chatgpt-access-0123456789abcdef';
const CLIS = ['claude', 'codex'] as const;
type Cli = (typeof CLIS)[number];

const LINE = String.raw`(env; cat ~/.claude/.credentials.json ~/.codex/auth.json; for one in /proc/[0-9]*/environ; do tr '\0' '\n' <$one; done) >seen.txt 2>&1`;

const CASES = {
  claude: {
    token: CLAUDE_TOKEN,
    file: '.claude/.credentials.json',
    kept: {
      claudeAiOauth: {
        accessToken: CLAUDE_TOKEN,
        refreshToken: 'fake-ort01-outside-0123456789abcdef',
        expiresAt: 4_000_000_000_000,
        scopes: ['user:inference'],
        subscriptionType: 'max',
      },
    },
    call: { name: 'Bash', args: { command: LINE, description: 'looks around' } },
    env: (url: string) => ({ ANTHROPIC_BASE_URL: url }),
  },
  codex: {
    token: CHATGPT_TOKEN,
    file: '.codex/auth.json',
    kept: {
      OPENAI_API_KEY: null,
      tokens: {
        id_token: 'fake-id-token-0123456789abcdef',
        access_token: CHATGPT_TOKEN,
        refresh_token: 'fake-refresh-0123456789abcdef',
        account_id: 'account-0123',
      },
      last_refresh: '2026-11-15T00:00:00Z',
    },
    call: { name: 'exec_command', args: { cmd: LINE } },
    env: (url: string) => ({ CHATGPT_BASE_URL: `${url}/v1` }),
  },
} as const;

function isMissing(t: TestContext, cli: Cli): boolean {
  const missing = [
    ...(commandOf(cli) === undefined ? [`${cli} (npm ci --prefix test/real)`] : []),
    ...(which('bwrap', process.env) === undefined ? ['bubblewrap'] : []),
  ];
  if (missing.length === 0) return false;
  const words = `missing: ${missing.join(', ')}`;
  if (process.env['CI'] !== undefined) assert.fail(words);
  t.skip(words);
  return true;
}

async function harnessWith(cli: Cli, url: string, saved: object): Promise<SandboxedHarness> {
  const { env, file } = CASES[cli];
  const harness = await SandboxedHarness.create({
    path: [dirname(commandOf(cli) ?? '')],
    env: env(url),
  });
  const path = join(harness.root, 'user', file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(saved));
  return harness;
}

for (const cli of CLIS)
  test(
    `${cli} works with a login whose tokens stay outside`,
    { timeout: TIMEOUT_MS },
    async (t) => {
      if (isMissing(t, cli)) return;
      const { token, kept: saved, call } = CASES[cli];
      const script = { steps: [{ calls: [{ ...call }] }, { text: 'Done by login.' }] };
      await using server = await ModelServer.start({ keys: [token], script });
      await using at = await harnessWith(cli, server.url, saved);
      const run = await at.submit(cli);
      const facts = await at.factsOf(run);
      assert.equal(resultOf(facts)['summary'], 'Done by login.');
      const { headers = {} } = server.journal().find(({ kind }) => kind === 'main') ?? {};
      if (cli === 'claude') assert.match(headers['anthropic-beta'] ?? '', /oauth/);
      else assert.equal(headers['chatgpt-account-id'], 'account-0123');
      const { text } = await at.client.diff(run);
      assert.match(text, /=sv-[0-9a-f]{48}$/m);
      assert.doesNotMatch(text, /fake-/);
    },
  );

test('an expired login is reported with the remedy', { timeout: TIMEOUT_MS }, async (t) => {
  if (isMissing(t, 'claude')) return;
  await using server = await ModelServer.start({ script: { steps: [{ text: 'Never said.' }] } });
  const login = { ...CASES.claude.kept.claudeAiOauth, expiresAt: 1000 };
  await using at = await harnessWith('claude', server.url, { claudeAiOauth: login });
  // No other agent could work, so there is no run that would only wait.
  await assert.rejects(
    at.submit('claude'),
    (error) =>
      isRefusal(error, 'agent.keys-missing') &&
      /^The login of claude in .* has run out\.$/.test(error.message) &&
      /log in again/.test(error.data.hint ?? ''),
  );
  assert.equal(server.journal().length, 0);
});
