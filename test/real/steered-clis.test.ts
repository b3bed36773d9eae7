/**
 * A message reaches each real CLI while it works: the provider's own journal has it in the next main request, once, and
 * the beginning of the conversation never changes after that.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RunId } from '../../src/base/ids.ts';
import { placeHashes } from '../../src/gateway/calls/insert-text.ts';
import { messageMark } from '../../src/messages/message-text.ts';
import type { MessageView } from '../../src/protocol/views/message-view.ts';
import type { ScriptFunction } from '../../src/testing/model-server/model-script.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { workspacePaths } from '../../src/workspace/workspace.ts';
import { eventually } from '../support/eventually.ts';
import type { CliName } from './clis.ts';
import type { SandboxedHarness } from './sandboxed-harness.ts';
import { resultOf, SECRET } from './sandboxed-harness.ts';
import { CLIS, harnessFor, isMissing, shellCall } from './sandboxed-clis.ts';

const TIMEOUT_MS = 240_000;
const WITHIN_MS = 60_000;
const TEXT = 'Keep the old name of the function.';
/** The tool call during which the message is sent, and how many there are. */
const HELD_STEP = 1;
const STEPS = 4;

/** The second tool call waits for a file, so that the message arrives while it runs. */
function toolLoop(cli: CliName): ScriptFunction {
  return ({ toolResults, kind }) => {
    if (kind === 'side') return undefined;
    if (toolResults >= STEPS) return { text: 'All done.' };
    const wait = 'touch waiting; until [ -e go ]; do sleep 0.1; done; ';
    const line = `${toolResults === HELD_STEP ? wait : ''}echo step ${toolResults}`;
    return { text: `Step ${toolResults}.`, calls: [shellCall(cli, line)] };
  };
}

/** The conversations of the main requests, in their order. */
function conversations(server: ModelServer): readonly (readonly unknown[])[] {
  return server.journal().flatMap(({ kind, body }) => {
    if (kind !== 'main') return [];
    const { messages, input, contents } = body as Record<string, readonly unknown[] | undefined>;
    return [messages ?? input ?? contents ?? []];
  });
}

/** Names the place after each item, as the provider's cache does. */
function placesOf(items: readonly unknown[]): readonly string[] {
  return placeHashes(items as Parameters<typeof placeHashes>[0]);
}

async function oneMessage(at: SandboxedHarness, run: string): Promise<MessageView | undefined> {
  return (await at.client.messages(run))[0];
}

async function steered(
  at: SandboxedHarness,
  cli: CliName,
): Promise<{ readonly run: string; readonly sent: MessageView }> {
  const run = await at.submit(cli);
  const id = { home: at.home, root: at.project, run: run as RunId, attempt: 1 };
  const { work } = workspacePaths(id);
  await eventually('its tool waits', () => existsSync(join(work, 'waiting')), WITHIN_MS);
  const sent = await at.client.tell(run, { verb: 'steer', text: TEXT });
  const isSent = async (): Promise<boolean> => (await oneMessage(at, run))?.state === 'sent';
  await eventually('the message is sent', isSent, WITHIN_MS);
  await writeFile(join(work, 'go'), '');
  return { run, sent };
}

describe('a message to a real CLI that works', () => {
  for (const cli of CLIS)
    test(
      `${cli} has it in its next main request, once, and in the same place ever after`,
      { timeout: TIMEOUT_MS },
      async (t) => {
        if (isMissing(t, cli)) return;
        await using server = await ModelServer.start({ keys: [SECRET], script: toolLoop(cli) });
        await using at = await harnessFor([cli], server.url);
        const { run, sent } = await steered(at, cli);
        const result = resultOf(await at.factsOf(run));
        assert.equal(result['kind'], 'completed', JSON.stringify(result));
        const requests = conversations(server);
        const mark = messageMark(run, sent.id);
        const times = requests.map((items) => JSON.stringify(items).split(mark).length - 1);
        const before = HELD_STEP + 1;
        const after = requests.length - before;
        assert.ok(after > 1);
        assert.deepEqual(times, [...Array(before).fill(0), ...Array(after).fill(1)]);
        assert.ok(JSON.stringify(requests.at(-1)).includes(TEXT));
        for (const [place, items] of requests.slice(1).entries()) {
          const earlier = placesOf(requests[place] ?? []);
          const beginning = placesOf(items.slice(0, earlier.length));
          assert.equal(beginning.at(-1), earlier.at(-1), `request ${place + 2} only adds`);
        }
        const message = await oneMessage(at, run);
        t.diagnostic(`${cli}: ${message?.channel ?? 'none'}, call ${message?.request ?? 0}`);
        assert.deepEqual([message?.state, message?.times, message?.why], ['seen', 1, null]);
      },
    );
});
