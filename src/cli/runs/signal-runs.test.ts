import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../client/client.ts';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import type { CliContext } from '../cli-context.ts';
import { signalRuns } from './signal-runs.ts';

const MANY = 100;

test(
  'every run gets its signal before the end of any run is awaited',
  { timeout: 30_000 },
  async () => {
    const views = Array.from({ length: MANY }, (_, n) =>
      runViewFixture({ id: n.toString(16).padStart(10, '0') }),
    );
    const client = { runs: () => Promise.resolve(views) } as unknown as Client;
    const context = { out: () => {}, err: () => {}, cwd: '/', env: {} } as unknown as CliContext;
    const all = Promise.withResolvers<undefined>();
    const sent = new Set<string>();
    let [sending, sendingMost] = [0, 0];
    const code = await signalRuns(
      context,
      client,
      [],
      { all: true, everywhere: false, json: true },
      async (run) => {
        sending += 1;
        sendingMost = Math.max(sendingMost, sending);
        await Promise.resolve();
        sending -= 1;
        sent.add(run);
        if (sent.size === MANY) all.resolve(undefined);
        return runViewFixture({ id: run });
      },
      async (signalled) => {
        await all.promise; // as runs that end only when all have their signal
        return signalled;
      },
    );
    assert.deepEqual([code, sent.size, sendingMost < MANY], [0, MANY, true]);
  },
);

test('a run that started runs says how many', async () => {
  const written: string[] = [];
  const out = (text: string): number => written.push(text);
  const context = { out, err: () => {}, cwd: '/', env: {} } as unknown as CliContext;
  const view = runViewFixture({ id: 'aaaaaaaaaa', children: 2, stopAskedAt: 1 });
  const client = { runs: () => Promise.resolve([view]) } as unknown as Client;
  const options = { all: true, everywhere: false, json: false };
  await signalRuns(context, client, [], options, async () => view);
  assert.deepEqual(written, ['aaaaaaaaaa  stopping, with 2 child runs\n']);
});
