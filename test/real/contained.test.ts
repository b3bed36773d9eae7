/**
 * One contained run, from the command to the user's tree. Real CLIs work in a real sandbox, with a
 * key that they never see and a project that they can't reach.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import type { ModelServerOptions } from '../../src/testing/model-server/model-server.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import type { CliName } from './clis.ts';
import { commandOf } from './clis.ts';
import { notesOf, resultOf, SECRET, SandboxedHarness } from './sandboxed-harness.ts';

const TIMEOUT_MS = 180_000;
const CLIS = ['claude', 'codex'] as const;

function isMissing(t: TestContext, cli: CliName): boolean {
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

function harnessFor(cli: CliName, url: string): Promise<SandboxedHarness> {
  return SandboxedHarness.create({
    path: [dirname(commandOf(cli) ?? '')],
    env: {
      ANTHROPIC_API_KEY: SECRET,
      ANTHROPIC_BASE_URL: url,
      OPENAI_API_KEY: SECRET,
      OPENAI_BASE_URL: `${url}/v1`,
    },
  });
}

/** The files under a folder that contain the text, in any encoding. */
async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await readFile(path)).includes(text)) found.push(path);
  }
  return found;
}

/** A shell line and a file, by the tools of this CLI. */
function steps(cli: (typeof CLIS)[number]): NonNullable<ModelServerOptions['script']> {
  // Every environment that a process inside can see, including the agent's own.
  const line = String.raw`(env; for one in /proc/[0-9]*/environ; do tr '\0' '\n' <$one; done) >seen-env.txt; echo from the agent >one.txt`;
  const call =
    cli === 'claude'
      ? { name: 'Bash', args: { command: line, description: 'writes a file' } }
      : { name: 'exec_command', args: { cmd: line } };
  return { steps: [{ calls: [call] }, { text: 'All done.' }] };
}

for (const cli of CLIS)
  test(
    `${cli} works in a sandbox, and its work is applied when the user asks for it`,
    {
      timeout: TIMEOUT_MS,
    },
    async (t) => {
      if (isMissing(t, cli)) return;
      await using server = await ModelServer.start({ keys: [SECRET], script: steps(cli) });
      await using at = await harnessFor(cli, server.url);
      const run = await at.submit(cli);
      const facts = await at.factsOf(run);
      assert.deepEqual(facts.at(-1)?.payload, {
        outcome: { kind: 'unverified', reason: 'All done.' },
      });
      const [started = {}] = notesOf(facts, 'started');
      const { files, network, user } = started['enforced'] as Record<string, unknown>;
      assert.deepEqual(
        [started['sandbox'], files, network, user],
        ['bubblewrap', 'namespace', 'namespace', 'ordinary'],
      );
      assert.deepEqual(
        notesOf(facts, 'committed').map((note) => [note['files'], note['added'], note['names']]),
        [[2, 2, ['one.txt', 'seen-env.txt']]],
      );

      // Nothing has reached the project, and the key has reached nothing.
      assert.deepEqual((await readdir(at.project)).toSorted(), ['.git', 'README.md']);
      assert.deepEqual(await filesWith(at.home, SECRET), []);
      assert.equal(existsSync(join(at.home, 'journal.db')), true);

      const diff = await at.client.diff(run);
      assert.match(diff.text, /^\+from the agent$/m);
      assert.doesNotMatch(diff.text, new RegExp(SECRET));
      // It saw the token of its run, and its home contained only the files of its CLI.
      assert.match(diff.text, /^\+(?:ANTHROPIC_API_KEY|SUPERVISOR_MODEL_KEY)=sv-[0-9a-f]{48}$/m);
      assert.match(diff.text, /^\+HOME=\/home\/agent$/m);
      assert.deepEqual(
        diff.files.map(({ path }) => path),
        ['one.txt', 'seen-env.txt'],
      );

      const onBranch = await at.client.apply(run, { branch: 'try' });
      assert.deepEqual([onBranch.files, onBranch.branch], [2, 'try']);
      assert.equal(at.git('show', 'try:one.txt'), 'from the agent\n');
      assert.equal(existsSync(join(at.project, 'one.txt')), false);

      assert.equal((await at.client.apply(run)).files, 2);
      assert.equal(await readFile(join(at.project, 'one.txt'), 'utf8'), 'from the agent\n');
      assert.deepEqual(await at.ownerFacts(), [
        'owner.started',
        'apply.begun',
        'apply.ended',
        'apply.begun',
        'apply.ended',
      ]);

      const { kind } = await at.client.discard(run);
      assert.equal(kind, 'gone');
      assert.match((await at.client.diff(run)).text, /^\+from the agent$/m);
    },
  );

describe('facts of the gateway show why an attempt failed', () => {
  const faults = [
    ['unauthorized', 'auth'],
    ['rate-limit', 'rate_limited'],
  ] as const;
  for (const cli of CLIS)
    for (const [kind, reason] of faults)
      test(`${kind} ends ${cli} as ${reason}`, { timeout: TIMEOUT_MS }, async (t) => {
        if (isMissing(t, cli)) return;
        await using server = await ModelServer.start({
          keys: [SECRET],
          script: { steps: [{ text: 'Never said.' }] },
          faults: [{ fault: { kind, retryAfterS: 90 } }],
        });
        await using at = await harnessFor(cli, server.url);
        const result = resultOf(await at.factsOf(await at.submit(cli, { once: true })));
        const { evidence } = result['failure'] as { evidence: { source: string }[] };
        assert.deepEqual(
          [result['kind'], result['reason'], evidence[0]?.source],
          ['failed', reason, 'gateway'],
        );
      });
});
