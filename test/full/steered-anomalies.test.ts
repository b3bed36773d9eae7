/**
 * Each real CLI is steered while its model goes wrong. What was found is in the next main request of its own
 * conversation, once. The beginning of the conversation never changes, and a model that obeys recovers.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RunId } from '../../src/base/ids.ts';
import { placeHashes } from '../../src/gateway/calls/insert-text.ts';
import { messageMark } from '../../src/messages/message-text.ts';
import type { AnomalyNote } from '../../src/protocol/contracts/steering-contract.ts';
import type { StoredEvent } from '../../src/protocol/event.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { workspacePaths } from '../../src/workspace/workspace.ts';
import type { CliName } from '../real/clis.ts';
import type { Trouble } from './going-wrong.ts';
import { CASCADE, CHECK_TURNS, CONTEXT_MAX, fullContext, goesWrong, LOOP } from './going-wrong.ts';
import { OSCILLATION, STALL } from './going-wrong.ts';
import type { SandboxedHarness } from '../real/sandboxed-harness.ts';
import { resultOf, SECRET } from '../real/sandboxed-harness.ts';
import { CLIS, harnessFor, isMissing, MODELS } from '../real/sandboxed-clis.ts';

const TIMEOUT_MS = 240_000;
const FULL = [fullContext(0.8), fullContext(0.9)];
/** Copilot CLI compacts its context itself at 80 %. The tools of opencode say of too few failures that they are one. */
const TROUBLES: Readonly<Record<CliName, readonly Trouble[]>> = {
  claude: [LOOP, OSCILLATION, CASCADE, STALL, ...FULL],
  codex: [LOOP, OSCILLATION, CASCADE, STALL, ...FULL],
  gemini: [LOOP, OSCILLATION, CASCADE, STALL, ...FULL],
  copilot: [LOOP, OSCILLATION, CASCADE, STALL],
  opencode: [LOOP, OSCILLATION, STALL, ...FULL],
};
const CLAUDE = 'claude-sonnet-4-5';

function steeredBy(url: string, cli: CliName): Promise<SandboxedHarness> {
  const model = MODELS[cli] ?? CLAUDE;
  const prices = [{ model, input: 0, output: 0, context_max: CONTEXT_MAX, output_max: 8000 }];
  const config = {
    agents: [{ id: cli, cli, model }],
    gateway: { prices },
    steering: { mode: 'steer', held_out: 0, check_turns: CHECK_TURNS },
  };
  return harnessFor([cli], url, { config });
}

/** The facts of the run when it has ended. A tool that waits continues when what was found in its turn is sent. */
async function followed(at: SandboxedHarness, run: string): Promise<readonly StoredEvent[]> {
  const id = { home: at.home, root: at.project, run: run as RunId, attempt: 1 };
  const { work } = workspacePaths(id);
  const facts: StoredEvent[] = [];
  const turns = new Map<string, number>();
  const sent = new Set<string>();
  for await (const fact of at.client.followRun(run, 0)) {
    facts.push(fact);
    if (fact.type !== 'command.noted') continue;
    const { note, key } = fact.payload;
    if (note.kind === 'anomaly' && note.message !== undefined) turns.set(note.message, note.turn);
    if (note.kind === 'sent') sent.add(key.split('-')[1] ?? '');
    for (const message of sent) {
      const turn = turns.get(message);
      if (turn === undefined) continue;
      await writeFile(join(work, `.go-${turn}`), '');
      sent.delete(message);
    }
  }
  return facts;
}

function anomaliesOf(facts: readonly StoredEvent[]): readonly AnomalyNote[] {
  return facts.flatMap((fact) => {
    if (fact.type !== 'command.noted' || fact.payload.note.kind !== 'anomaly') return [];
    return [fact.payload.note];
  });
}

/** The conversations of the main requests, in their order. */
function conversations(server: ModelServer): readonly (readonly unknown[])[] {
  return server.journal().flatMap(({ kind, body }) => {
    if (kind !== 'main') return [];
    const { messages, input, contents } = body as Record<string, readonly unknown[] | undefined>;
    return [messages ?? input ?? contents ?? []];
  });
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

describe('a real CLI whose model goes wrong', () => {
  for (const cli of CLIS)
    test(
      `${cli} is told in its next main request, once, and recovers each time`,
      { timeout: TIMEOUT_MS },
      async (t) => {
        if (isMissing(t, cli)) return;
        const script = goesWrong(cli, TROUBLES[cli]);
        await using server = await ModelServer.start({ keys: [SECRET], script });
        await using at = await steeredBy(server.url, cli);
        const run = await at.submit(cli);
        const facts = await followed(at, run);
        const found = anomaliesOf(facts);
        const told = found.map(
          ({ detector, decision, why }) => `${detector} ${decision}${why ?? ''}`,
        );
        const expected = TROUBLES[cli].map(({ detector }) => `${detector} sent`);
        const result = resultOf(facts);
        assert.deepEqual([told, result['summary']], [expected, 'All done.']);
        const requests = conversations(server);
        const messages = await at.client.messages(run);
        for (const { message = '', turn } of found) {
          const mark = messageMark(run, message);
          const times = requests.map((items) => JSON.stringify(items).split(mark).length - 1);
          const after = requests.length - turn;
          assert.deepEqual(times, [...Array(turn).fill(0), ...Array(after).fill(1)], message);
          const { state, times: seen } = messages.find(({ id }) => id === message) ?? {};
          assert.deepEqual([state, seen], ['seen', 1]);
        }
        assertAppendOnly(requests);
      },
    );
});
