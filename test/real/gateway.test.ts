/**
 * The real CLIs work through the gateway, with a token that is worthless elsewhere. Everything that
 * the gateway claims to see is really seen.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { NO_CAPS } from '../../src/gateway/budget/budget-ledger.ts';
import type { GatewayFact } from '../../src/gateway/gateway-facts.ts';
import { localBudget } from '../../src/gateway/budget/call-budget.ts';
import { Gateway } from '../../src/gateway/gateway.ts';
import { BudgetPool } from '../../src/gateway/budget/budget-pool.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { factsOf } from '../support/gateway-harness.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import type { CliName } from './clis.ts';
import { KEY, RECIPES } from './clis.ts';
import {
  isMissing,
  realGatewayHarness,
  SECRET,
  TIMEOUT_MS,
  urlOf,
} from './real-gateway-harness.ts';
import { makePlace, runCli } from './run-cli.ts';

const BOTH: readonly CliName[] = ['claude', 'codex'];
const ALL: readonly CliName[] = ['claude', 'codex', 'gemini', 'copilot', 'opencode'];

for (const cli of ALL)
  test(
    `${cli} finishes a tool loop through the gateway, which records its turns`,
    { timeout: TIMEOUT_MS },
    async (t) => {
      if (isMissing(t, cli)) return;
      await using place = await makePlace();
      const write = RECIPES[cli].write('one.txt', 'from the agent', place);
      const usage = { inputTokens: 12_000, outputTokens: 30 };
      await using at = await realGatewayHarness(cli, {
        script: {
          steps: [
            { calls: [write], usage },
            { text: 'All done.', usage },
          ],
        },
      });
      const run = await runCli(cli, 'Write a file.', place, urlOf(at));
      assert.equal(run.code, 0, run.stderr);
      assert.match(run.stdout, /All done\./);
      assert.equal((await readFile(join(place.cwd, 'one.txt'), 'utf8')).trim(), 'from the agent');

      // The key was used outside and never visible inside.
      assert.doesNotMatch(run.stdout + run.stderr, new RegExp(SECRET));
      const turns = factsOf(at, 'turn').map(({ turn }) => turn);
      assert.deepEqual(
        turns.map(({ number, kind, calls, text, contextTokens, outputTokens, steps }) => ({
          number,
          kind,
          calls: calls.map(({ tool }) => tool),
          text,
          contextTokens: contextTokens === 12_000,
          outputTokens,
          steps: steps.map(({ tool, error }) => [tool, error ?? 'ok']),
        })),
        [
          {
            number: 1,
            kind: 'main',
            calls: [write.name],
            text: '',
            contextTokens: true,
            outputTokens: 30,
            steps: [],
          },
          {
            number: 2,
            kind: 'main',
            calls: [],
            text: 'All done.',
            contextTokens: true,
            outputTokens: 30,
            steps: [[write.name, 'ok']],
          },
        ],
      );
      assert.equal(new Set(turns.map(({ conversation }) => conversation)).size, 1);
      const main = factsOf(at, 'call-ended').filter(({ call }) => call.kind === 'main');
      assert.deepEqual(
        main.map(({ status, end }) => [status, end]),
        [
          [200, 'answered'],
          [200, 'answered'],
        ],
      );
      const seen = at.server.journal().filter(({ answered }) => answered.kind === 'refused');
      assert.deepEqual(seen, []);
    },
  );

describe('a provider that refuses', () => {
  const faults = [
    ['unauthorized', 'auth'],
    ['rate-limit', 'rate-limit'],
  ] as const;
  for (const cli of BOTH) {
    for (const [kind, cause] of faults)
      test(`${kind} is reported before ${cli} tries again`, { timeout: TIMEOUT_MS }, async (t) => {
        if (isMissing(t, cli)) return;
        await using place = await makePlace();
        // As the attempt loop does: the first decisive fact ends the agent.
        const { signal, abort } = abortable();
        await using at = await realGatewayHarness(
          cli,
          {
            script: { steps: [{ text: 'Never said.' }] },
            faults: [{ fault: { kind, retryAfterS: 90 } }],
          },
          {},
          (fact) => fact.kind === 'provider-refused' && fact.decisive && abort(),
        );
        const run = await runCli(cli, 'Say hello.', place, urlOf(at), undefined, { signal });
        assert.notEqual(run.code, 0); // ended by the test, or by Claude itself, which gives up at once if a wait is long
        const work = at.facts.filter(
          (fact) => 'call' in fact && fact.call.kind === 'main' && fact.kind !== 'request-reduced',
        );
        const [begun, refused] = work;
        assert.equal(begun?.kind, 'call-begun');
        assert.ok(refused?.kind === 'provider-refused' && refused.decisive);
        assert.equal(refused.refusal.cause, cause);
      });

    test(`a short limit is only a slow answer for ${cli}`, { timeout: TIMEOUT_MS }, async (t) => {
      if (isMissing(t, cli)) return;
      await using place = await makePlace();
      await using at = await realGatewayHarness(cli, {
        script: { steps: [{ text: 'Hello after all.' }] },
        faults: [{ fault: { kind: 'rate-limit', retryAfterS: 1 }, times: 2 }],
      });
      const run = await runCli(cli, 'Say hello.', place, urlOf(at));
      assert.equal(run.code, 0, run.stderr);
      assert.match(run.stdout, /Hello after all\./);
      assert.equal(factsOf(at, 'call-held').length, 2);
      assert.equal(factsOf(at, 'call-ended').filter(({ call }) => call.kind === 'main').length, 1);
      assert.doesNotMatch(run.stdout, /api_retry|Reconnecting/);
    });

    test(`a spent budget is final for ${cli}`, { timeout: TIMEOUT_MS }, async (t) => {
      if (isMissing(t, cli)) return;
      await using place = await makePlace();
      const write = RECIPES[cli].write('one.txt', 'one', place);
      const purse = new BudgetPool('run', { ...NO_CAPS, calls: 1 }, systemClock.now());
      await using at = await realGatewayHarness(
        cli,
        { script: { steps: [{ calls: [write] }, { text: 'Never said.' }] } },
        { budget: localBudget([purse], systemClock) },
      );
      const run = await runCli(cli, 'Write a file.', place, urlOf(at));
      assert.notEqual(run.code, 0);
      assert.match(run.stdout, /budget of this run is spent/);
      assert.equal(at.server.journal().filter(({ kind }) => kind === 'main').length, 1);
      // Claude Code 2.1.325 repeats a refused call, here five times; none of that reaches the
      // provider.
      const refused = factsOf(at, 'budget-exhausted').length;
      assert.ok(refused >= 1 && refused <= 10, String(refused));
    });
  }
});

for (const [cli, look] of [
  ['claude', { name: 'Bash', args: { command: 'env', description: 'Look around' } }],
  ['codex', { name: 'exec_command', args: { cmd: 'env' } }],
] as const)
  test(
    `${cli} and its tools have the token and never the key`,
    { timeout: TIMEOUT_MS },
    async (t) => {
      if (isMissing(t, cli)) return;
      await using place = await makePlace();
      await using at = await realGatewayHarness(cli, {
        script: { steps: [{ calls: [look] }, { text: 'Seen.' }] },
      });
      const run = await runCli(cli, 'Look around.', place, urlOf(at));
      assert.equal(run.code, 0, run.stderr);
      const bodies = JSON.stringify(at.server.journal().map(({ body }) => body));
      assert.ok(bodies.includes(`_API_KEY=${KEY}`), 'its own environment was shown');
      assert.ok(!bodies.includes(SECRET) && !(run.stdout + run.stderr).includes(SECRET));
    },
  );

test('claude works with a login whose token stays outside', { timeout: TIMEOUT_MS }, async (t) => {
  if (isMissing(t, 'claude')) return;
  await using place = await makePlace();
  const login = 'fake-oat01-outside-0123456789abcdef';
  const write = RECIPES.claude.write('one.txt', 'one', place);
  await using server = await ModelServer.start({
    script: { steps: [{ calls: [write] }, { text: 'Done by login.' }] },
    keys: [login],
  });
  const facts: GatewayFact[] = [];
  await using gateway = await Gateway.start({
    listen: { port: 0 },
    token: KEY,
    upstreams: { anthropic: { base: server.url, credential: { kind: 'login', value: login } } },
    clock: systemClock,
    onFact: (fact) => facts.push(fact),
  });
  const env = { ANTHROPIC_API_KEY: undefined, CLAUDE_CODE_OAUTH_TOKEN: KEY };
  const url = gateway.url ?? '';
  const run = await runCli('claude', 'Write a file.', place, url, undefined, { env });
  assert.equal(run.code, 0, run.stdout + run.stderr);
  assert.match(run.stdout, /Done by login\./);
  assert.equal(factsOf({ facts }, 'turn').length, 2);
  // It authenticated as a subscriber, not with a key.
  const { headers } = server.journal().find(({ kind }) => kind === 'main') ?? {};
  assert.match(headers?.['anthropic-beta'] ?? '', /oauth/);
  assert.equal(headers?.['x-api-key'], undefined);
});

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
