/** Every CLI works inside the sandbox: it writes a file, runs a command, and never sees the key. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { notesOf, resultOf, SECRET } from './sandboxed-harness.ts';
import { CLIS, harnessFor, isMissing, shellThenFile } from './sandboxed-clis.ts';

const TIMEOUT_MS = 240_000;
/** Every environment that a process inside can see, including the agent's own. */
const LINE = String.raw`(env; for one in /proc/[0-9]*/environ; do tr '\0' '\n' <$one; done) >seen-env.txt; pwd >where.txt`;

for (const cli of CLIS)
  test(
    `${cli} writes a file and runs a command in a sandbox`,
    { timeout: TIMEOUT_MS },
    async (t) => {
      if (isMissing(t, cli)) return;
      await using server = await ModelServer.start({
        keys: [SECRET],
        script: shellThenFile(cli, LINE, 'made.txt'),
      });
      await using at = await harnessFor([cli], server.url);
      const run = await at.submit(cli);
      const facts = await at.factsOf(run);
      const result = resultOf(facts);
      t.diagnostic(`${cli}: ${server.journal().length} requests`);
      assert.deepEqual(
        [result['kind'], result['summary']],
        ['completed', 'All done.'],
        JSON.stringify(result),
      );
      assert.deepEqual(
        notesOf(facts, 'started').map((note) => note['sandbox']),
        ['bubblewrap'],
      );
      const { text, files } = await at.client.diff(run);
      assert.deepEqual(
        files.map(({ path }) => path),
        ['made.txt', 'seen-env.txt', 'where.txt'],
      );
      assert.match(text, /^\+made inside$/m);
      assert.match(text, /^\+HOME=\/home\/agent$/m);
      assert.match(text, /=sv-[0-9a-f]{48}$/m);
      assert.doesNotMatch(text, new RegExp(SECRET));
      assert.deepEqual((await readdir(at.project)).toSorted(), ['.git', 'README.md']);
    },
  );
