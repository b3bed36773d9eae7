/** The models that the CLIs call if no model is configured. Their prices must be known: `supervisor prices check`. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AGENT_CLI_FACTS } from '../../src/doctor/supported-clis.ts';
import { PRICES } from '../../src/prices/shipped-prices.ts';
import { findPrice } from '../../src/prices/price.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { commandOf } from './clis.ts';
import type { CliName } from './clis.ts';
import { makePlace, runCli } from './run-cli.ts';

const CLIS: readonly CliName[] = ['claude', 'codex', 'gemini'];

describe('without a configured model', { timeout: 240_000 }, () => {
  for (const cli of CLIS)
    test(`${cli} calls the models that are listed, and each has a price`, async (t) => {
      if (commandOf(cli) === undefined) {
        const words = `missing: ${cli}; install with npm ci --prefix test/real`;
        if (process.env['CI'] !== undefined) assert.fail(words);
        return t.skip(words);
      }
      await using place = await makePlace();
      await using server = await ModelServer.start({ script: { steps: [{ text: 'Hello.' }] } });
      await runCli(cli, 'hello', place, server.url, undefined, { ownModel: true });
      const called = new Set(server.journal().map(({ model }) => model));
      const listed = AGENT_CLI_FACTS.find((one) => one.cli === cli)?.defaultModels ?? [];
      assert.deepEqual([...called].toSorted(), [...listed].toSorted());
      for (const model of called) assert.ok(findPrice(model, PRICES.prices), model);
    });
});
