import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Hono } from 'hono';
import { seededLuck } from '../base/luck.ts';
import type { RefusalData } from '../base/errors.ts';
import { Owner } from '../daemon/owner.ts';
import { homeAt } from '../host/home.ts';
import { systemClock } from '../host/system-clock.ts';
import { runStream } from '../protocol/event.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { RunView } from '../protocol/run-view.ts';
import { eventually } from '../testing/eventually.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { createApp } from './app.ts';

type World = AsyncDisposable & { readonly dir: string; readonly owner: Owner; readonly app: Hono };

function openOwner(dir: string): Promise<Owner> {
  return Owner.open({
    home: homeAt(dir, dir),
    version: '1.2.3',
    pid: process.pid,
    clock: systemClock,
    luck: seededLuck(1),
    node: process.execPath,
    agentEnv: { PATH: process.env['PATH'] ?? '' },
    log: () => {},
  });
}

async function world(config = ''): Promise<World> {
  const dir = await tempDir();
  await writeFile(join(dir.path, 'config.yaml'), config);
  const owner = await openOwner(dir.path);
  return {
    dir: dir.path,
    owner,
    app: createApp(owner),
    [Symbol.asyncDispose]: async () => {
      await owner.close('the test is over');
      await dir[Symbol.asyncDispose]();
    },
  };
}

function post(app: Hono, path: string, body: unknown): Response | Promise<Response> {
  return app.request(path, { method: 'POST', body: JSON.stringify(body) });
}

async function submit({ app, dir }: World, agent: string): Promise<RunView> {
  const response = await post(app, '/v1/runs', { task: 'do it', project: dir, agent });
  assert.equal(response.status, 201, await response.clone().text());
  return (await response.json()) as RunView;
}

async function frames(response: Response): Promise<string[]> {
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  return (await response.text()).split('\n\n').filter(Boolean);
}

