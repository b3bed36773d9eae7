/** Podman as the walls of a real run: the same owner, the same gateway, an image made of this machine. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ModelServer } from '../../src/testing/model-server/server.ts';
import type { TestPodman } from '../sandbox/podman-engine.ts';
import { noPodman, podmanEngine } from '../sandbox/podman-engine.ts';
import { missing } from '../sandbox/setup.ts';
import { deskOf, isMissing, shellThenFile } from './walled-clis.ts';
import { notesOf, resultOf, SECRET } from './walled-desk.ts';

const TIMEOUT_MS = 240_000;
const LINE = 'env >seen-env.txt; id -u >who.txt';

let podman: TestPodman | undefined;
before(() => {
  const why = noPodman();
  if (why === false) podman = podmanEngine();
  else missing(why);
});
after(() => podman?.[Symbol.dispose]());

for (const cli of ['claude', 'codex'] as const)
  test(
    `${cli} finishes a tool loop in podman without the key, and its usage is seen`,
    { timeout: TIMEOUT_MS },
    async (t) => {
      if (isMissing(t, cli)) return;
      if (podman === undefined) return t.skip('there is no podman');
      await using server = await ModelServer.start({
        keys: [SECRET],
        script: shellThenFile(cli, LINE, 'made.txt'),
      });
      const { env, image } = podman;
      await using at = await deskOf([cli], server.url, { env });
      const set = ['sandbox.backend=podman', `sandbox.image=${image}`, 'sandbox.pull=never'];
      const run = await at.submit(cli, { set });
      const facts = await at.factsOf(run);
      const result = resultOf(facts);
      assert.deepEqual(
        [result['kind'], result['summary']],
        ['completed', 'All done.'],
        JSON.stringify(result),
      );
      const [started = {}] = notesOf(facts, 'started');
      const { files, memory, network } = started['enforced'] as Record<string, unknown>;
      assert.deepEqual(
        [started['sandbox'], files, memory, network],
        ['podman', 'namespace', 'cgroup', 'namespace'],
      );
      const { inputTokens, outputTokens } = result['usage'] as Record<string, number>;
      assert.ok((inputTokens ?? 0) > 0 && (outputTokens ?? 0) > 0, JSON.stringify(result['usage']));
      const { text, files: changed } = await at.client.diff(run);
      assert.deepEqual(
        changed.map(({ path }) => path),
        ['made.txt', 'seen-env.txt', 'who.txt'],
      );
      assert.match(text, /^\+made inside$/m);
      assert.match(text, /=sv-[0-9a-f]{48}$/m);
      assert.doesNotMatch(text, new RegExp(SECRET));
      assert.doesNotMatch(text, /^\+0$/m); // not root
      assert.deepEqual(podman.containers(), []);
    },
  );
