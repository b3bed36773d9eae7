/** Tests of a table of clumsy command lines, with one owner inside this process. */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { checkClumsyEnd } from './clumsy-checks.ts';
import type { InProcessCli } from './cli-harness.ts';
import { inProcessCli } from './cli-harness.ts';

export type ClumsyRow = readonly [
  act: string,
  argv: readonly string[],
  says: RegExp,
  remedy: RegExp,
];

/** The rows by the exit code that they end with. */
export function describeClumsyRows(
  title: string,
  rowsByCode: ReadonlyMap<number, readonly ClumsyRow[]>,
): void {
  describe(title, () => {
    let cli: InProcessCli | undefined;
    const open = async (): Promise<InProcessCli> => {
      cli ??= await inProcessCli();
      writeFileSync(join(cli.project, 'a.txt'), 'mine');
      return cli;
    };
    test.after(() => cli?.[Symbol.asyncDispose]());

    for (const [code, rows] of rowsByCode)
      for (const [act, argv, says, remedy] of rows)
        test(`${act} is refused`, async () => {
          const { say, project, dir } = await open();
          const env = { SUPERVISOR_HOME: dir, PATH: process.env['PATH'] };
          checkClumsyEnd(await say(argv, { env }), { code, says, remedy });
          assert.deepEqual(readdirSync(project), ['a.txt']);
        });

    test('leaves no run, and a home that works', async () => {
      const { say } = await open();
      const { code, out } = await say(['status', '--all']);
      assert.equal(code, 0);
      assert.match(out, /^No active runs/);
    });
  });
}
