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

describe('what a child gets', () => {
  const cases: [why: string, Partial<Grant>, problems: readonly string[]][] = [
    ['as much as its parent has', { ...parent }, []],
    ['a folder inside of its parent’s', { writes: ['/srv/app/src'] }, []],
    ['it may read what its parent may write', { reads: ['/srv/app'] }, []],
    [
      'but not write what its parent may read',
      { writes: ['/usr/share/x'] },
      ['its parent may not write to /usr/share/x'],
    ],
    ['nor a folder above', { writes: ['/work'] }, ['its parent may not write to /work']],
    [
      'nor one whose name begins alike',
      { writes: ['/srv/app2'] },
      ['its parent may not write to /srv/app2'],
    ],
    [
      'nor by a way around',
      { reads: ['/srv/app/../../etc'] },
      ['its parent may not read /srv/app/../../etc'],
    ],
    ['nor one from nowhere', { reads: ['etc'] }, ['its parent may not read etc']],
    [
      'nor another host',
      { hosts: ['a.example', 'b.example'] },
      ['its parent may not reach b.example'],
    ],
    [
      'nor what its parent does not have',
      { capabilities: ['spawn', 'sudo'] },
      ['its parent has no sudo'],
    ],
    [
      'nor more than is left',
      { budget: { ...none, usd: 6, tokens: 10 } },
      ['its parent has 5 usd left, not 6'],
    ],
    [
      'nor an open end where its parent has a cap',
      { budget: { ...none, usd: 1 } },
      ['its parent has 1000 tokens left, so it needs a cap of its own'],
    ],
  ];
  for (const [why, more, problems] of cases)
    test(why, () => assert.deepEqual(grantProblems(parent, { ...child, ...more }), problems));

  test('is refused with all that is too wide', () => {
    const wide = { ...child, writes: ['/'], hosts: ['b.example'] };
    assert.throws(
      () => checkGrant(parent, wide),
      (error) =>
        isRefusal(error, 'agent.grant-too-wide') && /write to \/; .*b\.example/.test(error.message),
    );
    checkGrant(parent, child);
  });
});

test('what is left is what was not spent and not given away, and never less than nothing', () => {
  const taken = [
    { usd: 2, tokens: 500, calls: 1, wallMs: 0 },
    { usd: 1.5, tokens: 900, calls: 1, wallMs: 0 },
  ];
  assert.deepEqual(remainingGrant(parent.budget, taken), { ...none, usd: 1.5, tokens: 0 });
});

/** A part of it: every other thing, each folder one deeper, half of what is left. */
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

test('down any line a part of a part is a part, and one thing more is one problem', () => {
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
