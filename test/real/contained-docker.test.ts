/**
 * A container as the sandbox of a real run: the same owner, the same gateway, an image made from
 * this machine.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { after, before, describe, test } from 'node:test';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import type { TestEngine } from '../sandbox/docker-engine.ts';
import { containersOf, dockerEngine } from '../sandbox/docker-engine.ts';
import { missing } from '../sandbox/setup.ts';
import type { CliName } from './clis.ts';
import type { SandboxedHarness } from './sandboxed-harness.ts';
import { resultOf, SECRET } from './sandboxed-harness.ts';
import { harnessFor, isMissing } from './sandboxed-clis.ts';
import { assertLoopInSandbox, containedIn, loopServer } from './sandboxed-loop.ts';

const TIMEOUT_MS = 240_000;
const CLIS = ['claude', 'codex'] as const;

let engine: TestEngine | undefined;
before(async () => {
  engine = await dockerEngine((why) => missing(`docker (${why})`));
});
after(() => engine?.[Symbol.asyncDispose]());

async function inDocker(
  t: TestContext,
  cli: CliName,
  server: ModelServer,
): Promise<{ readonly at: SandboxedHarness; readonly set: string[] } | undefined> {
  if (isMissing(t, cli)) return undefined;
  if (engine === undefined) {
    t.skip('there is no engine');
    return undefined;
  }
  const { host, image } = engine;
  const at = await harnessFor([cli], server.url, { env: { DOCKER_HOST: host } });
  return { at, set: containedIn('docker', image) };
}

for (const cli of CLIS) {
  describe(`${cli} in docker`, () => {
    test(
      'finishes a tool loop without the key, and its usage is recorded',
      { timeout: TIMEOUT_MS },
      async (t) => {
        await using server = await loopServer(cli);
        const place = await inDocker(t, cli, server);
        if (place === undefined || engine === undefined) return;
        await using at = place.at;
        const run = await at.submit(cli, { set: place.set });
        assert.equal((await assertLoopInSandbox(at, run))['sandbox'], 'docker');
        assert.deepEqual(containersOf(engine, run), []);
      },
    );

    test('the gateway sees a limit, and the attempt ends', { timeout: TIMEOUT_MS }, async (t) => {
      await using server = await ModelServer.start({
        keys: [SECRET],
        script: { steps: [{ text: 'Never said.' }] },
        faults: [{ fault: { kind: 'rate-limit', retryAfterS: 90 } }],
      });
      const place = await inDocker(t, cli, server);
      if (place === undefined) return;
      await using at = place.at;
      const set = [...place.set, 'recovery.wait_for_reset=false'];
      const result = resultOf(await at.factsOf(await at.submit(cli, { set })));
      const { evidence } = result['failure'] as { evidence: { source: string }[] };
      assert.deepEqual([result['reason'], evidence[0]?.source], ['rate_limited', 'gateway']);
    });
  });
}
