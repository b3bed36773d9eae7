/** Steers a real CLI whose model goes wrong in one way after another, and looks at each request to the model. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { placeHashes } from '../../src/gateway/calls/insert-text.ts';
import { messageMark } from '../../src/messages/message-text.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { writeOrganization } from '../support/steered-agent.ts';
import { followSteered, mainRequests, timesIn } from '../support/steered-run.ts';
import { tempDir } from '../support/temp-dir.ts';
import { SIGNALS } from '../support/tool-agent.ts';
import type { CliName } from './clis.ts';
import type { Trouble } from './going-wrong.ts';
import { CONTEXT_MAX, goesWrong } from './going-wrong.ts';
import type { SandboxedHarness } from './sandboxed-harness.ts';
import { resultOf, SECRET } from './sandboxed-harness.ts';
import { harnessFor, MODELS } from './sandboxed-clis.ts';

const CLAUDE = 'claude-sonnet-4-5';

function steeredBy(
  url: string,
  cli: CliName,
  { signals, steering }: { readonly signals: string; readonly steering: object },
): Promise<SandboxedHarness> {
  const model = MODELS[cli] ?? CLAUDE;
  const prices = [{ model, input: 0, output: 0, context_max: CONTEXT_MAX, output_max: 8000 }];
  const config = {
    agents: [{ id: cli, cli, model }],
    gateway: { prices },
    sandbox: { mounts: [{ path: signals, to: SIGNALS }] },
    steering: {
      ...{ mode: 'steer', held_out: 0 },
      // Gemini CLI ends loops itself, so its turns are checked one by one in any case.
      ...(cli !== 'gemini' && { check_turns: 1 }),
      ...steering,
    },
  };
  return harnessFor([cli], url, { config });
}

function placesOf(items: readonly unknown[]): readonly string[] {
  return placeHashes(items as Parameters<typeof placeHashes>[0]);
}

function assertAppendOnly(requests: readonly (readonly unknown[])[]): void {
  for (const [place, items] of requests.slice(1).entries()) {
    const earlier = placesOf(requests[place] ?? []);
    const beginning = placesOf(items.slice(0, earlier.length));
    assert.equal(beginning.at(-1), earlier.at(-1), `request ${place + 2} only adds`);
  }
}

export type Wrong = {
  readonly troubles: readonly Trouble[];
  readonly steering: object;
  /** Absent: it has no role. */
  readonly organization?: 'active';
};

/** The model is told about each trouble in turn, in its next main request, once, and then does well. */
export async function goesWrongAndRecovers(
  t: TestContext,
  cli: CliName,
  { troubles, steering, organization }: Wrong,
): Promise<void> {
  const script = goesWrong(cli, troubles);
  await using server = await ModelServer.start({ keys: [SECRET], script });
  await using dir = await tempDir();
  const signals = join(dir.path, 'signals');
  await mkdir(signals);
  await using at = await steeredBy(server.url, cli, { signals, steering });
  if (organization !== undefined) await writeOrganization(at, organization);
  const run = await at.submit(cli);
  const steered = await followSteered(at.client, run, server, signals);
  const { facts, anomalies, requestsAtSending } = steered;
  const told = anomalies.map(
    ({ detector, decision, why }) => `${detector} ${decision}${why ?? ''}`,
  );
  const expected = troubles.map(({ detector }) => `${detector} sent`);
  const result = resultOf(facts);
  t.diagnostic(anomalies.map(({ turn, words }) => `${turn} ${words}`).join('\n'));
  assert.deepEqual([told, result['summary']], [expected, 'All done.']);
  const requests = mainRequests(server);
  const messages = await at.client.messages(run);
  for (const { message = '' } of anomalies) {
    const first = requestsAtSending.get(message) ?? 0;
    const { state, times } = messages.find(({ id }) => id === message) ?? {};
    assert.deepEqual([state, times], ['seen', 1]);
    assert.deepEqual(
      timesIn(requests, messageMark(run, message)),
      requests.map((_, nth) => (nth < first ? 0 : 1)),
      `message ${message} is in the request after ${first}, and stays there once`,
    );
  }
  assertAppendOnly(requests);
}
