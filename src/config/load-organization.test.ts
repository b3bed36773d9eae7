import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { loadOrganization } from './load-organization.ts';

type Files = Readonly<Record<string, string>>;

/** Counts what is read and listed. */
async function load(files: Files) {
  const reads: string[] = [];
  const organization = await loadOrganization('/p/.supervisor/organization', {
    read: async (path, bytesMax) => {
      reads.push(path);
      return files[path]?.slice(0, bytesMax + 1);
    },
    list: async (folder) => {
      reads.push(`${folder}/`);
      return Object.keys(files)
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => path.slice(folder.length + 1));
    },
  });
  return { organization, reads };
}

const ACTIVE = '{\n  "org_id": "dev"\n}';
const CODER = `{
  "_schema": "orgkernel:role_profile",
  "role_id": "coder",
  "role_name": "Coder",
  "role_type": "specialist",
  "chain_of_command": {"reports_to": "lead", "authority_level": 1, "can_delegate": false},
  "capabilities": {"bst_domains": ["codegen", "refactor"], "htn_plans": ["build"]},
  "pace_plan": {
    "primary": {"description": "Do it", "action": "normal_execution"},
    "alternate": {
      "description": "Use other tools",
      "trigger": "failures>=3"
    },
    "contingent": {"trigger": "consecutive_tool_failures >= 5 OR context_fill > 0.85", "escalate_to": "lead"},
    "emergency": {"trigger": "unrecoverable_error OR turns_without_progress > max * 1.5"}
  },
  "doctrine": {"salute_interval_turns": 4, "max_turns_without_progress": 10}
}`;

describe('an organization', () => {
  test('that is not active costs one look for its file, and nothing else is read', async () => {
    const { organization, reads } = await load({ 'roles/coder.json': CODER });
    assert.deepEqual([organization, reads], [undefined, ['active.json']]);
  });

  test('is loaded with its roles, in the form of the kernel', async () => {
    const { organization } = await load({ 'active.json': ACTIVE, 'roles/coder.json': CODER });
    const any = (fact: string, operator: string, limit: number) => [{ fact, operator, limit }];
    assert.deepEqual(organization, {
      ...{ id: 'dev', mode: 'microcosm', heartbeatSeconds: 30, routing: {} },
      roles: [
        {
          ...{ id: 'coder', name: 'Coder', type: 'specialist', reportsTo: 'lead' },
          domains: ['coding'],
          plans: {
            primary: {
              ...{
                description: 'Do it',
                action: 'normal_execution',
                trigger: [],
                escalateTo: null,
              },
            },
            alternate: {
              ...{ description: 'Use other tools', action: 'fallback_chain', escalateTo: null },
              trigger: [any('failures', '>=', 3)],
            },
            contingent: {
              description: 'use a different method or ask for help',
              action: 'escalate',
              trigger: [any('failures', '>=', 5), any('context', '>', 0.85)],
              escalateTo: 'lead',
            },
            emergency: {
              description: 'stop and hand the work back',
              action: 'abort_and_report',
              trigger: [any('unrecoverable', '>=', 3), any('turns-without-progress', '>', 15)],
              escalateTo: null,
            },
          },
          doctrine: {
            ...{ saluteIntervalTurns: 4, maxTurnsWithoutProgress: 10 },
            ...{ reportOnCompletion: true, reportOnFailure: true },
          },
        },
      ],
    });
  });

  test('gives each type of role its own defaults', async () => {
    const of = (type: string) => `{"role_id": "${type}", "role_type": "${type}"}`;
    const { organization } = await load({
      'active.json': ACTIVE,
      'roles/specialist.json': of('specialist'),
      'roles/executive.json': of('executive'),
      'roles/commander.json': of('commander'),
    });
    const numbers = organization?.roles.map(({ type, doctrine, plans }) => [
      ...[type, doctrine.saluteIntervalTurns, doctrine.maxTurnsWithoutProgress],
      ...[plans.alternate, plans.contingent].map(({ trigger }) => trigger[0]?.[0]?.limit),
    ]);
    assert.deepEqual(numbers, [
      ['commander', 10, 20, 5, 8],
      ['executive', 7, 15, 4, 6],
      ['specialist', 5, 12, 3, 5],
    ]);
  });

  test('has the roles of its hierarchy only, if it names one', async () => {
    const { organization } = await load({
      'active.json': '{"org_id": "dev", "hierarchy": {"b": {"subordinates": ["c"]}}}',
      'roles/a.json': '{"role_id": "a"}',
      'roles/b.json': '{"role_id": "b"}',
      'roles/c.json': '{"role_id": "c"}',
    });
    assert.deepEqual(
      organization?.roles.map(({ id }) => id),
      ['b', 'c'],
    );
  });
});

