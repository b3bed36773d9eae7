/** The trace of our supervision tree equals OTP's own for the same scenario, line by line. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import * as fc from 'fast-check';
import { Erlang, hasErlang } from '../otp/erlang.ts';
import { differences, shrink } from '../otp/compare.ts';
import { playScenario } from '../otp/play.ts';
import { readScenario } from '../otp/scenario.ts';
import { scenario } from '../otp/scenarios.ts';

const SCENARIOS = Number(process.env['OTP_SCENARIOS'] ?? 2000);
const SEED = Number(process.env['OTP_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** Of one VM; a long series takes as many as it needs. */
const BATCH = 2000;

const pinned = new URL('../otp/pinned/', import.meta.url);
const names = readdirSync(pinned).filter((name) => name.endsWith('.json'));

function pinnedScenario(name: string): ReturnType<typeof readScenario> {
  return readScenario(JSON.parse(readFileSync(new URL(name, pinned), 'utf8')));
}

describe('every known property of OTP is known here', () => {
  for (const name of names) {
    test(name.replace('.json', '').replaceAll('-', ' '), async () => {
      const expected = readFileSync(new URL(name.replace('.json', '.trace'), pinned), 'utf8');
      assert.equal((await playScenario(pinnedScenario(name))).join('\n'), expected.trimEnd());
    });
  }
});

describe("OTP's own supervisor", () => {
  const isThere = hasErlang();
  const inCi = Boolean(process.env['CI']);
  before(() => assert.ok(isThere || !inCi, 'erl is missing: install erlang-base'));
  const skip = isThere ? false : 'erl is missing: install erlang-base';

  test('plays the pinned scenarios as recorded', { skip }, async () => {
    await using erlang = await Erlang.compile();
    assert.deepEqual(await differences(erlang, names.map(pinnedScenario)), []);
  });

  test(
    `plays ${SCENARIOS} random scenarios as our supervisor does (seed ${SEED})`,
    { skip },
    async (t) => {
      await using erlang = await Erlang.compile();
      for (let done = 0; done < SCENARIOS; done += BATCH) {
        const numRuns = Math.min(BATCH, SCENARIOS - done);
        const [first] = await differences(
          erlang,
          fc.sample(scenario, { seed: SEED + done, numRuns }),
        );
        if (first !== undefined) {
          const { scenario: least, ours, otp } = await shrink(erlang, first);
          t.diagnostic(`seed ${SEED}, to be pinned: ${JSON.stringify(least)}`);
          assert.deepEqual(ours, otp);
        }
      }
      t.diagnostic(`${SCENARIOS} scenarios from seed ${SEED}: no difference`);
    },
  );
});
