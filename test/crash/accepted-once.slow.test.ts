/**
 * An owner is killed as soon as a command's fact is durable. The command still reports the result
 * (R5).
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { isRecord, parseJson } from '../../src/base/json.ts';
import { eventually } from '../support/eventually.ts';
import { CliHarness } from '../e2e/cli-process-harness.ts';

const ROUNDS = 4;

describe('a command whose owner is killed once its fact is durable', { timeout: 300_000 }, () => {
  test('reports the run that the next owner performs, and there is one run for each', async () => {
    await using harness = await CliHarness.create();
    await harness.run(['status']);
    const runs: string[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const words = ['run', 'think', '--agent', 'scripted', '--detach'];
      const pid = ownerPid(harness);
      const terminal = harness.type([...words, '--idempotency-key', `key-${round}`]);
      let over = false;
      void terminal.ended.then(() => (over = true));
      await eventually('the fact', () => over || submitted(harness).length === round, 60_000);
      kill(pid);
      const { code, stdout, stderr } = await terminal.ended;
      assert.equal(code, 0, stderr);
      runs.push(stdout.trim());
      // A script that does not know the result sends the command again.
      const again = await harness.run([...words, '--idempotency-key', `key-${round}`]);
      assert.deepEqual([again.code, again.stdout.trim()], [0, runs.at(-1)], again.stderr);
    }
    assert.deepEqual(submitted(harness), runs);
  });
});

function submitted(harness: CliHarness): readonly string[] {
  const journal = new DatabaseSync(harness.home.journal, { readOnly: true, timeout: 5000 });
  try {
    const rows = journal.prepare(
      `SELECT stream FROM events WHERE type = 'run.submitted' ORDER BY id`,
    );
    return rows.all().map(({ stream }) => String(stream).slice('run/'.length));
  } finally {
    journal.close();
  }
}

function ownerPid(harness: CliHarness): number {
  const facts = parseJson(readFileSync(harness.home.ownerFile, 'utf8'));
  return isRecord(facts) ? Number(facts['pid']) : assert.fail('no owner is up');
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended meanwhile
  }
}
