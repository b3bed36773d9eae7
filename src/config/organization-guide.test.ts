import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadOrganization } from './load-organization.ts';

test('the files of the guide about organizations are loaded', async () => {
  const page = readFileSync(new URL('../../docs/guide/organization.md', import.meta.url), 'utf8');
  const [active, coder] = [...page.matchAll(/```text\n(\{[\s\S]*?)```/g)].map(([, text]) => text);
  const files: Record<string, string | undefined> = {
    'active.json': active,
    'roles/coder.json': coder,
    'roles/lead.json': '{"role_id": "lead", "role_type": "executive"}',
  };
  const organization = await loadOrganization('/o', {
    read: async (path) => files[path],
    list: async () => ['coder.json', 'lead.json'],
  });
  assert.deepEqual(
    [organization?.id, organization?.roles.map(({ id, type }) => `${id} ${type}`)],
    ['shop', ['coder specialist', 'lead executive']],
  );
});