describe('the owner over HTTP', { timeout: 60_000 }, () => {
  test('says who it is', async () => {
    await using given = await world();
    const view: unknown = await (await given.app.request('/v1/owner')).json();
    assert.deepEqual(view, given.owner.view());
  });

  test('takes a run, tells its facts to the end, and has it in its lists', async () => {
    await using given = await world();
    const { app } = given;
    const { id } = await submit(given, 'scripted');
    const told = await frames(await app.request(`/v1/runs/${id}/events`));
    assert.deepEqual([told[0], told.at(-1)], [': following', 'event: end\ndata: {}']);
    const facts = told.slice(1, -1).map((frame) => JSON.parse(frame.slice(6)) as StoredEvent);
    const page: unknown = await (await app.request(`/v1/events?run=${id}`)).json();
    assert.deepEqual(page, facts);
    assert.deepEqual(
      facts.map(({ type }) => type),
      ['run.submitted', 'command.begun', 'command.noted', 'command.ended', 'run.ended'],
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
    for (const part of ['events?after=5', 'output?follow=true&after=5', 'output?after=99'])
      assert.deepEqual(
        await frames(await given.app.request(`/v1/runs/${id}/${part}`)),
        [': following', 'event: end\ndata: {}'],
        part,
      );
  });

  test('gives output as it came, or in words', async () => {
    await using given = await world();
    const { id } = await submit(given, 'scripted:crashes');
    const raw = await frames(await given.app.request(`/v1/runs/${id}/output?follow=true`));
    const words = await frames(await given.app.request(`/v1/runs/${id}/output?words=true`));
    const chunk = (stream: string, text: string): string =>
      `data: ${JSON.stringify({ key: 'attempt-1', stream, text })}`;
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

  test('passes signals on, forks, and resumes', async () => {
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

  test('is asked to stop and says so', async () => {
    await using given = await world();
    const response = await post(given.app, '/v1/owner/stop', undefined);
    assert.deepEqual(await response.json(), { stopping: true });
    assert.equal(await given.owner.done, 'asked by a client');
  });
});

describe('the owner refuses', { timeout: 60_000 }, () => {
  const run = { task: 'do it', project: '/nowhere' };
  const cases: [
    why: string,
    method: string,
    path: string,
    body: string | undefined,
    status: number,
    error: Partial<RefusalData>,
  ][] = [
    [
      'what is not there',
      'GET',
      '/v2/runs',
      undefined,
      404,
      { code: 'request.invalid', message: 'There is nothing at /v2/runs.' },
    ],
    [
      'a body that is not JSON',
      'POST',
      '/v1/runs',
      '{"task":',
      400,
      {
        code: 'request.invalid',
        message: 'the request: Invalid input: expected object, received undefined',
      },
    ],
    [
      'a body of the wrong form',
      'POST',
      '/v1/runs',
      '{"task":"","project":"here","more":1}',
      400,
      { code: 'request.invalid' },
    ],
    [
      'a body that is too large',
      'POST',
      '/v1/runs',
      JSON.stringify({ ...run, task: 'x'.repeat(2_000_001) }),
      413,
      { code: 'request.invalid', message: 'The request has more than 2000000 bytes.' },
    ],
    [
      'an agent that is not there',
      'POST',
      '/v1/runs',
      JSON.stringify({ ...run, agent: 'nobody' }),
      400,
      { code: 'agent.unknown' },
    ],
    [
      'a setting that is wrong',
      'POST',
      '/v1/runs',
      JSON.stringify({ ...run, set: ['attempt.grace=soon'] }),
      400,
      { code: 'config.invalid' },
    ],
    ['a run that is no run', 'GET', '/v1/runs/..%2f', undefined, 400, { code: 'request.invalid' }],
    [
      'a run that is not there',
      'GET',
      '/v1/runs/0000000000',
      undefined,
      404,
      { code: 'run.not-found' },
    ],
    [
      'the facts of a run that is not there',
      'GET',
      '/v1/events?run=0000000000',
      undefined,
      404,
      { code: 'run.not-found' },
    ],
    [
      'the facts of what is no run',
      'GET',
      '/v1/events?run=owner',
      undefined,
      400,
      { code: 'request.invalid' },
    ],
    [
      'a signal to a run that is not there',
      'POST',
      '/v1/runs/0000000000/signals',
      '{"kind":"stop"}',
      404,
      { code: 'run.not-found' },
    ],
    [
      'a signal that is none',
      'POST',
      '/v1/runs/0000000000/signals',
      '{"kind":"dance"}',
      400,
      { code: 'request.invalid' },
    ],
    [
      'to fork what is not there',
      'POST',
      '/v1/runs/0000000000/fork',
      '{"seq":1}',
      404,
      { code: 'run.not-found' },
    ],
    [
      'to resume what is not there',
      'POST',
      '/v1/runs/0000000000/resume',
      undefined,
      404,
      { code: 'run.not-found' },
    ],
    [
      'a question that nobody asks',
      'GET',
      '/v1/runs?colour=red',
      undefined,
      400,
      { code: 'request.invalid' },
    ],
    [
      'a number that is none',
      'GET',
      '/v1/events?after=x',
      undefined,
      400,
      { code: 'request.invalid' },
    ],
    [
      'a wish that is no yes or no',
      'GET',
      '/v1/runs/0000000000/output?follow=perhaps',
      undefined,
      400,
      { code: 'request.invalid' },
    ],
  ];
  for (const [why, method, path, body, status, error] of cases) {
    test(why, async () => {
      await using given = await world();
      const response = await given.app.request(path, {
        method,
        ...(body === undefined ? {} : { body }),
      });
      const told = (await response.json()) as { error: RefusalData };
      assert.equal(response.status, status);
      assert.deepEqual({ ...told.error, ...error }, told.error);
    });
  }

  test('inside a stream, when that has already begun', async () => {
    await using given = await world();
    for (const part of ['events', 'output']) {
      const [, refusal] = await frames(await given.app.request(`/v1/runs/0000000000/${part}`));
      assert.match(refusal ?? '', /^event: refusal\ndata: \{"code":"run.not-found",/);
    }
  });

  test('to keep anybody waiting for a run that a fault of ours has stopped', async () => {
    await using given = await world();
    const { dir, owner } = given;
    const submission = { program: 'of-another-version', task: 'x', project: '/p', settings: {} };
    await owner.journal.append(
      runStream('aaaaaaaaaa'),
      0,
      [{ type: 'run.submitted', payload: submission }],
      systemClock.now(),
    );
    await owner.close('to see it again');
    const again = await openOwner(dir);
    try {
      const told = await frames(await createApp(again).request('/v1/runs/aaaaaaaaaa/events'));
      assert.match(told.at(-1) ?? '', /^event: defect\ndata: ".*of-another-version/);
      assert.deepEqual(
        again.view().defects.map(({ run }) => run),
        ['aaaaaaaaaa'],
      );
    } finally {
      await again.close('the test is over');
    }
  });
});

describe('whoever follows', { timeout: 60_000 }, () => {
  test('and leaves no longer keeps the owner', async () => {
    await using given = await world('owner: { idle_exit: 1s }\n');
    const response = await given.app.request('/v1/events/follow');
    const reader = response.body?.getReader();
    await reader?.read();
    let isDone = false;
    void given.owner.done.then(() => (isDone = true));
    await new Promise((resolve) => setTimeout(resolve, 2200)); // twice as long as it stays alone
    assert.equal(isDone, false);
    await reader?.cancel();
    await eventually('the end of the owner', () => isDone);
  });

  test('hears when the owner closes, after the last fact', async () => {
    await using given = await world();
    const { id } = await submit(given, 'scripted:never-speaks');
    const following = [
      `/v1/runs/${id}/events`,
      `/v1/runs/${id}/output?follow=true`,
      '/v1/events/follow',
    ];
    const responses = await Promise.all(following.map((path) => given.app.request(path)));
    const told = responses.map((response) => frames(response));
    given.owner.beginToClose('a test');
    for (const all of await Promise.all(told)) assert.equal(all.at(-1), 'event: closing\ndata: {}');
  });
});
