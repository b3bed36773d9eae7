import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { listFolder } from '../host/files/list-folder.ts';
import { packageData } from '../host/files/package-data.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import { roleJsonSchema } from '../settings/file-schemas.ts';
import { listRoles } from './list-roles.ts';
import { PACKS } from './packs.ts';
import { roleSources } from './role-path.ts';

const BASE_ROLES = [
  'doc_generator',
  'implementer',
  'implementer_fast',
  'investigator',
  'junior_dev',
  'planner',
  'reviewer',
  'reviewer_codex',
  'reviewer_gemini',
  'security_auditor',
  'security_auditor_external',
  'tech_lead',
  'test_engineer',
  'type_architect',
];

test('the package contains its base roles and the roles of each pack', async () => {
  const files = { read: readTextFile, list: listFolder };
  const { roles, problems } = await listRoles(
    roleSources({ home: '/nowhere', packageData }),
    files,
  );
  assert.deepEqual(problems, []);
  const inPack = (pack: string | null): readonly string[] =>
    roles.filter((role) => role.pack === pack).map(({ name }) => name);
  assert.deepEqual(inPack(null), BASE_ROLES);
  for (const { id, roles } of PACKS) assert.deepEqual(new Set(inPack(id)), new Set(roles));
});

test('the published schema equals the schema of the reader', () => {
  const published: unknown = JSON.parse(
    readFileSync(join(packageData, 'role_schema.json'), 'utf8'),
  );
  assert.deepEqual(published, JSON.parse(JSON.stringify(roleJsonSchema())));
});
