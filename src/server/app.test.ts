import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Hono } from 'hono';
import type { StoredEvent } from '../protocol/event.ts';
import type { RunView } from '../protocol/views/run-view.ts';
import { eventually } from '../../test/support/eventually.ts';
import { testOwner } from '../../test/support/test-owner.ts';
import type { TestOwner } from '../../test/support/test-owner.ts';
import { createApp } from './app.ts';

type World = TestOwner & { readonly app: Hono };

async function world(config = ''): Promise<World> {
  const given = await testOwner(config);
  return { ...given, app: createApp(given.owner) };
}

function post(app: Hono, path: string, body: unknown): Response | Promise<Response> {
  return app.request(path, { method: 'POST', body: JSON.stringify(body) });
}

async function submit({ app, project }: World, agent: string): Promise<RunView> {
  const response = await post(app, '/v1/runs', { task: 'do it', project, agent });
  assert.equal(response.status, 201, await response.clone().text());
  return (await response.json()) as RunView;
}

async function frames(response: Response): Promise<string[]> {
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  return (await response.text()).split('\n\n').filter(Boolean);
}

function chunk(stream: string, text: string): string {
  return `data: ${JSON.stringify({ key: 'attempt-1', stream, text, title: 'attempt-1: scripted:crashes' })}`;
}

describe('the owner over HTTP', { timeout: 300_000 }, () => {
  test('describes itself', async () => {
    await using given = await world();
    const view: unknown = await (await given.app.request('/v1/owner')).json();
    assert.deepEqual(view, given.owner.view());
  });

  test('accepts a run, streams its events to the end, and lists it', async () => {
    await using given = await world();
    const { app } = given;
    const { id } = await submit(given, 'scripted');
    const received = await frames(await app.request(`/v1/runs/${id}/events`));
    assert.deepEqual([received[0], received.at(-1)], [': following', 'event: end\ndata: {}']);
    const facts = received.slice(1, -1).map((frame) => JSON.parse(frame.slice(6)) as StoredEvent);
    const page: unknown = await (await app.request(`/v1/events?run=${id}`)).json();
    assert.deepEqual(page, facts);
    assert.deepEqual(
      facts.map(({ type }) => type),
      [
        'run.submitted',
        ...['command.begun', 'command.ended'], // the check of availability
        ...['command.begun', 'command.noted', 'command.noted', 'command.ended'], // its start and its turn
        ...['command.begun', 'command.ended'], // the finalization
        'run.ended',
      ],
    );
    const view: unknown = await (await app.request(`/v1/runs/${id}`)).json();
    assert.deepEqual(await (await app.request('/v1/runs?ended=true')).json(), [view]);
    assert.deepEqual(await (await app.request('/v1/runs?ended=false')).json(), []);
    assert.deepEqual(await (await app.request('/v1/runs?project=/other')).json(), []);
  });

  test('following a run that has ended, from its end, ends at once', async () => {
    await using given = await world();
    const { id } = await submit(given, 'scripted');
    await frames(await given.app.request(`/v1/runs/${id}/events`));
    for (const part of ['events?after=10', 'output?follow=true&after=10', 'output?after=99'])
      assert.deepEqual(
        await frames(await given.app.request(`/v1/runs/${id}/${part}`)),
        [': following', 'event: end\ndata: {}'],
        part,
      );
  });

  test('returns output as it came, or as text', async () => {
    await using given = await world();
    const { id } = await submit(given, 'scripted:crashes');
    const raw = await frames(await given.app.request(`/v1/runs/${id}/output?follow=true`));
    const words = await frames(await given.app.request(`/v1/runs/${id}/output?words=true`));
    const complaint = chunk('stderr', 'TypeError: cannot read properties of undefined\n');
    assert.deepEqual(
      new Set(raw.slice(1, -1)),
      new Set([chunk('stdout', '{"type":"text","text":"Let me look at the tests."}\n'), complaint]),
    );
    assert.deepEqual(words.slice(1, -1), [
      chunk('stdout', 'Let me look at the tests.\n'),
      complaint,
    ]);
  });

  test('sends signals to a run, forks it and resumes it', async () => {
    await using given = await world();
    const { app } = given;
    const { id } = await submit(given, 'scripted:never-speaks');
    assert.equal((await post(app, `/v1/runs/${id}/signals`, { kind: 'kill' })).status, 202);
    await frames(await app.request(`/v1/runs/${id}/events`));
    const forked = await post(app, `/v1/runs/${id}/fork`, { seq: 1 });
    const resumed = await post(app, `/v1/runs/${id}/resume`, undefined);
    for (const response of [forked, resumed]) {
      assert.equal(response.status, 201);
      const view = (await response.json()) as RunView;
      assert.equal(view.task, 'do it');
      assert.equal((await post(app, `/v1/runs/${view.id}/signals`, { kind: 'kill' })).status, 202);
      await frames(await app.request(`/v1/runs/${view.id}/events`));
    }
  });

  test('accepts a request to stop', async () => {
    await using given = await world();
    const response = await post(given.app, '/v1/owner/stop', undefined);
    assert.deepEqual(await response.json(), { stopping: true });
    assert.equal(await given.owner.lifetime.done, 'supervisor down');
  });
});

describe('a client that follows a run', { timeout: 300_000 }, () => {
  test('no longer keeps the owner running after it disconnects', async () => {
    await using given = await world('owner: { idle_exit: 1s }\n');
    const response = await given.app.request('/v1/events/follow');
    const reader = response.body?.getReader();
    await reader?.read();
    let isDone = false;
    void given.owner.lifetime.done.then(() => (isDone = true));
    await new Promise((resolve) => setTimeout(resolve, 2200)); // twice as long as it stays alone
    assert.equal(isDone, false);
    await reader?.cancel();
    await eventually('the end of the owner', () => isDone);
  });

  test('receives the closing of the owner after the last fact', async () => {
    await using given = await world();
    const { id } = await submit(given, 'scripted:never-speaks');
    const following = [
      `/v1/runs/${id}/events`,
      `/v1/runs/${id}/output?follow=true`,
      '/v1/events/follow',
    ];
    const responses = await Promise.all(following.map(async (path) => given.app.request(path)));
    const told = responses.map((response) => frames(response));
    given.owner.lifetime.beginToClose('a test');
    for (const all of await Promise.all(told)) assert.equal(all.at(-1), 'event: closing\ndata: {}');
  });
});
