import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CliContext, InterruptSignal } from '../../cli-context.ts';
import { RunResult } from '../../../public-json/run-result.ts';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';

describe('attach', { timeout: 300_000 }, () => {
  const ways: [
    how: string,
    way: keyof CliContext,
    given: InterruptSignal | undefined,
    code: number,
  ][] = [
    ['q', 'onKey', undefined, 0],
    ['Ctrl-C', 'onInterrupt', 'SIGINT', 130],
    ['SIGTERM', 'onInterrupt', 'SIGTERM', 143],
    ['an output without a reader', 'onReaderGone', undefined, 0],
  ];
  for (const [how, way, signal, expected] of ways)
    test(`leaves on ${how} with ${expected}, and the run continues`, async () => {
      await using cli = await inProcessCli();
      const { say } = cli;
      const run = ['run', 'think', '-a', 'scripted:never-speaks', '--detach'];
      const id = (await say(run)).out.trim();
      let leave = (_by?: InterruptSignal): void => {};
      const shown: string[] = [];
      const { code, err } = await say(['attach', 'last'], {
        [way]: (...given: readonly unknown[]) => {
          leave = given.at(-1) as typeof leave;
          return () => {};
        },
        out: (text: string) => {
          shown.push(text);
          if (text.includes('attempt-1 begins')) leave(signal);
        },
      });
      assert.deepEqual(
        [code, err],
        [expected, `The run continues. Watch it again with: supervisor attach ${id}\n`],
      );
      assert.match(shown.join(''), new RegExp(`^Run ${id}  think\n`));
      assert.match((await say(['status'])).out, new RegExp(`^${id}  running`));
      assert.equal((await say(['kill', id])).code, 0);
    });

  test('leaves in order before its first call has ended', async () => {
    await using cli = await inProcessCli();
    const run = ['run', 'think', '-a', 'scripted:never-speaks', '--detach'];
    const id = (await cli.say(run)).out.trim();
    let leave = (): void => {};
    const { code, err } = await cli.say(['attach', 'last'], {
      onReaderGone: (listener) => {
        leave = listener;
        return () => {};
      },
      out: () => leave(),
    });
    const left = `The run continues. Watch it again with: supervisor attach ${id}\n`;
    assert.deepEqual([code, err], [0, left]);
    assert.equal((await cli.say(['kill', id])).code, 0);
  });

  test('with --json, prints the run as it is when it is left', async () => {
    await using cli = await inProcessCli();
    const run = ['run', 'think', '-a', 'scripted:never-speaks', '--detach'];
    const id = (await cli.say(run)).out.trim();
    let leave = (_by: InterruptSignal): void => {};
    const lines: string[] = [];
    const { code } = await cli.say(['attach', 'last', '--json'], {
      onInterrupt: (listener) => {
        leave = listener;
        return () => {};
      },
      out: (text) => {
        lines.push(text);
        if (text.includes('"attempt-1"')) leave('SIGTERM');
      },
    });
    const result = RunResult.parse(JSON.parse(lines.at(-1) ?? ''));
    assert.deepEqual(
      [code, result.run_id, result.state, result.exit_code, result.error?.code],
      [143, id, 'running', 143, 'command.interrupted'],
    );
    assert.equal((await cli.say(['kill', id])).code, 0);
  });

  test('shows a run to its end, and has its exit code', async () => {
    await using cli = await inProcessCli();
    const { out } = await cli.say(['run', 'x', '-a', 'scripted:crashes', '--detach']);
    const attached = await cli.say(['attach', out.trim()]);
    assert.equal(attached.code, 1);
    assert.match(attached.out, /failed: scripted:crashes: exited with code 3/);
    const json = await cli.say(['attach', 'last', '--json']);
    assert.deepEqual(
      json.out
        .trimEnd()
        .split('\n')
        .map((line) => Object.keys(JSON.parse(line) as object).length > 0)
        .every(Boolean),
      true,
    );
  });
});
