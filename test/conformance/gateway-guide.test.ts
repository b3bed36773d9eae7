import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { loadSettings } from '../../src/config/load-settings.ts';

const guide = readFileSync(new URL('../../docs/guide/gateway.md', import.meta.url), 'utf8');
const examples = [...guide.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text]) => text ?? '');

test('the examples in the gateway guide are true', async () => {
  const [budgets, prices, tools, house] = await Promise.all(
    examples.map(async (text) => {
      const readFile = (path: string): Promise<string | undefined> =>
        Promise.resolve(path === '/h/config.yaml' ? text : undefined);
      return (await loadSettings({ home: '/h', userDir: '/u', readFile })).settings;
    }),
  );
  assert.equal(examples.length, 4);
  const { run, project } = budgets?.budget ?? {};
  assert.deepEqual([run?.usd, run?.wallMs, project?.tokens], [5, 14_400_000, 200_000_000]);
  assert.deepEqual(prices?.gateway.prices, [{ model: 'house-model', input: 0.5, output: 2 }]);
  assert.deepEqual(tools?.gateway.serverTools, ['web_search']);
  const privateHosts = ['models.house.example', '192.168.1.7'];
  assert.deepEqual(house?.gateway.privateHosts, privateHosts);
});
