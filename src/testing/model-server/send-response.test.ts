import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { ManualClock } from '../fakes/manual-clock.ts';
import { questionOn } from './ask-model.ts';
import type { Fault } from './model-faults.ts';
import type { RecordedExchange } from './request-journal.ts';
import { ModelServer } from './model-server.ts';
import type { WireName } from './model-wire.ts';

const WIRES: readonly WireName[] = ['anthropic', 'openai-responses', 'openai-chat', 'gemini'];
const WORDS = 'The quick brown fox jumps over the lazy dog, and then it does so again.';

type Seen = { readonly status: number; readonly body: string; readonly broke: boolean };

function started(fault?: Fault, clock?: ManualClock): Promise<ModelServer> {
  return ModelServer.start({
    script: { steps: [{ text: WORDS }] },
    faults: fault === undefined ? [] : [{ fault }],
    ...(clock !== undefined && { clock }),
  });
}

/** Sends one request and reads as far as possible: a broken answer is a result here. */
async function see(
  server: ModelServer,
  wire: WireName,
  stream: boolean,
  signal?: AbortSignal,
): Promise<Seen> {
  const { path, headers, body } = questionOn(wire, 'hi', { stream });
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  let status = 0;
  let text = '';
  try {
    const response = await fetch(
      server.url + path,
      signal === undefined ? init : { ...init, signal },
    );
    status = response.status;
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? [])
      text += decoder.decode(bytes as Uint8Array, { stream: true });
    return { status, body: text, broke: false };
  } catch {
    return { status, body: text, broke: true };
  }
}

async function once(fault: Fault, wire: WireName, stream: boolean) {
  await using server = await started(fault);
  const seen = await see(server, wire, stream);
  const ended = await server.waitForRequest(over, AbortSignal.timeout(5000));
  assert.deepEqual(ended.answered, { kind: 'fault', fault: fault.kind, step: 0 });
  return { ...seen, end: ended.end };
}

function open({ end }: RecordedExchange): boolean {
  return end === 'open';
}

function over({ end }: RecordedExchange): boolean {
  return end !== 'open';
}

const FINISH = /"stop_reason":"|"finish_reason":"|"finishReason":"|"response\.completed"/;

for (const wire of WIRES)
  for (const stream of [true, false]) {
    describe(`${wire}, ${stream ? 'streamed' : 'whole'}`, () => {
      test('an empty answer is a good status and nothing else', async () => {
        const seen = await once({ kind: 'empty' }, wire, stream);
        assert.deepEqual(seen, { status: 200, body: '', broke: false, end: 'sent' });
      });

      test('a malformed answer ends in order and is no JSON', async () => {
        const seen = await once({ kind: 'malformed-json' }, wire, stream);
        assert.deepEqual([seen.status, seen.broke, seen.end], [200, false, 'sent']);
        const data = stream ? (/^data: (.*)$/m.exec(seen.body)?.[1] ?? '') : seen.body;
        assert.throws(() => JSON.parse(data) as unknown, SyntaxError);
      });

      test('a web page is a good status', async () => {
        const seen = await once({ kind: 'html' }, wire, stream);
        assert.deepEqual([seen.status, seen.body.slice(0, 15)], [200, '<!doctype html>']);
      });

      test('a reset gives no status at all', async () => {
        const seen = await once({ kind: 'reset' }, wire, stream);
        assert.deepEqual(seen, { status: 0, body: '', broke: true, end: 'cut' });
      });

      test('a cut breaks in the middle of an event', async () => {
        const seen = await once({ kind: 'cut' }, wire, stream);
        assert.deepEqual([seen.status, seen.broke, seen.end], [200, true, 'cut']);
        assert.doesNotMatch(seen.body, /\n\n$/);
        assert.doesNotMatch(seen.body, FINISH);
      });

      test('an end without a finish is in order', async () => {
        const seen = await once({ kind: 'no-finish' }, wire, stream);
        assert.deepEqual([seen.status, seen.broke, seen.end], [200, false, 'sent']);
        assert.ok(seen.body.length > 0);
        assert.doesNotMatch(seen.body, FINISH);
      });

      test('an error comes inside the stream, or as a status without a stream', async () => {
        const seen = await once({ kind: 'error-event' }, wire, stream);
        assert.deepEqual([seen.status, seen.broke], [stream ? 200 : 529, false]);
        assert.match(seen.body, /overloaded/i);
        assert.doesNotMatch(seen.body, FINISH);
      });

      test('a drip is slow and complete', async () => {
        await using whole = await started();
        const clock = new ManualClock();
        await using server = await started({ kind: 'drip', everyMs: 1000, bytes: 64 }, clock);
        const dripping = see(server, wire, stream);
        const ended = server.waitForRequest(over, AbortSignal.timeout(5000));
        while (!(await isSettled(ended))) await clock.advance(1000);
        const expected = await see(whole, wire, stream);
        const seen = await dripping;
        assert.deepEqual([seen.status, seen.broke], [200, false]);
        assert.equal(withoutIds(seen.body), withoutIds(expected.body));
        assert.ok(clock.now() >= 1000 * Math.floor(seen.body.length / 64));
      });
    });
  }

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  return (await Promise.race([promise, Promise.resolve(undefined)])) !== undefined;
}

