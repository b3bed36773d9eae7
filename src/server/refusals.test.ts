import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RefusalData } from '../base/errors.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { runStream } from '../protocol/event.ts';
import { openTestOwner, testOwner } from '../../test/support/test-owner.ts';
import { createApp } from './app.ts';

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
      'case 43: a body that is nested without end',
      'POST',
      '/v1/runs',
      `{"task":"x","project":"/p","set":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
      400,
      { code: 'request.invalid' },
    ],
    [
      'case 43: a body that would change what all objects have',
      'POST',
      '/v1/runs',
      `{"task":"x","project":"/p","__proto__":{"agent":"scripted"}}`,
      400,
      { code: 'request.invalid' },
    ],
    [
      'case 43: a number that is none',
      'POST',
      '/v1/runs/0000000000/fork',
      '{"seq":1e999}',
      400,
      { code: 'request.invalid' },
    ],
    [
      'case 46: a run whose name climbs',
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

  test('inside a stream, when that has already begun', async () => {
    await using given = await testOwner();
    for (const part of ['events', 'output']) {
      const [, refusal] = await frames(
        await createApp(given.owner).request(`/v1/runs/0000000000/${part}`),
      );
      assert.match(refusal ?? '', /^event: refusal\ndata: \{"code":"run.not-found",/);
    }
  });

  test('to keep anybody waiting for a run that a fault of ours has stopped', async () => {
    await using given = await testOwner();
    const { dir, owner } = given;
    const submission = { program: 'of-another-version', task: 'x', project: '/p', settings: {} };
    await owner.journal.append(
      runStream('aaaaaaaaaa'),
      0,
      [{ type: 'run.submitted', payload: submission }],
      systemClock.now(),
    );
    await owner.close('to see it again');
    const again = await openTestOwner(dir);
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
