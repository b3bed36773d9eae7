/** A real CLI in an emergency of its role: a model that obeys recovers, and one that does not is paused. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ScriptFunction } from '../../src/testing/model-server/model-script.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { writeOrganization } from '../support/steered-agent.ts';
import type { SteeredFacts } from '../support/steered-run.ts';
import { followSteered, mainRequests } from '../support/steered-run.ts';
import { tempDir } from '../support/temp-dir.ts';
import { SIGNALS } from '../support/tool-agent.ts';
import type { SandboxedHarness } from './sandboxed-harness.ts';
import { SECRET } from './sandboxed-harness.ts';
import { harnessFor, isMissing, shellCall } from './sandboxed-clis.ts';

const TIMEOUT_MS = 240_000;
const TOLD = 'its emergency level: hand the work back';
/** The first emergency is found in this turn: three calls have failed for lack of space. */
const FIRST = 4;
const MESSAGES_MAX = 4;

/** From the first emergency on, each call waits until the message about its turn is sent. */
function script(obeys: boolean, isOver: () => boolean): ScriptFunction {
  return ({ kind, toolResults, body }) => {
    if (kind !== 'main') return undefined;
    const turn = toolResults + 1;
    const isTold = JSON.stringify(body).includes(TOLD);
    if (isOver() || (obeys && isTold)) return { text: 'I report what I have.' };
    const isHeld = turn >= FIRST && turn < FIRST + (obeys ? 1 : MESSAGES_MAX);
    const wait = `for i in $(seq 600); do [ -e ${SIGNALS}/go-${turn} ] && break; sleep 0.1; done; `;
    const line = `${isHeld ? wait : ''}echo No space left on device >&2; exit 7`;
    return { text: `Try ${turn}.`, calls: [shellCall('claude', line)] };
  };
}

type Steered = SteeredFacts & { readonly at: SandboxedHarness; readonly run: string };

async function inEmergency<Result>(
  { obeys, isOver = () => false, steering }: Given,
  use: (steered: Steered, server: ModelServer) => Promise<Result>,
): Promise<Result> {
  await using dir = await tempDir();
  const signals = join(dir.path, 'signals');
  await mkdir(signals);
  await using server = await ModelServer.start({ keys: [SECRET], script: script(obeys, isOver) });
  await using at = await harnessFor(['claude'], server.url, {
    config: {
      agents: [{ id: 'claude', cli: 'claude' }],
      sandbox: { mounts: [{ path: signals, to: SIGNALS }] },
      steering: { mode: 'steer', held_out: 0, detectors: { loop: { mode: 'off' } }, ...steering },
    },
  });
  await writeOrganization(at, 'active');
  const run = await at.submit('claude', { once: true });
  const facts = await followSteered(at.client, run, server, signals);
  return await use({ ...facts, at, run }, server);
}

type Given = {
  readonly obeys: boolean;
  readonly isOver?: () => boolean;
  readonly steering?: object;
};

const found = ({ anomalies }: SteeredFacts): readonly string[] =>
  anomalies.map(({ turn, detector, decision }) => `${turn} ${detector} ${decision}`);

describe('a real CLI in an emergency', () => {
  test('recovers if its model obeys: it is told once', { timeout: TIMEOUT_MS }, async (t) => {
    if (isMissing(t, 'claude')) return;
    await inEmergency({ obeys: true }, async (steered, server) => {
      assert.deepEqual(found(steered), [`${FIRST} pace-emergency sent`]);
      assert.deepEqual(steered.facts.at(-1)?.payload, {
        outcome: { kind: 'unverified', reason: 'I report what I have.' },
      });
      assert.equal(mainRequests(server).length, FIRST + 1);
    });
  });

  test(
    'is paused after four messages if its model does not obey, and continues when a person says so',
    { timeout: TIMEOUT_MS },
    async (t) => {
      if (isMissing(t, 'claude')) return;
      let isOver = false;
      const given = { obeys: false, isOver: () => isOver, steering: { check_turns: 1 } };
      await inEmergency(given, async (steered, server) => {
        const { at, run } = steered;
        assert.deepEqual(found(steered), [
          ...[4, 5, 6, 7].map((turn) => `${turn} pace-emergency sent`),
          '8 pace-emergency paused',
        ]);
        assert.notEqual((await at.client.run(run)).pausedAt, null);
        const messages = await at.client.messages(run);
        assert.deepEqual(
          messages.map(({ state, times }) => [state, times]),
          Array.from({ length: MESSAGES_MAX }, () => ['seen', 1]),
        );
        isOver = true;
        await at.type('unpause', run);
        const facts = await at.factsOf(run);
        assert.deepEqual(facts.at(-1)?.payload, {
          outcome: { kind: 'unverified', reason: 'I report what I have.' },
        });
        // The call that was under way when it was paused may be one more.
        assert.ok(mainRequests(server).length <= 10, `${mainRequests(server).length} requests`);
      });
    },
  );
});
