/** The gateway distinguishes the purposes of the model calls of real CLIs. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { factsOf } from '../support/gateway-harness.ts';
import { RECIPES } from './clis.ts';
import { isMissing, realGatewayHarness, TIMEOUT_MS, urlOf } from './real-gateway-harness.ts';
import { makePlace, runCli } from './run-cli.ts';

describe('the purpose of a call', () => {
  test(
    'claude and its subagent are distinguished, each with its turns',
    { timeout: TIMEOUT_MS },
    async (t) => {
      if (isMissing(t, 'claude')) return;
      await using place = await makePlace();
      const task = {
        name: 'Task',
        args: {
          description: 'A part of it',
          prompt: 'Do the inner part.',
          subagent_type: 'general-purpose',
          run_in_background: false,
        },
      };
      await using at = await realGatewayHarness('claude', {
        script: [
          { when: 'Do the inner part.', steps: [{ text: 'The inner part is done.' }] },
          { steps: [{ calls: [task] }, { text: 'All done.' }] },
        ],
      });
      const run = await runCli('claude', 'Do the whole.', place, urlOf(at));
      assert.equal(run.code, 0, run.stdout + run.stderr);
      const turns = factsOf(at, 'turn').map(({ turn }) => turn);
      assert.deepEqual(
        turns.map(({ kind, number, text }) => [kind, number, text]),
        [
          ['main', 1, ''],
          ['sub', 1, 'The inner part is done.'],
          ['main', 2, 'All done.'],
        ],
      );
      assert.equal(new Set(turns.map(({ conversation }) => conversation)).size, 2);
    },
  );

  test('opencode asks for a title in a side call', { timeout: TIMEOUT_MS }, async (t) => {
    if (isMissing(t, 'opencode')) return;
    await using place = await makePlace();
    await using at = await realGatewayHarness('opencode', {
      script: { steps: [{ text: 'Hello.' }] },
    });
    await runCli('opencode', 'Say hello.', place, urlOf(at));
    const kinds = factsOf(at, 'call-ended').map(({ call }) => call.kind);
    assert.deepEqual(kinds.toSorted(), ['main', 'side']);
  });

  test('codex compacts its history', { timeout: TIMEOUT_MS }, async (t) => {
    if (isMissing(t, 'codex')) return;
    await using place = await makePlace();
    const codexHome = join(place.home, 'small');
    await mkdir(codexHome);
    await writeFile(join(codexHome, 'config.toml'), 'model_auto_compact_token_limit = 5000\n');
    const write = RECIPES.codex.write('one.txt', 'one', place);
    const usage = { inputTokens: 9000, outputTokens: 10 };
    await using at = await realGatewayHarness('codex', {
      script: ({ toolResults, kind }) =>
        kind === 'main' && toolResults === 0 && factsOf(at, 'turn').length === 0
          ? { calls: [write], usage }
          : { text: 'All done.', usage: { inputTokens: 100, outputTokens: 10 } },
    });
    const env = { CODEX_HOME: codexHome };
    const run = await runCli('codex', 'Write a file.', place, urlOf(at), undefined, { env });
    assert.equal(run.code, 0, run.stdout + run.stderr);
    const kinds = factsOf(at, 'call-ended').map(({ call }) => call.kind);
    assert.ok(kinds.includes('compaction') && kinds.includes('main'), kinds.join(' '));
  });
});
