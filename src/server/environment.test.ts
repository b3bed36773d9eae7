/** The environment that a command sends: what the owner does with it, and where it never appears. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRecord } from '../base/json.ts';
import type { Owner } from '../owner/owner.ts';
import { testOwner } from '../../test/support/test-owner.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { createApp } from './app.ts';

const CANARY = 'canary-0123456789-never-stored';

type Answer = { readonly status: number; readonly text: string };

async function send(
  owner: Owner,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await createApp(owner).request(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers,
  });
  return { status: response.status, text: await response.text() };
}

async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const found = await Promise.all(
    files.map(async (file) => ((await readFile(file)).includes(text) ? [file] : [])),
  );
  return found.flat();
}

describe('the environment of a command', { timeout: 300_000 }, () => {
  test('is asked for by name, as the agents need it', async () => {
    await using at = await testOwner();
    await using project = await tempDir();
    const names = async (more: object): Promise<unknown> => {
      const { text } = await send(at.owner, '/v1/environment', { project: project.path, ...more });
      return JSON.parse(text);
    };
    assert.deepEqual(await names({ agent: 'scripted' }), { names: ['PATH'] });
    assert.deepEqual(await names({ agent: 'gemini' }), {
      names: ['PATH', 'GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL'],
    });
  });

  test('gives a run its PATH and leaves its values out of every fact, file and answer', async () => {
    await using at = await testOwner();
    await using project = await tempDir();
    const environment = { PATH: '/somewhere/bin:relative', ANTHROPIC_API_KEY: CANARY };
    const request = { task: 'do it', project: project.path, agent: 'scripted' };
    const headers = { 'idempotency-key': 'k' };
    const sent = { ...request, environment };
    const { status, text } = await send(at.owner, '/v1/runs', sent, headers);
    assert.equal(status, 201, text);
    const view: unknown = JSON.parse(text);
    const run = isRecord(view) ? String(view['id']) : '';
    for await (const _ of at.owner.followRun(run as never, 0, new AbortController().signal))
      continue;
    const [first] = await at.owner.journal.readStream(`run/${run}`, { after: 0, limit: 1 });
    assert.ok(first?.type === 'run.submitted');
    assert.equal(first.payload.path, '/somewhere/bin', 'a relative folder is left out');
    const again = await send(at.owner, '/v1/runs', { ...request, environment: {} }, headers);
    assert.equal(again.status, 201, 'the environment is no part of the command');
    const answers = await Promise.all(
      [`/v1/runs/${run}`, `/v1/runs/${run}/why`, `/v1/events?run=${run}`].map(async (path) =>
        (await createApp(at.owner).request(path)).text(),
      ),
    );
    assert.doesNotMatch([text, ...answers].join(''), new RegExp(CANARY));
    assert.deepEqual(await filesWith(at.dir, CANARY), []);
  });

  test('of a page is refused: it could decide which programs run', async () => {
    await using at = await testOwner();
    const body = JSON.stringify({ choice: 'yes', environment: { PATH: '/tmp/of-a-page' } });
    const post = { method: 'POST', body };
    for (const path of ['answer', 'fork']) {
      const url = `/v1/runs/0123456789/${path}`;
      const answer = await createApp(at.owner).request(url, post, { channel: 'web' });
      assert.equal(answer.status, 400);
      assert.match(await answer.text(), /A page may not send an environment/);
    }
  });

  test('is refused if it is no environment, and the message does not repeat it', async () => {
    await using at = await testOwner();
    const request = { task: 'do it', project: '/nowhere', agent: 'scripted' };
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`V${n}`, CANARY]));
    for (const environment of [
      CANARY,
      [CANARY],
      { 'NOT A NAME': CANARY },
      { PATH: { deep: CANARY } },
      { PATH: CANARY.repeat(2000) },
      many,
    ]) {
      const { status, text } = await send(at.owner, '/v1/runs', { ...request, environment });
      assert.equal(status, 400);
      assert.match(text, /"request\.invalid"/);
      assert.doesNotMatch(text, new RegExp(CANARY));
    }
  });
});
