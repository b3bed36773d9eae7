/**
 * The prompt of every role of the package, word for word. After an intended change run
 * `UPDATE_PROMPTS=1 npm test -- test/roles/prompts.test.ts`, and read the difference.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { listFolder } from '../../src/host/files/list-folder.ts';
import { packageData } from '../../src/host/files/package-data.ts';
import { readTextFile } from '../../src/host/files/read-text-file.ts';
import { renderPrompt } from '../../src/prompts/render-prompt.ts';
import { loadTemplates } from '../../src/prompts/templates.ts';
import { listRoles } from '../../src/roles/list-roles.ts';
import { loadRole } from '../../src/roles/load-role.ts';
import { roleSources } from '../../src/roles/role-path.ts';

const folder = fileURLToPath(new URL('prompts/', import.meta.url));
const files = { read: readTextFile, list: listFolder };
const folders = { home: '/nowhere', packageData };
const search = roleSources(folders);
const { roles } = await listRoles(search, files);

async function promptOf(name: string): Promise<string> {
  const { role } = await loadRole(name, search, files);
  const templates = await loadTemplates(role.template, folders, readTextFile);
  return renderPrompt(role.template, templates, {
    role,
    task: 'Let a cart hold ten thousand items.',
    targets: ['src/cart.ts'],
    context: 'export const itemsMax = 100; // {{ not a template }}',
    feedback: 'The test "a full cart" failed.',
  });
}

describe('the prompt of', () => {
  for (const { name } of roles) {
    test(name, async () => {
      const file = join(folder, `${name}.txt`);
      const prompt = await promptOf(name);
      if (process.env['UPDATE_PROMPTS'] === '1') {
        mkdirSync(folder, { recursive: true });
        writeFileSync(file, prompt);
      }
      assert.equal(prompt, readFileSync(file, 'utf8'));
    });
  }
});
