import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Client } from '../../../client/client.ts';
import { Refusal } from '../../../base/errors.ts';
import type { RunEvent } from '../../../protocol/event.ts';
import type { RunView } from '../../../protocol/views/run-view.ts';
import { foldRunView } from '../../../protocol/views/run-view.ts';
import { StatusDocument } from '../../../public-json/status-document.ts';
import { ended, submitted } from '../../../../test/support/run-history-fixture.ts';
import type { InProcessCli } from '../../../../test/support/cli-harness.ts';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import { systemClock } from '../../../host/machine/system-clock.ts';
import { EndWaits } from '../../runs/end-waits.ts';

async function start({ say }: InProcessCli, agent: string): Promise<string> {
  return (await say(['run', 'x', '-a', `scripted:${agent}`, '--once', '--detach'])).out.trim();
}

describe('wait', { timeout: 300_000 }, () => {
  test('has the exit code of the run, prints its end, and no progress', async () => {
    await using cli = await inProcessCli();
    const id = await start(cli, 'crashes');
    assert.deepEqual(await cli.say(['wait', id]), {
      code: 1,
      out: `${id}  failed: scripted:crashes: exited with code 3\n`,
      err: '',
    });
    const { code, out } = await cli.say(['wait', '--json']); // the last run
    const { runs, error } = StatusDocument.parse(JSON.parse(out));
    assert.deepEqual(
      [code, runs.map(({ run_id: run, state }) => [run, state]), error?.code],
      [1, [[id, 'failed']], 'attempt.crashed'],
    );
  });

  test('describes a run with --json as status does', async () => {
    await using cli = await inProcessCli();
    const id = await start(cli, 'works-in-steps');
    const [waited, shown] = [
      await cli.say(['wait', id, '--json']),
      await cli.say(['status', id, '--json']),
    ].map(({ out }) => StatusDocument.parse(JSON.parse(out)));
    assert.deepEqual(waited, shown);
    assert.notEqual(waited?.runs[0]?.limits, null);
  });

  test('with --any returns at the first end, and otherwise waits for the last', async () => {
    await using cli = await inProcessCli();
    const quiet = await start(cli, 'never-speaks');
    const failed = await start(cli, 'crashes');
    const any = await cli.say(['wait', quiet, failed, '--any']);
    assert.equal(any.code, 1);
    assert.match(any.out, new RegExp(`^${quiet}  \\w+\n${failed}  failed: `));
    const all = cli.say(['wait', quiet, failed]);
    assert.equal((await cli.say(['kill', quiet])).code, 0);
    assert.equal((await all).code, 137);
  });

  test('ends with 124 after its timeout, and the run continues', async () => {
    await using cli = await inProcessCli();
    const id = await start(cli, 'never-speaks');
    const { code, out } = await cli.say(['wait', id, '--timeout', '50ms', '--json']);
    const { error, runs } = StatusDocument.parse(JSON.parse(out));
    assert.deepEqual([code, error?.code, runs[0]?.ended_at], [124, 'wait.timeout', null]);
    const text = await cli.say(['wait', id, '--timeout', '50ms']);
    assert.match(text.err, /^error: Run \w{10} has not ended within 50 ms\.\nWait again with: /);
    assert.equal((await cli.say(['kill', id])).code, 0);
  });

  test('says that a run asks, and with --until-asked ends with 3', async () => {
    await using cli = await inProcessCli('', [], systemClock, { scriptedInProject: false });
    const run = ['run', 'x', '-a', 'scripted:asks-a-question', '--detach'];
    const id = (await cli.say(run)).out.trim();
    const asked = await cli.say(['wait', id, '--until-asked', '--json']);
    const { error, runs } = StatusDocument.parse(JSON.parse(asked.out));
    assert.deepEqual(
      [asked.code, error?.code, error?.remedy, runs[0]?.state],
      [3, 'wait.asked', `Answer the question with: supervisor answer ${id} "…"`, 'awaiting_input'],
    );
    const words = await cli.say(['wait', id, '--until-asked']);
    assert.match(
      words.err,
      /^Run \w+ asks you something\. It continues when you answer\.\nAnswer /,
    );
    const { err } = await cli.say(['wait', id, '--timeout', '50ms']);
    assert.match(
      err,
      /^Run \w+ asks: .*Which config file\?\nAnswer the question with: supervisor answer \w+ "…"\nerror: Run/,
    );
    assert.equal((await cli.say(['kill', id])).code, 0);
  });

  test('ends with 143 on SIGTERM', async () => {
    await using cli = await inProcessCli();
    const id = await start(cli, 'never-speaks');
    const { code } = await cli.say(['wait', id], {
      onInterrupt: (listener) => {
        listener('SIGTERM');
        return () => {};
      },
    });
    assert.equal(code, 143);
    assert.equal((await cli.say(['kill', id])).code, 0);
  });

  for (const argv of [['wait'], ['wait', 'ffffffffff'], ['wait', 'last', '--timeout', '0']])
    test(`refuses ${argv.join(' ')}`, async () => {
      await using cli = await inProcessCli();
      assert.equal((await cli.say(argv)).code, 2);
    });
});

describe('the wait for the end of a run', () => {
  const head = { id: 1, stream: 'run/0123456789', at: 0, v: 1 };
  const event = (seq: number, body: object): RunEvent =>
    ({ ...head, seq, ...body }) as unknown as RunEvent;
  const begun = foldRunView(undefined, event(1, submitted()));
  const died = new Refusal({ code: 'owner.unreachable', message: 'The owner died.' });
  const noted = event(2, { type: 'signal.received', payload: { signal: { kind: 'pause' } } });

  /** Each owner tells these facts, and then it dies unless the run has ended. */
  function owners(...lives: readonly (readonly RunEvent[])[]): () => Client {
    const rest = [...lives];
    return () => {
      const facts = rest.shift() ?? assert.fail('no further owner is expected');
      const client = {
        async *followRun(): AsyncGenerator<RunEvent> {
          yield* facts;
          if (facts.at(-1)?.type !== 'run.ended') throw died;
        },
      };
      return client as unknown as Client;
    };
  }

  test('continues with the next owner, and all waits connect once', async () => {
    const next = owners([noted], [event(3, ended('failed', 'no'))]);
    const waits = new EndWaits({ client: next(), again: async () => next() });
    const views = await Promise.all([waits.end(begun as RunView), waits.end(begun as RunView)]);
    assert.deepEqual(
      views.map(({ outcome }) => outcome?.kind),
      ['failed', 'failed'],
    );
  });

  test('ends if the next owner dies at the same fact', async () => {
    const next = owners([], []);
    const waits = new EndWaits({ client: next(), again: async () => next() });
    await assert.rejects(waits.end(begun as RunView), died);
  });
});
