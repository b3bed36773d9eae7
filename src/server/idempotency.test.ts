/** Commands that are sent twice with one key, to one owner or to the next (R5). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Owner } from '../owner/owner.ts';
import type { StoredEvent } from '../protocol/event.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { openTestOwner, testOwner } from '../../test/support/test-owner.ts';
import { createApp } from './app.ts';

type Answer = { readonly status: number; readonly body: Record<string, unknown> };

async function post(owner: Owner, path: string, body: unknown, key: string): Promise<Answer> {
  const headers = { 'idempotency-key': key };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await createApp(owner).request(path, { method: 'POST', headers, ...sent });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function facts(owner: Owner): Promise<readonly StoredEvent[]> {
  return owner.journal.readAll({ after: 0, limit: 1000 });
}

async function count(owner: Owner, type: string): Promise<number> {
  return (await facts(owner)).filter((fact) => fact.type === type).length;
}

describe('a command that is sent again with its key', { timeout: 300_000 }, () => {
  test('creates one run: at once, later, and with the next owner', async () => {
    await using dir = await tempDir();
    await using project = await tempDir();
    const request = { task: 'do it', project: project.path, agent: 'scripted:never-speaks' };
    await using opened = new AsyncDisposableStack();
    const open = async (): Promise<Owner> =>
      opened.adopt(await openTestOwner(dir.path), (one) => one.close('the test is over'));
    const first = await open();
    const [one, two] = await Promise.all([
      post(first, '/v1/runs', request, 'k'),
      post(first, '/v1/runs', request, 'k'),
    ]);
    const three = await post(first, '/v1/runs', request, 'k');
    await first.close('the test wants it');
    const second = await open();
    const four = await post(second, '/v1/runs', request, 'k');
    assert.deepEqual(
      [one, two, three, four].map(({ status }) => status),
      [201, 201, 201, 201],
    );
    assert.equal(new Set([one, two, three, four].map(({ body }) => body['id'])).size, 1);
    assert.equal(await count(second, 'run.submitted'), 1);
    const other = await post(second, '/v1/runs', request, 'k2');
    assert.notEqual(other.body['id'], one.body['id']);
  });

  test('from a shell with another environment is the same command, and with another --notify it is not', async () => {
    await using dir = await tempDir();
    await using at = await testOwner();
    const { owner } = at;
    const request = { task: 'do it', project: dir.path, agent: 'scripted:never-speaks' };
    const first = await post(owner, '/v1/runs', { ...request, isUsualNotify: true }, 'k');
    const usual = { ...request, notify: 'true', isUsualNotify: true };
    const again = await post(owner, '/v1/runs', usual, 'k');
    assert.deepEqual([again.status, again.body['id']], [201, first.body['id']]);
    const named = await post(owner, '/v1/runs', { ...request, notify: 'true' }, 'k');
    assert.equal(named.status, 409);
  });

  test('with another body is refused, and so is an invalid key', async () => {
    await using dir = await tempDir();
    await using at = await testOwner();
    const { owner } = at;
    const request = { task: 'do it', project: dir.path, agent: 'scripted:never-speaks' };
    await post(owner, '/v1/runs', request, 'k');
    const { status, body } = await post(owner, '/v1/runs', { ...request, task: 'other' }, 'k');
    assert.deepEqual(
      [status, (body['error'] as { code: string }).code],
      [409, 'request.key-reused'],
    );
    for (const key of ['with space', 'x'.repeat(201)])
      assert.equal((await post(owner, '/v1/runs', request, key)).status, 400, key);
    assert.equal(await count(owner, 'run.submitted'), 1);
  });

  test('is one signal, even if the run has ended since, and one resumed run', async () => {
    await using dir = await tempDir();
    await using at = await testOwner();
    const { owner } = at;
    const request = { task: 'do it', project: dir.path, agent: 'scripted:never-speaks' };
    const { body } = await post(owner, '/v1/runs', request, 'k');
    const path = `/v1/runs/${String(body['id'])}`;
    assert.equal((await post(owner, `${path}/signals`, { kind: 'kill' }, 'end')).status, 202);
    const end = new AbortController();
    for await (const _ of owner.followRun(body['id'] as never, 0, end.signal)) continue;
    assert.equal((await post(owner, `${path}/signals`, { kind: 'kill' }, 'end')).status, 202);
    assert.equal((await post(owner, `${path}/signals`, { kind: 'kill' }, 'more')).status, 409);
    assert.equal(await count(owner, 'signal.received'), 1);

    const resumed = await post(owner, `${path}/resume`, undefined, 'again');
    const same = await post(owner, `${path}/resume`, undefined, 'again');
    assert.deepEqual([resumed.status, same.body['id']], [201, resumed.body['id']]);
    assert.notEqual(resumed.body['id'], body['id']);
    assert.equal(await count(owner, 'run.forked'), 1);
  });

  test('is one long-lived agent, one message and one dismissal', async () => {
    await using dir = await tempDir();
    await using at = await testOwner();
    const { owner } = at;
    const project = dir.path;
    const spawn = { assignment: 'wait', name: 'docs', project, agent: 'scripted:never-speaks' };
    const one = await post(owner, '/v1/agents', spawn, 'spawn');
    const two = await post(owner, '/v1/agents', spawn, 'spawn');
    assert.deepEqual([one.status, two.status, two.body['id']], [201, 201, one.body['id']]);
    for (const key of ['say', 'say'])
      await post(owner, '/v1/agents/docs/messages', { text: 'hello', project }, key);
    for (const key of ['go', 'go']) {
      const { status } = await post(owner, '/v1/agents/docs/dismiss', { project }, key);
      assert.equal(status, 202);
    }
    const kinds = (await facts(owner)).flatMap(({ type, payload }) =>
      type === 'signal.received' ? [payload.signal.kind] : [],
    );
    assert.deepEqual(
      ['message', 'dismiss'].map((kind) => kinds.filter((one) => one === kind).length),
      [1, 1],
    );
  });
});
