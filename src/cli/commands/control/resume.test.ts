import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import { StatusDocument } from '../../../public-json/status-document.ts';

describe('resume', { timeout: 300_000 }, () => {
  for (const [how, way, expected] of [
    ['q', 'onKey', 0],
    ['Ctrl-C', 'onInterrupt', 130],
  ] as const)
    test(`of an active run leaves on ${how} with ${expected}, and the run continues`, async () => {
      await using cli = await inProcessCli();
      const { say } = cli;
      const run = ['run', 'think', '-a', 'scripted:never-speaks', '--detach'];
      const id = (await say(run)).out.trim();
      let leave = (_by: string): void => {};
      const { code, err } = await say(['resume', id], {
        terminal: { isTty: true, width: 80, colour: false },
        [way]: (...given: readonly unknown[]) => {
          leave = given.at(-1) as typeof leave;
          return () => {};
        },
        out: (text: string) => {
          if (text.includes('attempt-1 begins')) leave('SIGINT');
        },
      });
      assert.equal(code, expected);
      assert.match(err, /^Press q or Ctrl-C to leave\. The run continues\.\n/);
      assert.match(err, new RegExp(`The run continues\\. Watch it again with: .* ${id}\n$`));
      assert.match((await say(['status'])).out, new RegExp(`^${id}  running`));
      assert.equal((await say(['kill', id])).code, 0);
    });

  test('of a run that was stopped says that Ctrl-C stops the new run, and does it', async () => {
    await using cli = await inProcessCli();
    const { say } = cli;
    const run = ['run', 'think', '-a', 'scripted:never-speaks', '--detach'];
    const id = (await say(run)).out.trim();
    await say(['stop', id]);
    let interrupt = (_by: 'SIGINT'): void => {};
    const { code, err } = await say(['resume', id], {
      terminal: { isTty: true, width: 80, colour: false },
      onInterrupt: (listener) => {
        interrupt = listener;
        return () => {};
      },
      out: (text: string) => {
        if (text.includes('attempt-2 begins')) interrupt('SIGINT');
      },
    });
    assert.equal(code, 130);
    assert.match(err, new RegExp(`^It continues run ${id}\\. Ctrl-C stops it\\.\n`));
    assert.match(err, /Stopping the run\. Press Ctrl-C again to kill it\./);
  });

  test('without a name means the last run that can be resumed, and says which and why', async () => {
    await using cli = await inProcessCli();
    const { say } = cli;
    const none = await say(['resume']);
    assert.equal(none.code, 1);
    assert.match(none.err, /can be resumed: nothing has run in this project yet\./);
    const failed = (await say(['run', 'x', '-a', 'scripted:crashes', '--once', '--json'])).out;
    const { run_id: id } = JSON.parse(failed) as { run_id: string };
    const again = await say(['resume', '--detach']);
    assert.equal(again.code, 0);
    assert.equal(
      again.err.split('\n')[0],
      `Resuming run ${id}: it ended as failed: scripted:crashes: exited with code 3`,
    );
    await say(['attach', again.out.trim()]);
    // The newest of the chain can be resumed, not the one that was resumed before.
    const third = await say(['resume', '--detach']);
    assert.match(third.err, new RegExp(`^Resuming run ${again.out.trim()}: `));
    await say(['attach', third.out.trim()]);
  });

  test('without a name lists the active runs if none has to be resumed', async () => {
    await using cli = await inProcessCli();
    const { say } = cli;
    const id = (await say(['run', 'x', '-a', 'scripted:never-speaks', '--detach'])).out.trim();
    const { code, out, err } = await say(['resume']);
    assert.deepEqual([code, out], [0, `1 active run\n${id}  running\n`]);
    assert.match(err, new RegExp(`the last one, ${id}, is running and continues by itself\\.\n$`));
    const json = StatusDocument.parse(JSON.parse((await say(['resume', '--json'])).out));
    assert.deepEqual(
      json.runs.map(({ run_id: run }) => run),
      [id],
    );
    await say(['kill', id]);
  });
});
