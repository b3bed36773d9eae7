/** An agent in an emergency: one that obeys recovers, and one that does not is paused after four messages. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import type { ToolCall } from '../../src/testing/model-server/model-wire.ts';
import { eventually } from '../support/eventually.ts';
import { SteeredAgent } from '../support/steered-agent.ts';
import { mainRequests } from '../support/steered-run.ts';
import { tempDir } from '../support/temp-dir.ts';

const missing = which('bwrap', process.env) === undefined;
const skip = missing && process.env['CI'] === undefined ? 'missing: bubblewrap' : false;

const FULL_DISK: ToolCall = {
  name: 'Bash',
  args: { command: 'echo No space left on device >&2; exit 7' },
};
const STEERING = { detectors: { loop: { mode: 'off' } } };

describe('an emergency', { skip, timeout: 300_000 }, () => {
  test('is over for an agent that obeys: it is told once, and the run ends', async () => {
    await using agent = await SteeredAgent.start({
      ...{ organization: 'active', steering: STEERING, held: [4] },
      call: (nth, read) => {
        if (read.includes('its emergency level: hand the work back')) return undefined;
        return nth <= 9 ? FULL_DISK : undefined;
      },
    });
    const { facts, anomalies } = await agent.follow();
    assert.deepEqual(
      anomalies.map(({ turn, detector, decision }) => `${turn} ${detector} ${decision}`),
      ['4 pace-emergency sent'],
    );
    assert.deepEqual(facts.at(-1)?.payload, {
      outcome: { kind: 'unverified', reason: 'All done.' },
    });
    assert.equal(mainRequests(agent.server).length, 5);
  });

  test('pauses an agent that does not obey after four messages, and a person hears of it', async () => {
    await using dir = await tempDir();
    const heard = join(dir.path, 'heard');
    let isOver = false;
    await using agent = await SteeredAgent.start({
      ...{ organization: 'active', steering: { ...STEERING, check_turns: 1 } },
      held: [4, 5, 6, 7],
      config: {
        notifications: {
          notifiers: [
            {
              ...{ name: 'desk', kind: 'command', events: ['paused'] },
              command: `sh -c 'echo "$SUPERVISOR_EVENT $SUPERVISOR_RUN" >> ${heard}'`,
            },
          ],
        },
      },
      call: () => (isOver ? undefined : FULL_DISK),
    });
    const { anomalies } = await agent.follow();
    const { at, run, server } = agent;
    assert.deepEqual(
      anomalies.map(({ turn, detector, decision }) => `${turn} ${detector} ${decision}`),
      [...[4, 5, 6, 7].map((turn) => `${turn} pace-emergency sent`), '8 pace-emergency paused'],
    );
    assert.deepEqual(
      (await agent.messages()).map(({ state }) => state),
      ['seen', 'seen', 'seen', 'seen'],
    );
    assert.notEqual((await at.client.run(run)).pausedAt, null);
    const text = async (): Promise<string> => readFile(heard, 'utf8').catch(() => '');
    await eventually('a person hears of it', async () => (await text()) !== '');
    assert.equal(await text(), `paused ${run}\n`);
    const before = mainRequests(server).length;
    isOver = true;
    await at.type('unpause', run);
    const facts = await agent.facts();
    assert.deepEqual(facts.at(-1)?.payload, {
      outcome: { kind: 'unverified', reason: 'All done.' },
    });
    const after = mainRequests(server).length;
    assert.ok(before <= 9 && after === before + 1, `${before} requests, then ${after}`);
  });
});
