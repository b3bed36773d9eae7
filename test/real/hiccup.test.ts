/**
 * A short fault of a provider only costs time: no CLI loses its attempt, whatever the CLI alone
 * would do.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { resultOf, SECRET } from './sandboxed-harness.ts';
import { CLIS, harnessFor, isMissing, shellThenFile } from './sandboxed-clis.ts';

for (const cli of CLIS)
  test(`${cli} continues through a short fault`, { timeout: 300_000 }, async (t) => {
    if (isMissing(t, cli)) return;
    await using server = await ModelServer.start({
      keys: [SECRET],
      script: shellThenFile(cli, 'echo ran >ran.txt', 'made.txt'),
      faults: [
        { fault: { kind: 'overloaded' }, at: { step: 0 }, times: 1 },
        { fault: { kind: 'cut' }, at: { step: 0 }, times: 1 },
        { fault: { kind: 'server-error' }, at: { step: 1 }, times: 2 },
        { fault: { kind: 'reset' }, at: { step: 2 }, times: 2 },
      ],
    });
    await using at = await harnessFor([cli], server.url);
    const facts = await at.factsOf(await at.submit(cli));
    const faults = server.journal().filter(({ answered }) => answered.kind === 'fault');
    assert.equal(faults.length, 6);
    const result = resultOf(facts);
    assert.deepEqual(
      [result['kind'], result['summary']],
      ['completed', 'All done.'],
      JSON.stringify(result),
    );
    const begun = facts.filter(
      (fact) => fact.type === 'command.begun' && fact.payload.command === 'attempt',
    );
    assert.equal(begun.length, 1);
  });
