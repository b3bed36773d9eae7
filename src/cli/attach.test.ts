import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RunResult } from '../public-json/run-result.ts';
import { inProcessCli } from '../../test/support/cli-harness.ts';

describe('attach', { timeout: 300_000 }, () => {
  for (const [how, way] of [
    ['q', 'onKey'],
    ['Ctrl-C', 'onInterrupt'],
  ] as const)
    test(`leaves on ${how}, and the run continues`, async () => {
      await using cli = await inProcessCli();
      const { say } = cli;
      const run = ['run', 'think', '-a', 'scripted:never-speaks', '--detach'];
      const id = (await say(run)).out.trim();
      let leave = (): void => {};
      const shown: string[] = [];
      const { code, err } = await say(['attach', 'last'], {
        [way]: (...given: readonly unknown[]) => {
          leave = given.at(-1) as () => void;
          return () => {};
        },
        out: (text: string) => {
          shown.push(text);
          if (text.includes('attempt-1 begins')) leave();
        },
      });
      assert.deepEqual(
        [code, err],
        [0, `The run continues. Watch it again with: supervisor attach ${id}\n`],
      );
      assert.match(shown.join(''), new RegExp(`^Run ${id}  think\n`));
      assert.match((await say(['status'])).out, new RegExp(`^${id}  running`));
      assert.equal((await say(['kill', id])).code, 0);
    });

  test('with --json, prints the run as it is when it is left', async () => {
    await using cli = await inProcessCli();
    const run = ['run', 'think', '-a', 'scripted:never-speaks', '--detach'];
    const id = (await cli.say(run)).out.trim();
    let leave = (): void => {};
    const lines: string[] = [];
    const { code } = await cli.say(['attach', 'last', '--json'], {
      onInterrupt: (listener) => {
        leave = listener;
        return () => {};
      },
      out: (text) => {
        lines.push(text);
        if (text.includes('"attempt-1"')) leave();
      },
    });
    const result = RunResult.parse(JSON.parse(lines.at(-1) ?? ''));
    assert.deepEqual(
      [code, result.run_id, result.state, result.exit_code, result.error],
      [0, id, 'running', null, null],
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
