/** Each real CLI in an emergency of its role: a model that obeys recovers, and one that does not is paused. */
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
import type { CliName } from './clis.ts';
import { heldCall } from './going-wrong.ts';
import { CLIS, harnessFor, isMissing, MODELS, shellCall } from './sandboxed-clis.ts';

const TIMEOUT_MS = 240_000;
const TOLD = 'its emergency level: hand the work back';
/** The level of the role changes after so many turns without progress, whatever a CLI says about a failure. */
const TRIGGER = 'turns_without_progress >= 6';
/** The first emergency is found in this turn, because the first one has no result. */
const FIRST = 7;
const MESSAGES_MAX = 4;

/** From the first emergency on, each call waits until the message about its turn is sent. */
function script(cli: CliName, obeys: boolean, isOver: () => boolean): ScriptFunction {
  return ({ kind, toolResults, body }) => {
    if (kind !== 'main') return undefined;
    const turn = toolResults + 1;
    const isTold = JSON.stringify(body).includes(TOLD);
    if (isOver() || (obeys && isTold)) return { text: 'I report what I have.' };
    const isHeld = turn >= FIRST && turn < FIRST + (obeys ? 1 : MESSAGES_MAX);
    const call = isHeld ? heldCall(cli, turn) : shellCall(cli, `echo part ${turn}`);
    return { text: `Try ${turn}.`, calls: [call] };
  };
}

type Steered = SteeredFacts & { readonly at: SandboxedHarness; readonly run: string };

async function inEmergency<Result>(
  { cli, obeys, isOver = () => false, steering }: Given,
  use: (steered: Steered, server: ModelServer) => Promise<Result>,
): Promise<Result> {
  await using dir = await tempDir();
  const signals = join(dir.path, 'signals');
  await mkdir(signals);
  const played = script(cli, obeys, isOver);
  await using server = await ModelServer.start({ keys: [SECRET], script: played });
  const model = MODELS[cli];
  await using at = await harnessFor([cli], server.url, {
    config: {
      agents: [{ id: cli, cli, ...(model !== null && { model }) }],
      sandbox: { mounts: [{ path: signals, to: SIGNALS }] },
      steering: { mode: 'steer', held_out: 0, ...steering },
    },
  });
  await writeOrganization(at, 'active', TRIGGER);
  const run = await at.submit(cli, { once: true });
  const facts = await followSteered(at.client, run, server, signals);
  return await use({ ...facts, at, run }, server);
}

type Given = {
  readonly cli: CliName;
  readonly obeys: boolean;
  readonly isOver?: () => boolean;
  readonly steering?: object;
};

const found = ({ anomalies }: SteeredFacts): readonly string[] =>
  anomalies.map(({ turn, detector, decision }) => `${turn} ${detector} ${decision}`);

describe('a real CLI in an emergency', { timeout: (CLIS.length + 1) * TIMEOUT_MS }, () => {
  const within = { timeout: TIMEOUT_MS };
  test('recovers if its model obeys: it is told once', within, async (t) => {
    if (isMissing(t, 'claude')) return;
    await inEmergency({ cli: 'claude', obeys: true }, async (steered, server) => {
      assert.deepEqual(found(steered), [`${FIRST} pace-emergency sent`]);
      assert.deepEqual(steered.facts.at(-1)?.payload, {
        outcome: { kind: 'unverified', reason: 'I report what I have.' },
      });
      assert.equal(mainRequests(server).length, FIRST + 1);
    });
  });

  for (const cli of CLIS)
    test(
      `${cli} is paused after four messages if its model does not obey, and continues when a person says so`,
      within,
      async (t) => {
        if (isMissing(t, cli)) return;
        let isOver = false;
        const given = { cli, obeys: false, isOver: () => isOver, steering: { check_turns: 1 } };
        await inEmergency(given, async (steered, server) => {
          const { at, run } = steered;
          const told = Array.from({ length: MESSAGES_MAX }, (_, nth) => FIRST + nth);
          assert.deepEqual(found(steered), [
            ...told.map((turn) => `${turn} pace-emergency sent`),
            `${FIRST + MESSAGES_MAX} pace-emergency paused`,
          ]);
          assert.notEqual((await at.client.run(run)).pausedAt, null);
          const messages = await at.client.messages(run);
          assert.deepEqual(
            messages.map(({ state, times }) => [state, times]),
            told.map(() => ['seen', 1]),
          );
          isOver = true;
          await at.type('unpause', run);
          const facts = await at.factsOf(run);
          assert.deepEqual(facts.at(-1)?.payload, {
            outcome: { kind: 'unverified', reason: 'I report what I have.' },
          });
          // The call that was under way when it was paused may be one more.
          const requestsMax = FIRST + MESSAGES_MAX + 2;
          const requests = mainRequests(server).length;
          assert.ok(requests <= requestsMax, `${requests} requests`);
        });
      },
    );
});
