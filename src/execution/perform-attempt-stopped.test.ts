/** An attempt that is ended from outside: by a person, by its deadline, or by a broken journal. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import { NO_CAPS } from '../gateway/budget/budget-ledger.ts';
import { BudgetPool } from '../gateway/budget/budget-pool.ts';
import { firstTimeBudget } from '../gateway/budget/time-budget.ts';
import { isAlive, processTable } from '../host/process/process-table.ts';
import { readOutput } from '../host/output/read-output.ts';
import { beginAttempt } from '../../test/support/attempt-harness.ts';
import { eventually } from '../../test/support/eventually.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { tempDir } from '../../test/support/temp-dir.ts';

async function pidsOf(stdout: () => Promise<string>): Promise<number[]> {
  let pids: number[] = [];
  await eventually('the pids of the agent and its tool', async () => {
    const found = /\{"pids":\[(\d+),(\d+)\]\}/.exec(await stdout().catch(() => ''));
    pids = found === null ? [] : [Number(found[1]), Number(found[2])];
    return pids.length === 2;
  });
  return pids;
}

async function living(pids: readonly number[]): Promise<number[]> {
  const rows = await processTable.rows();
  return rows.filter((row) => pids.includes(row.pid) && isAlive(row)).map(({ pid }) => pid);
}

/** Lets time pass until it is over: what is waited for next may begin only after the last step. */
async function inTime<Outcome>(clock: ManualClock, outcome: Promise<Outcome>): Promise<Outcome> {
  let over = false;
  const settled = (): void => void (over = true);
  outcome.then(settled, settled);
  const step = async (): Promise<boolean> => {
    if (!over) await clock.advance(1000);
    return over;
  };
  await eventually('the outcome', step, 50_000);
  return outcome;
}

describe('an attempt that is called off', { timeout: 300_000 }, () => {
  test('is stopped if the agent exits on request', async () => {
    await using dir = await tempDir();
    await using attempt = beginAttempt(dir.path, 'never-speaks');
    const { outcome, cancel, notes } = attempt;
    await eventually('its note', () => notes.length === 1);
    cancel.abort();
    assert.deepEqual(await outcome, { kind: 'stopped' });
  });

  test('is stopped when it was called off before it began', async () => {
    await using dir = await tempDir();
    await using attempt = beginAttempt(dir.path, 'never-speaks');
    const { outcome, cancel, kill } = attempt;
    cancel.abort();
    kill.abort();
    assert.deepEqual(await outcome, { kind: 'stopped' });
  });

  test('an agent that ignores the request is killed with its tool after the grace', async () => {
    await using dir = await tempDir();
    const clock = new ManualClock();
    await using attempt = beginAttempt(dir.path, 'deaf-with-child', {
      clock,
      graceMs: 30_000,
    });
    const { outcome, cancel, stdout } = attempt;
    const pids = await pidsOf(stdout);
    cancel.abort();
    await eventually('the wait for its grace', () => clock.sleeping > 0);
    await clock.advance(29_999);
    assert.deepEqual(new Set(await living(pids)), new Set(pids));
    await clock.advance(1);
    assert.deepEqual(await inTime(clock, outcome), { kind: 'stopped' });
    assert.deepEqual(await living(pids), []);
  });

  test('an agent that ignores requests is gone with its tool at once after a kill', async () => {
    await using dir = await tempDir();
    await using attempt = beginAttempt(dir.path, 'deaf-with-child');
    const { outcome, cancel, kill, stdout } = attempt;
    const pids = await pidsOf(stdout);
    cancel.abort();
    kill.abort();
    assert.deepEqual(await outcome, { kind: 'stopped' });
    assert.deepEqual(await living(pids), []);
  });

  test('fails at its deadline, and the agent ends', async () => {
    await using dir = await tempDir();
    const clock = new ManualClock();
    await using attempt = beginAttempt(dir.path, 'never-speaks', { clock, deadlineMs: 5000 });
    const { outcome, notes } = attempt;
    await eventually('its deadline', () => notes.length === 1 && clock.nextWakeMs === 5000);
    const pid = Number(notes[0]?.['pid']);
    await clock.advance(4999);
    assert.deepEqual(await living([pid]), [pid]);
    await clock.advance(1);
    assert.deepEqual(await inTime(clock, outcome), {
      kind: 'failed',
      reason: 'deadline',
      message: 'ran past its deadline of 5s',
    });
    assert.deepEqual(await living([pid]), []);
  });

  test('ends when its time budget is spent, although its agent makes no call', async () => {
    await using dir = await tempDir();
    const clock = new ManualClock();
    const pool = new BudgetPool('run', { ...NO_CAPS, wallMs: 5000 }, clock.now());
    const timeBudget = () => firstTimeBudget([pool]);
    await using attempt = beginAttempt(dir.path, 'never-speaks', { clock, timeBudget });
    const { outcome, notes } = attempt;
    await eventually('the end of its time', () => notes.length === 1 && clock.nextWakeMs === 5000);
    const pid = Number(notes[0]?.['pid']);
    pool.renew({ ...NO_CAPS, wallMs: 7000 }); // a person raises it meanwhile
    await clock.advance(6999);
    assert.deepEqual(await living([pid]), [pid]);
    await clock.advance(1);
    assert.deepEqual(await inTime(clock, outcome), {
      kind: 'failed',
      reason: 'budget',
      message: 'The time budget of this run is spent: 7s are over',
    });
    assert.deepEqual(await living([pid]), []);
    const over = { kind: 'over-budget', scope: 'run', limit: 'wall', because: 'spent', cap: 7000 };
    assert.deepEqual(notes.slice(1), [over]);
  });

  test('starts no agent if its time budget is spent before', async () => {
    await using dir = await tempDir();
    const clock = new ManualClock();
    const pool = new BudgetPool('project', { ...NO_CAPS, wallMs: 5000 }, at(clock.now() - 5000));
    const timeBudget = () => firstTimeBudget([pool]);
    await using attempt = beginAttempt(dir.path, 'never-speaks', { clock, timeBudget });
    assert.deepEqual(await attempt.outcome, {
      kind: 'failed',
      reason: 'budget',
      message: 'The time budget of this project is spent: 5s are over',
    });
    assert.deepEqual(
      attempt.notes.map(({ kind }) => kind),
      ['over-budget'],
    );
  });

  test('output before the deadline is recorded', async () => {
    await using dir = await tempDir();
    const clock = new ManualClock();
    await using attempt = beginAttempt(dir.path, 'deaf-with-child', { clock, deadlineMs: 5000 });
    const { outcome, stdout } = attempt;
    const pids = await pidsOf(stdout);
    await eventually('its deadline', () => clock.sleeping > 0);
    assert.equal(((await inTime(clock, outcome)) as { kind: string }).kind, 'failed');
    assert.deepEqual(await living(pids), []);
    assert.deepEqual(await pidsOf(stdout), pids);
  });

  test("an agent whose start can't be recorded is killed", async () => {
    await using dir = await tempDir();
    await using attempt = beginAttempt(dir.path, 'deaf-with-child', {
      note: async () => {
        await pidsOf(() => readOutput(join(dir.path, 'outputs'), 'attempt-1-stdout'));
        throw new Error('the journal broke');
      },
    });
    const { outcome, stdout } = attempt;
    await assert.rejects(outcome, /the journal broke/);
    assert.deepEqual(await living(await pidsOf(stdout)), []);
  });
});
