/**
 * Podman as the sandbox of a real run: the same owner, the same gateway, an image made from this
 * machine.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestPodman } from '../sandbox/podman-engine.ts';
import { noPodman, podmanEngine } from '../sandbox/podman-engine.ts';
import { missing } from '../sandbox/setup.ts';
import { harnessFor, isMissing } from './sandboxed-clis.ts';
import { assertLoopInSandbox, containedIn, loopServer } from './sandboxed-loop.ts';

const TIMEOUT_MS = 240_000;

let podman: TestPodman | undefined;
before(() => {
  const why = noPodman();
  if (why === false) podman = podmanEngine();
  else missing(why);
});
after(() => podman?.[Symbol.dispose]());

for (const cli of ['claude', 'codex'] as const)
  test(
    `${cli} finishes a tool loop in podman without the key, and its usage is recorded`,
    { timeout: TIMEOUT_MS },
    async (t) => {
      if (isMissing(t, cli)) return;
      if (podman === undefined) return t.skip('there is no podman');
      await using server = await loopServer(cli);
      const { env, image } = podman;
      await using at = await harnessFor([cli], server.url, { env });
      const run = await at.submit(cli, { set: containedIn('podman', image) });
      assert.equal((await assertLoopInSandbox(at, run))['sandbox'], 'podman');
      assert.deepEqual(podman.containers(), []);
    },
  );