describe('an organization is refused', () => {
  const role = (text: string): Files => ({ 'active.json': ACTIVE, 'roles/a.json': text });
  const trigger = (text: string): Files =>
    role(CODER.replace('"coder"', '"a"').replace('failures>=3', text));
  const FOLDER = '/p/.supervisor/organization';
  const cases: [why: string, files: Files, message: RegExp][] = [
    [
      'no JSON',
      { 'active.json': '{"org_id": ' },
      /active\.json:1:1: the bracket \{ is never closed/,
    ],
    ['no id', { 'active.json': '{}' }, /active\.json:1:1: the file has no org_id/],
    [
      'an id that leaves the folder',
      { 'active.json': '{"org_id": "../x"}' },
      /active\.json:1:12: org_id: expected a name of up to 64 lowercase letters/,
    ],
    [
      'an unknown key',
      { 'active.json': '{"org_id": "x",\n "hierarchi": {}}' },
      /active\.json:2:2: unknown key "hierarchi" \(did you mean "hierarchy"\?\)/,
    ],
    [
      'a role without a file',
      {
        'active.json': '{"org_id": "x",\n "hierarchy": {"a": {"subordinates": ["b"]}}}',
        'roles/a.json': '{"role_id": "a"}',
      },
      /active\.json:2:\d+: hierarchy\.a\.subordinates\[0\]: the role "b" has no file: add roles\/b\.json/,
    ],
    [
      'a route to nothing',
      { 'active.json': '{"org_id": "x", "domain_routing": {"coding": "b"}}' },
      /domain_routing\.coding: the role "b" has no file/,
    ],
    [
      'another id than its file',
      role('{"role_id": "b"}'),
      /a\.json:1:13: role_id: expected "a", the name of the file/,
    ],
    [
      'an id that leaves the folder',
      role('{"role_id": "../a"}'),
      /a\.json:1:13: role_id: expected a name/,
    ],
    [
      'a trigger that could never fire',
      trigger('failures>=30'),
      /a\.json:12:18: pace_plan\.alternate\.trigger: expected a limit of failures from 2 to 20, found "failures>=30"/,
    ],
    [
      'a trigger that means nothing',
      trigger('sometimes'),
      /a\.json:12:18: pace_plan\.alternate\.trigger: expected conditions such as/,
    ],
    [
      'a trigger of the primary plan',
      role('{"role_id": "a", "pace_plan": {"primary": {"trigger": "failures >= 3"}}}'),
      /pace_plan\.primary\.trigger: expected no trigger/,
    ],
    [
      'a domain that no work can have',
      role('{"role_id": "a", "capabilities": {"bst_domains": ["codegn"]}}'),
      /capabilities\.bst_domains\[0\]: expected one of coding, codegen/,
    ],
    [
      'a limit below its floor',
      role('{"role_id": "a", "doctrine": {"max_turns_without_progress": 1}}'),
      /doctrine\.max_turns_without_progress: expected a whole number from 6 to 1000, found 1/,
    ],
    [
      'a file that is too large',
      role(`{"role_id": "a"${' '.repeat(70_000)}}`),
      /larger than 64000 bytes/,
    ],
    [
      'too many roles',
      {
        'active.json': ACTIVE,
        ...Object.fromEntries(
          Array.from({ length: 101 }, (_, nth) => [`roles/r${nth}.json`, '{}']),
        ),
      },
      /has 101 roles; the limit is 100/,
    ],
  ];
  for (const [why, files, message] of cases)
    test(`for ${why}`, () =>
      assert.rejects(load(files), (error) => {
        assert.ok(isRefusal(error, 'config.invalid') || isRefusal(error, 'config.unreadable'));
        assert.ok(error.message.startsWith(FOLDER), error.message);
        assert.match(error.message, message);
        return true;
      }));
});
