/** A budget in money, and the side calls of a CLI. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isCostCapped, NO_CAPS } from '../../src/gateway/budget/budget-ledger.ts';
import { localBudget } from '../../src/gateway/budget/call-budget.ts';
import { BudgetPool } from '../../src/gateway/budget/budget-pool.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { factsOf } from '../support/gateway-harness.ts';
import { RECIPES } from './clis.ts';
import { isMissing, realGatewayHarness, TIMEOUT_MS, urlOf } from './real-gateway-harness.ts';
import { makePlace, runCli } from './run-cli.ts';

/** After thirty turns it asks another model whether it is in a loop. */
const TURNS = 34;

for (const isRefused of [false, true])
  test(
    `D2: gemini continues under a budget when its loop check is ${isRefused ? 'refused' : 'paid'}`,
    { timeout: TIMEOUT_MS },
    async (t) => {
      if (isMissing(t, 'gemini')) return;
      await using place = await makePlace();
      const steps = Array.from({ length: TURNS }, (_one, nth) => ({
        calls: [RECIPES.gemini.write(`file-${nth}.txt`, `text ${nth}`, place)],
      }));
      const purse = new BudgetPool('run', { ...NO_CAPS, usd: 5 }, systemClock.now());
      await using at = await realGatewayHarness(
        'gemini',
        {
          script: { steps: [...steps, { text: 'All done.' }] },
          ...(isRefused && { faults: [{ fault: { kind: 'bad-request' }, on: ['side'] }] }),
        },
        { budget: localBudget([purse], systemClock), costCapped: isCostCapped(purse.ledger.caps) },
      );
      const run = await runCli('gemini', 'Write many files.', place, urlOf(at));
      assert.equal(run.code, 0, run.stderr);
      assert.match(run.stdout, /All done\./);
      assert.deepEqual(factsOf(at, 'budget-exhausted'), []);
      const side = factsOf(at, 'call-ended').filter(({ call }) => call.kind === 'side');
      t.diagnostic(side.map(({ call, status }) => `${call.model} ${status}`).join(', '));
      assert.ok(side.length > 0, 'it has checked for a loop');
      assert.ok(purse.ledger.spent.usd > 0 && purse.ledger.spent.usd < 5);
    },
  );

for (const cli of ['claude', 'codex', 'gemini', 'copilot', 'opencode'] as const)
  test(`${cli} works under a budget of one dollar`, { timeout: TIMEOUT_MS }, async (t) => {
    if (isMissing(t, cli)) return;
    await using place = await makePlace();
    const write = RECIPES[cli].write('one.txt', 'from the agent', place);
    const purse = new BudgetPool('run', { ...NO_CAPS, usd: 1 }, systemClock.now());
    await using at = await realGatewayHarness(
      cli,
      { script: { steps: [{ calls: [write] }, { text: 'All done.' }] } },
      {
        budget: localBudget([purse], systemClock),
        costCapped: isCostCapped(purse.ledger.caps),
        prices: [{ model: 'test-model', input: 2, output: 10 }],
      },
    );
    const run = await runCli(cli, 'Write a file.', place, urlOf(at));
    const spoken = at.server.journal().filter(({ kind }) => kind === 'main');
    t.diagnostic(
      `${spoken.map(({ bytes, model }) => `${model} ${bytes} bytes`).join(', ')}; $${purse.ledger.spent.usd.toFixed(4)}`,
    );
    assert.deepEqual(
      factsOf(at, 'budget-exhausted').map(({ message }) => message),
      [],
    );
    assert.equal(run.code, 0, run.stdout + run.stderr);
    assert.match(run.stdout, /All done\./);
  });
