import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunId } from '../base/ids.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { runStream } from '../protocol/streams.ts';
import { eventually } from '../../test/support/eventually.ts';
import { testOwner } from '../../test/support/test-owner.ts';

test(
  'a run that fails with a defect is read from the journal again and continues',
  { timeout: 300_000 },
  async () => {
    await using given = await testOwner(
      `agents:\n  - { id: slow, cli: scripted, args: ['3', '300'] }\n`,
    );
    const { owner, project } = given;
    const view = await owner.submit({ task: 'x', project, agent: 'slow' });
    const run = view.id as RunId;
    const stream = runStream(run);
    await eventually('the agent', async () => (await owner.run(run)).attempts === 1);
    // A fact that the engine did not write makes its view of the run wrong from here on.
    const signal = { type: 'signal.received', payload: { signal: { kind: 'retry-now' } } } as const;
    await owner.journal.append(
      stream,
      await owner.journal.lastSeq(stream),
      [signal],
      systemClock.now(),
    );
    await eventually('its end', async () => (await owner.run(run)).outcome !== null, 30_000);
    const { outcome, interrupted } = await owner.run(run);
    assert.deepEqual([outcome?.kind, interrupted], ['unverified', 1]);
    assert.deepEqual(owner.view().defects, []);
  },
);
