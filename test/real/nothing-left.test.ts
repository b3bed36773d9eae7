/**
 * The memory of an owner after contained runs have ended: no gateway, no budget pool, nothing under
 * their ids.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunId } from '../../src/base/ids.ts';
import { GatewayProcess } from '../../src/gateway/process/gateway-process.ts';
import { eventually } from '../support/eventually.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { fillLeavingLittle } from '../bugs/crowd-out.ts';
import { filedUnder, held } from '../bugs/heap.ts';
import { harnessFor, isMissing, shellCall } from './sandboxed-clis.ts';
import { SECRET } from './sandboxed-harness.ts';

test('nothing in memory is filed under an ended contained run', { timeout: 300_000 }, async (t) => {
  if (isMissing(t, 'claude')) return;
  await using server = await ModelServer.start({
    keys: [SECRET],
    script: ({ toolResults }) =>
      toolResults === 0
        ? { calls: [shellCall('claude', 'echo made >made.txt')] }
        : { text: 'All done.' },
  });
  await using at = await harnessFor(['claude'], server.url);
  const { owner } = at;
  const first = await at.submit('claude');
  await at.factsOf(first);
  const second = await at.submit('claude');
  await eventually(
    'its attempt',
    async () => (await owner.run(second as RunId)).attempts === 1,
    60_000,
  );
  await owner.questions.signal(second as RunId, { kind: 'pause' });
  await owner.questions.signal(second as RunId, { kind: 'kill' });
  await at.factsOf(second);
  const names = `${first}|${second}`;
  await eventually('all are over', () => owner.view().runs === 0, 60_000);
  await at.factsOf(await at.submit('claude'));
  await fillLeavingLittle(owner.journal);
  await at.factsOf(await at.submit('claude'));
  assert.deepEqual(filedUnder(names), []);
  assert.ok(held(GatewayProcess) <= 1, 'no process of a gateway but the one that is kept ready');
});
