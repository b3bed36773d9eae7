/**
 * The owner is killed during a notification: none is sent twice, and the record says what is
 * unknown.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { randomInt, seededRandom } from '../../src/base/random.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { eventually } from '../support/eventually.ts';
import { CliHarness } from '../e2e/cli-process-harness.ts';

const WITHIN_MS = 120_000;
const UNKNOWN = 'its owner died meanwhile; whether it was delivered is unknown';
const KILLS = 5;

/** The notified command writes a line, and then does what `then` says. */
async function ear(harness: CliHarness, then: string): Promise<string> {
  const script = join(harness.dir, 'ear.sh');
  const lines = join(harness.dir, 'told');
  await writeFile(script, `echo "$SUPERVISOR_RUN $SUPERVISOR_EVENT" >> ${lines}\n${then}\n`);
  return `sh ${script}`;
}

function sentNotifications(harness: CliHarness): readonly string[] {
  const path = join(harness.dir, 'told');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
}

async function submit(harness: CliHarness, notify: string): Promise<string> {
  const { stdout, stderr } = await harness.run(
    ['run', 'do it', '--agent', 'scripted', '--notify', notify, '--detach'],
    { cwd: harness.project },
  );
  assert.match(stdout, /^[0-9a-f]{10}\n$/, stderr);
  return stdout.trim();
}

type Notice = Extract<StoredEvent, { type: 'notification.begun' | 'notification.ended' }>;

/** Asks an owner, and starts one if none is up. */
async function noticesOf(harness: CliHarness, run: string): Promise<readonly Notice[]> {
  const events = await harness.events();
  return events.flatMap((event) =>
    (event.type === 'notification.begun' || event.type === 'notification.ended') &&
    event.payload.run === run
      ? [event]
      : [],
  );
}

async function hasEnded(harness: CliHarness, run: string): Promise<void> {
  const isEnded = async (): Promise<boolean> =>
    (await noticesOf(harness, run)).some(({ type }) => type === 'notification.ended');
  await eventually(`the notification of ${run} ended`, isEnded, WITHIN_MS);
}

function inShort(notices: readonly Notice[]): readonly string[] {
  return notices.map(({ type, payload }) => ('how' in payload ? payload.how : type));
}

describe('an owner that is killed while it sends a notification', { timeout: 600_000 }, () => {
  test('does not send it again with the next owner, which records that the result is unknown', async () => {
    await using harness = await CliHarness.create();
    const run = await submit(harness, await ear(harness, 'sleep 600'));
    await eventually('it is being told', () => sentNotifications(harness).length > 0, WITHIN_MS);
    await harness.killOwner();
    await hasEnded(harness, run);
    assert.deepEqual(inShort(await noticesOf(harness, run)), ['notification.begun', UNKNOWN]);
    const { stdout } = await harness.run(['events']);
    assert.match(stdout, new RegExp(UNKNOWN));
    // A third owner has nothing to send either.
    await harness.killOwner();
    assert.deepEqual(inShort(await noticesOf(harness, run)), ['notification.begun', UNKNOWN]);
    assert.equal(sentNotifications(harness).length, 1);
  });

  test('at any moment: sent once, or recorded as unknown', async (t) => {
    const seed = Number(process.env['SEED'] ?? 1);
    t.diagnostic(`seed ${seed}`);
    const random = seededRandom(seed);
    await using harness = await CliHarness.create();
    const notify = await ear(harness, 'sleep 0.05');
    for (let kill = 0; kill < KILLS; kill += 1) {
      const run = await submit(harness, notify);
      const events = harness.type(['events', '--follow', '--run', run]);
      await events.shows(/unverified: /);
      await systemClock.sleep(randomInt(random, 0, 150));
      await harness.killOwner();
      await events.ended;
      await hasEnded(harness, run);
      const [begun, how, ...more] = inShort(await noticesOf(harness, run));
      assert.deepEqual([begun, more], ['notification.begun', []]);
      const times = sentNotifications(harness).filter((line) => line.startsWith(run)).length;
      assert.ok(
        how === 'delivered' ? times === 1 : how === UNKNOWN && times <= 1,
        `${how}: ${times}`,
      );
    }
  });
});
