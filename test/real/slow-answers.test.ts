/** Providers that take longer than a CLI alone waits: behind the gateway no CLI gives up. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import type { CliName } from './clis.ts';
import { RECIPES } from './clis.ts';
import { isMissing, realGatewayHarness, urlOf } from './real-gateway-harness.ts';
import { startAgent } from './run-agent.ts';
import { makePlace } from './run-cli.ts';

/** Gemini CLI gives up on headers after 60 s. */
const PAUSE_MS = 80_000;

describe('D6: a call that is held for 80 s', { concurrency: true }, () => {
  for (const cli of Object.keys(RECIPES) as CliName[])
    test(`${cli} waits for it and finishes its work`, { timeout: 400_000 }, async (t) => {
      if (isMissing(t, cli)) return;
      await using place = await makePlace();
      let calls = 0;
      await using harness = await realGatewayHarness(
        cli,
        {
          script: {
            steps: [
              { calls: [RECIPES[cli].write('one.txt', 'from one', place)] },
              { text: 'All done.' },
            ],
          },
        },
        {
          // Like a run that is paused for that long, from its first call on and again later.
          mayCall: async (signal) => {
            calls += 1;
            if (calls <= 2) await systemClock.sleep(PAUSE_MS, signal);
          },
        },
      );
      const run = await startAgent(cli, place, urlOf(harness), {}, 300_000);
      const { end } = await run.classified();
      assert.equal(end.kind, 'completed', JSON.stringify(end));
      assert.ok(existsSync(join(place.cwd, 'one.txt')));
      const ends = harness.facts.flatMap((fact) =>
        fact.kind === 'call-ended' && fact.call.kind === 'main' ? [fact.end] : [],
      );
      assert.ok(ends.length >= 2 && ends.every((one) => one === 'answered'), ends.join());
    });
});