/** Only ids and times differ from server to server. */
function withoutIds(body: string): string {
  return body
    .replaceAll(/[a-z]+[_-][a-z0-9]{6,}\d{6}|"[a-z0-9]{4,}\d{6}"/g, 'id')
    .replaceAll(/"created(_at)?":\d+/g, '"created":0');
}

describe('a hang', () => {
  test('lasts until the client disconnects', async () => {
    await using server = await started({ kind: 'hang' });
    const control = new AbortController();
    const asked = see(server, 'anthropic', true, control.signal);
    await server.waitForRequest(open, AbortSignal.timeout(5000));
    control.abort();
    assert.equal((await asked).status, 0);
    const ended = await server.waitForRequest(over, AbortSignal.timeout(5000));
    assert.equal(ended.end, 'left-by-client');
  });

  test('lasts until its bound, and then the connection breaks', async () => {
    const clock = new ManualClock();
    await using server = await started({ kind: 'hang', boundMs: 60_000 }, clock);
    const asked = see(server, 'gemini', true);
    await server.waitForRequest(open, AbortSignal.timeout(5000));
    await clock.advance(59_999);
    assert.deepEqual(
      server.journal().map(({ end }) => end),
      ['open'],
    );
    await clock.advance(1);
    assert.deepEqual(await asked, { status: 0, body: '', broke: true });
    assert.deepEqual(
      server.journal().map(({ end }) => end),
      ['cut'],
    );
  });

  test('in a stream comes after its first event', async () => {
    const clock = new ManualClock();
    await using server = await started({ kind: 'hang', where: 'in-stream', boundMs: 1000 }, clock);
    const asked = see(server, 'openai-chat', true);
    await server.waitForRequest(open, AbortSignal.timeout(5000));
    while (clock.sleeping === 0) await clock.advance(0);
    await clock.advance(1000);
    const seen = await asked;
    assert.deepEqual([seen.status, seen.broke], [200, true]);
    assert.match(seen.body, /^data: \{.*\}\n\n$/);
  });

  test('ends when the server closes', async () => {
    const server = await started({ kind: 'hang' });
    const asked = see(server, 'openai-responses', false);
    await server.waitForRequest(open, AbortSignal.timeout(5000));
    await server.close();
    assert.deepEqual(await asked, { status: 0, body: '', broke: true });
  });
});

test('faults can be added and removed while the server runs', async () => {
  await using server = await started();
  const statuses: number[] = [];
  const ask = async () => statuses.push((await see(server, 'anthropic', false)).status);
  await ask();
  server.inject({ fault: { kind: 'rate-limit', retryAfterS: 3 }, times: 1 });
  await ask();
  await ask();
  server.inject({ fault: { kind: 'overloaded' } });
  await ask();
  server.clearFaults();
  await ask();
  assert.deepEqual(statuses, [200, 429, 200, 529, 200]);
});
