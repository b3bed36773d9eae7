import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestOwner } from '../../test/support/test-owner.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { createApp } from './app.ts';

const SUBMISSIONS = 200;

test(
  'R8: 200 submissions at once are all accepted, and the owner answers others meanwhile',
  { timeout: 300_000 },
  async (t) => {
    await using dir = await tempDir();
    await using folder = await tempDir();
    const owner = await openTestOwner(dir.path);
    try {
      const app = createApp(owner);
      const body = JSON.stringify({
        task: 'one of many',
        project: folder.path,
        agent: 'scripted:never-speaks',
        set: [],
      });
      const headers = { 'content-type': 'application/json' };
      let accepted = 0;
      const submit = async (): Promise<string> => {
        const response = await app.request('/v1/runs', { method: 'POST', headers, body });
        assert.equal(response.status, 201, await response.clone().text());
        accepted += 1;
        return ((await response.json()) as { id: string }).id;
      };
      const submissions = Array.from({ length: SUBMISSIONS }, submit);
      const seen: number[] = [];
      const over = new AbortController();
      const all = Promise.all(submissions).finally(() => over.abort());
      while (!over.signal.aborted) {
        assert.equal((await app.request('/v1/owner')).status, 200);
        seen.push(accepted);
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.equal(new Set(await all).size, SUBMISSIONS);
      // Again and again while submissions were under way: an owner that does one after the other answers once.
      const meanwhile = seen.filter((count) => count < SUBMISSIONS).length;
      t.diagnostic(`${meanwhile} answers meanwhile`);
      assert.ok(meanwhile > 10, `only ${meanwhile} answers meanwhile`);
    } finally {
      await owner.close('the test is over');
    }
  },
);
