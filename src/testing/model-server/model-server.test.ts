import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import type { ModelQuestion } from './ask-model.ts';
import { questionOn } from './ask-model.ts';
import type { ModelServerOptions } from './model-server.ts';
import { ModelServer } from './model-server.ts';
import type { WireName } from './model-wire.ts';

const WIRES: readonly WireName[] = ['anthropic', 'openai-responses', 'openai-chat', 'gemini'];

function start(more: Partial<ModelServerOptions> = {}): Promise<ModelServer> {
  return ModelServer.start({ script: { steps: [{ text: 'All done.' }] }, ...more });
}

function ask(server: ModelServer, { path, headers, body }: ModelQuestion, signal?: AbortSignal) {
  return fetch(server.url + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
}

describe('every wire', () => {
  for (const wire of WIRES) {
    test(`${wire} answers a request, streamed and not`, async () => {
      await using server = await start();
      for (const stream of [false, true]) {
        const response = await ask(server, questionOn(wire, 'hi', { stream }));
        const output = await response.text();
        assert.equal(response.status, 200, output);
        const type = stream ? 'text/event-stream; charset=utf-8' : 'application/json';
        assert.equal(response.headers.get('content-type'), type);
        assert.match(output, /All done\./);
      }
      assert.deepEqual(
        server.journal().map(({ wire, kind, answered, end }) => ({ wire, kind, answered, end })),
        [1, 2].map(() => ({
          wire,
          kind: 'main',
          answered: { kind: 'step', step: 0 },
          end: 'sent',
        })),
      );
    });

    test(`${wire} refuses a caller without a key, or with a wrong one`, async () => {
      await using server = await start({ keys: ['the-right-one'] });
      const question = questionOn(wire, 'hi');
      const bare = { ...question, headers: { 'anthropic-version': '2023-06-01' } };
      const statuses = [(await ask(server, bare)).status, (await ask(server, question)).status];
      assert.deepEqual(statuses, wire === 'gemini' ? [403, 400] : [401, 401]);
      assert.deepEqual(
        server.journal().map(({ answered }) => answered),
        [
          { kind: 'refused', rule: 'key', message: 'no-key' },
          { kind: 'refused', rule: 'key', message: 'bad-key' },
        ],
      );
    });

    test(`${wire} refuses requests that break its rules, in its own format`, async () => {
      await using server = await start();
      const question = questionOn(wire, 'hi', { stream: true });
      const response = await ask(server, { ...question, body: { ...question.body, wrong: 1 } });
      assert.equal(response.status, 400);
      assert.match(await response.text(), /"error":\{.*wrong/);
      const [exchange] = server.journal();
      assert.deepEqual(
        exchange?.answered.kind === 'refused' && exchange.answered.rule,
        `${wire}:known-keys`,
      );
    });

    test(`${wire} accepts a broken rule that is not enforced, and records it`, async () => {
      await using server = await start({ tolerate: [`${wire}:known-keys`] });
      const question = questionOn(wire, 'hi', { stream: true });
      const response = await ask(server, { ...question, body: { ...question.body, wrong: 1 } });
      await response.text();
      const [exchange] = server.journal();
      assert.deepEqual([response.status, exchange?.tolerated], [200, [`${wire}:known-keys`]]);
    });

    test(`${wire} refuses a body that is no JSON, and a model that does not exist`, async () => {
      await using server = await start({ models: ['another'] });
      const { path, headers, body } = questionOn(wire, 'hi');
      const statuses: number[] = [];
      for (const text of ['{"a":', '[]', JSON.stringify(body)])
        statuses.push(
          (await fetch(server.url + path, { method: 'POST', headers, body: text })).status,
        );
      assert.deepEqual(statuses, [400, 400, 404]);
    });

    test(`${wire} answers a compaction with a summary, not with a step`, async () => {
      await using server = await start();
      const words = 'Your task is to create a detailed summary of the conversation so far.';
      const response = await ask(server, questionOn(wire, words));
      assert.match(await response.text(), /A summary of the work so far\./);
      assert.deepEqual(server.journal()[0]?.answered, { kind: 'compaction' });
    });

    test(`${wire} answers a side call without using up a step`, async () => {
      await using server = await start({ side: { text: 'A title' } });
      const question = questionOn(wire, 'hi');
      const { tools: _tools, ...body } = question.body;
      const response = await ask(server, { ...question, body });
      assert.match(await response.text(), /A title/);
      assert.deepEqual(server.journal()[0]?.answered, { kind: 'side' });
    });
  }
});

describe('the paths', () => {
  const cases: [
    why: string,
    method: string,
    path: string,
    headers: object,
    status: number,
    body: RegExp,
  ][] = [
    ['a probe needs no key', 'HEAD', '/', {}, 200, /^$/],
    [
      'models of Anthropic',
      'GET',
      '/v1/models',
      { 'x-api-key': 'k', 'anthropic-version': '1' },
      200,
      /"data":\[\{"type":"model"/,
    ],
    [
      'models of OpenAI',
      'GET',
      '/v1/models',
      { authorization: 'Bearer k' },
      200,
      /"object":"list"/,
    ],
    ['models of Gemini', 'GET', '/v1beta/models?key=k', {}, 200, /"models":\[\{"name":"models\//],
    ['one model', 'GET', '/v1/models/gpt-5.5', { authorization: 'Bearer k' }, 200, /^\{"id":"gpt/],
    [
      'an unknown model',
      'GET',
      '/v1/models/gpt-1',
      { authorization: 'Bearer k' },
      404,
      /gpt-1|model/,
    ],
    ['a wrong path of OpenAI', 'POST', '/v1/chat', {}, 404, /Invalid URL \(POST \/v1\/chat\)/],
    ['a wrong path of Anthropic', 'POST', '/v1/messages/batch', {}, 404, /"not_found_error"/],
    ['a wrong path of Gemini', 'POST', '/v1beta/x', {}, 404, /"status":"NOT_FOUND"/],
    ['a wrong method', 'GET', '/v1/messages', {}, 404, /"not_found_error"/],
  ];
  for (const [why, method, path, headers, status, body] of cases)
    test(why, async () => {
      await using server = await start();
      const response = await fetch(server.url + path, { method, headers: { ...headers } });
      assert.match(await response.text(), body);
      assert.equal(response.status, status);
    });

  test('tokens are counted on the wires that have a path for it', async () => {
    await using server = await start();
    const { headers, body } = questionOn('anthropic', 'hi');
    const { max_tokens: _max, stream: _stream, ...counted } = body;
    const path = '/v1/messages/count_tokens';
    const first = await ask(server, { path, headers, body: counted });
    assert.deepEqual(Object.keys((await first.json()) as object), ['input_tokens']);
    const question = questionOn('gemini', 'hi');
    const second = await ask(server, {
      path: '/v1beta/models/m:countTokens',
      headers: question.headers,
      body: { contents: question.body['contents'] },
    });
    assert.deepEqual(Object.keys((await second.json()) as object), ['totalTokens']);
    assert.deepEqual(
      server.journal().map(({ kind, answered }) => [kind, answered.kind]),
      [
        ['count', 'count'],
        ['count', 'count'],
      ],
    );
  });

  test('a websocket is refused in favour of plain HTTP', async () => {
    await using server = await start();
    const output = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () =>
        socket.write(
          'GET /v1/responses HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n',
        ),
      );
      let text = '';
      socket.on('data', (bytes) => (text += bytes.toString()));
      socket.on('error', reject).on('close', () => resolve(text));
    });
    assert.match(output, /^HTTP\/1\.1 426 Upgrade Required/);
    assert.deepEqual(
      server.journal().map(({ kind, status, end }) => ({ kind, status, end })),
      [{ kind: 'probe', status: 426, end: 'sent' }],
    );
  });
});

describe('a request', () => {
  test('that is larger than the bound is refused', async () => {
    await using server = await start({ requestBytesMax: 500 });
    const response = await ask(server, questionOn('anthropic', 'x'.repeat(500)));
    assert.equal(response.status, 413);
    assert.match(await response.text(), /request_too_large/);
  });

  test('may be compressed, but not to hide its size', async () => {
    await using server = await start({ requestBytesMax: 5000 });
    const { path, headers, body } = questionOn('openai-chat', 'hi');
    const post = (text: string) =>
      fetch(server.url + path, {
        method: 'POST',
        headers: { ...headers, 'content-encoding': 'gzip' },
        body: gzipSync(text),
      });
    const statuses = [await post(JSON.stringify(body)), await post(' '.repeat(100_000))];
    assert.deepEqual(
      statuses.map(({ status }) => status),
      [200, 413],
    );
  });

  test('is recorded without its secrets', async () => {
    await using server = await start();
    for (const wire of WIRES) await (await ask(server, questionOn(wire, 'hi'))).text();
    await (await fetch(`${server.url}/v1beta/models?key=sk-test-0123456789`)).text();
    assert.doesNotMatch(JSON.stringify(server.journal()), /sk-test-0123456789/);
  });
});

describe('a script given as a function', () => {
  test('sees the conversation and may return no answer', async () => {
    const seen: string[] = [];
    await using server = await start({
      script: ({ wire, kind, toolResults, units }) => {
        seen.push(`${wire} ${kind} ${toolResults} ${units.length}`);
        return undefined;
      },
    });
    assert.match(await (await ask(server, questionOn('gemini', 'hi'))).text(), /Done\./);
    assert.deepEqual(seen, ['gemini main 0 1']);
  });

  test('that throws gives a 500, and close rejects with the error', async () => {
    const server = await start({
      script: () => {
        throw new Error('my script is wrong');
      },
    });
    assert.equal((await ask(server, questionOn('gemini', 'hi'))).status, 500);
    await assert.rejects(server.close(), (error) => {
      assert.ok(error instanceof AggregateError);
      return /my script is wrong/.test(String(error.errors[0]));
    });
  });
});
