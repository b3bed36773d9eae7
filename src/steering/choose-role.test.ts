import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScriptedTurn } from '../../test/support/turn-script.ts';
import {
  bash,
  edit,
  failed,
  read,
  recordsOf,
  SPECIALIST,
  turn,
  turns,
} from '../../test/support/turn-script.ts';
import type {
  OrganizationRole,
  PinnedOrganization,
} from '../protocol/contracts/organization-contract.ts';
import { foldRole, NO_ROLE } from './choose-role.ts';

const role = (id: string, change: Partial<OrganizationRole>): OrganizationRole => ({
  ...SPECIALIST,
  id,
  ...change,
});
const ROLES = [
  role('chief', { type: 'commander', domains: ['coding', 'research', 'operations'] }),
  role('lead', { type: 'executive', domains: ['coding', 'research'] }),
  role('coder', { domains: ['coding'] }),
];

function chosen(
  script: readonly ScriptedTurn[],
  given: { readonly name?: string } & Partial<PinnedOrganization> = {},
): string | null {
  const { name = null, ...change } = given;
  const organization: PinnedOrganization = {
    ...{ id: 'o', mode: 'microcosm', heartbeatSeconds: 30, roles: ROLES, routing: {} },
    ...change,
  };
  const watch = recordsOf(script).reduce(
    (before, record) => foldRole(before, record, organization, name),
    NO_ROLE,
  );
  return watch.role?.id ?? null;
}

const reading = (count: number) => turns(count, (nth) => turn(read(`${nth}.ts`)));

describe('the role of an agent', () => {
  const cases: [why: string, found: string | null, expected: string | null][] = [
    ['there is none before a tool was used', chosen([]), null],
    ['a conversation has none', chosen([{ steps: [], asksNothing: true, text: 'Hello' }]), null],
    ['an edit is coding: the specialist is chosen', chosen([turn(edit('a.ts'))]), 'coder'],
    ['reading is research: the executive is chosen', chosen(reading(1)), 'lead'],
    ['a command is operations: only the commander has it', chosen([turn(bash('ls'))]), 'chief'],
    [
      'a failing test run without a role for testing',
      chosen([turn(failed('t', '1 failing'))]),
      null,
    ],
    ['a name goes before everything', chosen(reading(1), { name: 'coder' }), 'coder'],
    ['a name that is no role counts as none', chosen(reading(1), { name: 'x' }), 'lead'],
    [
      'a route goes before domains',
      chosen(reading(1), { routing: { research: 'coder' } }),
      'coder',
    ],
    ['four turns of reading change nothing', chosen([turn(edit('a')), ...reading(4)]), 'coder'],
    ['five do', chosen([turn(edit('a')), ...reading(5)]), 'lead'],
    [
      'an edit in between is a new count',
      chosen([turn(edit('a')), ...reading(4), turn(edit('b')), ...reading(4)]),
      'coder',
    ],
    [
      'work without a role keeps the role',
      chosen([turn(edit('a')), ...turns(9, () => turn(failed('t', '1 failing')))]),
      'coder',
    ],
    [
      'waiting is no work',
      chosen([turn(edit('a')), ...turns(9, () => turn(bash('sleep 9')))]),
      'coder',
    ],
  ];
  for (const [why, found, expected] of cases) test(why, () => assert.equal(found, expected));
});
