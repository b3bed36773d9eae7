import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RefusalData } from '../base/errors.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { runStream } from '../protocol/streams.ts';
import { openTestOwner, testOwner } from '../../test/support/test-owner.ts';
import { createApp } from './app.ts';
import { runEvent } from '../../test/support/run-event.ts';

async function frames(response: Response): Promise<string[]> {
  return (await response.text()).split('\n\n').filter(Boolean);
}

describe('the owner refuses', { timeout: 300_000 }, () => {
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
      'an unknown path',
      'GET',
      '/v2/runs',
      undefined,
      404,
      { code: 'request.invalid', message: 'Unknown path: /v2/runs.' },
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
      'a body with wrong fields',
      'POST',
      '/v1/runs',
      '{"task":"","project":"here","more":1}',
      400,
      { code: 'request.invalid' },
    ],
    [
      'case 43: a body that is nested too deeply',
      'POST',
      '/v1/runs',
      `{"task":"x","project":"/p","set":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
      400,
      { code: 'request.invalid' },
    ],
    [
      'case 43: a body that would change the prototype of all objects',
      'POST',
      '/v1/runs',
      `{"task":"x","project":"/p","__proto__":{"agent":"scripted"}}`,
      400,
      { code: 'request.invalid' },
    ],
    [
      'case 43: an invalid number',
      'POST',
      '/v1/runs/0000000000/fork',
      '{"seq":1e999}',
      400,
      { code: 'request.invalid' },
    ],
    [
      'case 46: a run id that is a path to a parent folder',
      'GET',
      '/v1/runs/..%2f..%2f..%2fetc/artifacts',
      undefined,
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
      'an unknown agent',
      'POST',
      '/v1/runs',
      JSON.stringify({ ...run, agent: 'nobody' }),
      400,
      { code: 'agent.unknown' },
    ],
    [
      'an invalid setting',
      'POST',
      '/v1/runs',
      JSON.stringify({ ...run, set: ['attempt.grace=soon'] }),
      400,
      { code: 'config.invalid' },
    ],
    ['a run that is no run', 'GET', '/v1/runs/..%2f', undefined, 400, { code: 'request.invalid' }],
    ['an unknown run', 'GET', '/v1/runs/0000000000', undefined, 404, { code: 'run.not-found' }],
    [
      'the events of an unknown run',
      'GET',
      '/v1/events?run=0000000000',
      undefined,
      404,
      { code: 'run.not-found' },
    ],
    [
      'the events of an invalid run id',
      'GET',
      '/v1/events?run=owner',
      undefined,
      400,
      { code: 'request.invalid' },
    ],
    [
      'a signal to an unknown run',
      'POST',
      '/v1/runs/0000000000/signals',
      '{"kind":"stop"}',
      404,
      { code: 'run.not-found' },
    ],
    [
      'an unknown signal',
      'POST',
      '/v1/runs/0000000000/signals',
      '{"kind":"dance"}',
      400,
      { code: 'request.invalid' },
    ],
    [
      'to fork an unknown run',
      'POST',
      '/v1/runs/0000000000/fork',
      '{"seq":1}',
      404,
      { code: 'run.not-found' },
    ],
    [
      'to resume an unknown run',
      'POST',
      '/v1/runs/0000000000/resume',
      undefined,
      404,
      { code: 'run.not-found' },
    ],
    [
      'an answer to a run without a question',
      'GET',
      '/v1/runs?colour=red',
      undefined,
      400,
      { code: 'request.invalid' },
    ],
    [
      'an invalid number in a query',
      'GET',
      '/v1/events?after=x',
      undefined,
      400,
      { code: 'request.invalid' },
    ],
    [
      'an invalid boolean in a query',
      'GET',
      '/v1/runs/0000000000/output?follow=perhaps',
      undefined,
      400,
      { code: 'request.invalid' },
    ],
  ];
  for (const [why, method, path, body, status, error] of cases) {
    test(why, async () => {
      await using given = await testOwner();
      const response = await createApp(given.owner).request(path, {
        method,
        ...(body === undefined ? {} : { body }),
      });
      const told = (await response.json()) as { error: RefusalData };
      assert.equal(response.status, status);
      assert.deepEqual({ ...told.error, ...error }, told.error);
    });
  }

  test('inside a stream, if that has already started', async () => {
    await using given = await testOwner();
    for (const part of ['events', 'output']) {
      const [, refusal] = await frames(
        await createApp(given.owner).request(`/v1/runs/0000000000/${part}`),
      );
      assert.match(refusal ?? '', /^event: refusal\ndata: \{"code":"run.not-found",/);
    }
  });

  test('to let a client wait for a run that a defect has stopped', async () => {
    await using given = await testOwner();
    const { dir, owner } = given;
    const submission = { program: 'of-another-version', task: 'x', project: '/p', settings: {} };
    await owner.journal.append(
      runStream('aaaaaaaaaa'),
      0,
      [runEvent({ type: 'run.submitted', payload: submission })],
      systemClock.now(),
    );
    await owner.close('to see it again');
    const again = await openTestOwner(dir);
    try {
      const received = await frames(await createApp(again).request('/v1/runs/aaaaaaaaaa/events'));
      assert.match(received.at(-1) ?? '', /^event: defect\ndata: ".*of-another-version/);
      assert.deepEqual(
        again.view().defects.map(({ run }) => run),
        ['aaaaaaaaaa'],
      );
    } finally {
      await again.close('the test is over');
    }
  });
});
