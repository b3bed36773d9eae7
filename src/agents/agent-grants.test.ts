import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { isRefusal } from '../base/errors.ts';
import type { SpendingCaps, Grant } from '../protocol/agent-rules.ts';
import { checkGrant, grantProblems, remainingGrant } from './agent-grants.ts';

const none: SpendingCaps = { usd: null, tokens: null, calls: null, wallMs: null };
const parent: Grant = {
  writes: ['/srv/app'],
  reads: ['/usr/share'],
  hosts: ['a.example'],
  capabilities: ['spawn'],
  budget: { ...none, usd: 5, tokens: 1000 },
};
const child: Grant = {
  writes: [],
  reads: [],
  hosts: [],
  capabilities: [],
  budget: { ...none, usd: 1, tokens: 10 },
};

describe('the grant of a child', () => {
  const cases: [why: string, Partial<Grant>, problems: readonly string[]][] = [
    ['may equal that of its parent', { ...parent }, []],
    ['may have a folder inside its parent’s', { writes: ['/srv/app/src'] }, []],
    ['may read what its parent may write', { reads: ['/srv/app'] }, []],
    [
      'may not write what its parent may only read',
      { writes: ['/usr/share/x'] },
      ['its parent may not write to /usr/share/x'],
    ],
    ['may not have a folder above', { writes: ['/work'] }, ['its parent may not write to /work']],
    [
      'may not have a folder with the same prefix',
      { writes: ['/srv/app2'] },
      ['its parent may not write to /srv/app2'],
    ],
    [
      'may not leave a folder by dots',
      { reads: ['/srv/app/../../etc'] },
      ['its parent may not read /srv/app/../../etc'],
    ],
    ['may not have a relative path', { reads: ['etc'] }, ['its parent may not read etc']],
    [
      'may not have another host',
      { hosts: ['a.example', 'b.example'] },
      ['its parent may not reach b.example'],
    ],
    [
      'may not have a capability that its parent lacks',
      { capabilities: ['spawn', 'sudo'] },
      ['its parent has no sudo'],
    ],
    [
      'may not exceed the remaining budget',
      { budget: { ...none, usd: 6, tokens: 10 } },
      ['its parent has 5 usd left, not 6'],
    ],
    [
      'may not be unlimited if its parent has a cap',
      { budget: { ...none, usd: 1 } },
      ['its parent has 1000 tokens left, so the child needs its own cap'],
    ],
  ];
  for (const [why, more, problems] of cases)
    test(why, () => assert.deepEqual(grantProblems(parent, { ...child, ...more }), problems));

  test('is refused with everything that is too wide', () => {
    const wide = { ...child, writes: ['/'], hosts: ['b.example'] };
    assert.throws(
      () => checkGrant(parent, wide),
      (error) =>
        isRefusal(error, 'agent.grant-too-wide') && /write to \/; .*b\.example/.test(error.message),
    );
    checkGrant(parent, child);
  });
});

test('the remainder is what was neither spent nor delegated, and never negative', () => {
  const taken = [
    { usd: 2, tokens: 500, calls: 1, wallMs: 0 },
    { usd: 1.5, tokens: 900, calls: 1, wallMs: 0 },
  ];
  assert.deepEqual(remainingGrant(parent.budget, taken), { ...none, usd: 1.5, tokens: 0 });
});

/** A narrower grant: every other entry, each folder one level deeper, half of the budget. */
function narrowed(grant: Grant, odd: boolean): Grant {
  const some = (all: readonly string[]): string[] => all.filter((_, at) => at % 2 === Number(odd));
  const half = (cap: number | null): number | null => (cap === null ? null : cap / 2);
  const { usd, tokens, calls, wallMs } = grant.budget;
  return {
    writes: some(grant.writes).map((folder) => `${folder}/deeper`),
    reads: some(grant.reads).map((folder) => `${folder}/deeper`),
    hosts: some(grant.hosts),
    capabilities: some(grant.capabilities),
    budget: { usd: half(usd), tokens: half(tokens), calls: half(calls), wallMs: half(wallMs) },
  };
}

test('a grant narrowed twice is still covered, and one extra entry is one problem', () => {
  const names = fc.uniqueArray(fc.constantFrom('/a', '/b', '/c/d', '/e'), { maxLength: 4 });
  const cap = fc.option(fc.nat(5), { nil: null });
  const grant: fc.Arbitrary<Grant> = fc.record({
    writes: names,
    reads: names,
    hosts: names,
    capabilities: names,
    budget: fc.record({ usd: cap, tokens: cap, calls: cap, wallMs: cap }),
  });
  fc.assert(
    fc.property(grant, fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }), (first, line) => {
      const last = line.reduce(narrowed, first);
      assert.deepEqual(grantProblems(first, last), []);
      for (const key of ['writes', 'reads', 'hosts', 'capabilities'] as const) {
        const wider = { ...last, [key]: [...last[key], '/f'] };
        assert.equal(grantProblems(first, wider).length, 1, key);
      }
    }),
  );
});
