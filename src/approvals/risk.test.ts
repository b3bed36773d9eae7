import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApprovalPolicy, RiskTier } from '../protocol/approval.ts';
import type { ChangeFacts } from './risk.ts';
import { assessRisk } from './risk.ts';

const policy: ApprovalPolicy = {
  low: { filesMax: 2, coverageMin: 80 },
  high: { paths: ['**/*auth*', '**/*payment*/**', 'api/**', 'Billing/**'], filesOver: 20 },
  critical: { paths: ['**/*encrypt*', '**/*.pem', 'deploy/production*'], peopleMin: 2 },
  approvers: { high: [], critical: [] },
};
const small: ChangeFacts = {
  paths: ['src/cart.ts'],
  coverage: null,
  untested: [],
  gates: 'green',
  gateLimits: [],
  breaking: false,
  protectedPaths: [],
};
const files = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `src/file-${at}.ts`);

describe('the risk of a change', () => {
  const cases: [why: string, facts: Partial<ChangeFacts>, tier: RiskTier, reason: RegExp][] = [
    ['one file with green gates is low', {}, 'low', /^1 file changed, and every gate is green$/],
    ['good coverage keeps it low', { coverage: 80 }, 'low', /every gate is green/],
    [
      'low coverage makes it medium',
      { coverage: 79.5 },
      'medium',
      /^tests cover 79\.5 % of the lines, less than 80 %$/,
    ],
    [
      'code that no test reaches makes it medium',
      { untested: ['src/cart.ts'] },
      'medium',
      /^no test leads to src\/cart\.ts$/,
    ],
    [
      'code that no test reaches makes it medium, however much of the rest is covered',
      { untested: ['src/cart.ts'], coverage: 90 },
      'medium',
      /^no test leads to src\/cart\.ts$/,
    ],
    ['a red gate makes it medium', { gates: 'red' }, 'medium', /^a gate is red$/],
    [
      'without gates it is medium, because nothing has checked it',
      { gates: 'none' },
      'medium',
      /^no gate has checked it$/,
    ],
    [
      'a green gate that proves little makes it medium',
      { gateLimits: ['with the tests of the base, gate test failed: adds'] },
      'medium',
      /^with the tests of the base, gate test failed: adds$/,
    ],
    [
      'a high risk also names what the gates do not prove',
      { breaking: true, gateLimits: ['gate test is not protected: bazel'] },
      'high',
      /^it changes how callers use the code; gate test is not protected: bazel$/,
    ],
    ['three files are medium', { paths: files(3) }, 'medium', /^3 files changed, more than 2$/],
    [
      'changed tests make it medium',
      { protectedPaths: ['a.test.ts'] },
      'medium',
      /^it changes tests, settings or files that run by themselves: a\.test\.ts$/,
    ],
    ['twenty files are still medium', { paths: files(20) }, 'medium', /more than 2/],
    [
      'more than twenty files are high',
      { paths: files(21) },
      'high',
      /^21 files changed, more than 20$/,
    ],
    [
      'a breaking change is high',
      { breaking: true },
      'high',
      /^it changes how callers use the code$/,
    ],
    [
      'a file about logins is high, in any case of its letters',
      { paths: ['src/OAuth.ts'] },
      'high',
      /^it changes sensitive files: src\/OAuth\.ts$/,
    ],
    [
      'a pattern with capital letters matches too',
      { paths: ['billing/Sum.ts'] },
      'high',
      /billing\/Sum\.ts/,
    ],
    ['an interface is high', { paths: ['api/v1.yaml'] }, 'high', /api\/v1\.yaml/],
    [
      'a key is critical',
      { paths: ['certs/server.pem'] },
      'critical',
      /^it changes critical files: certs\/server\.pem$/,
    ],
    ['critical beats high', { paths: ['api/encrypt.ts'] }, 'critical', /api\/encrypt\.ts/],
    [
      'a long list of files is cut',
      { paths: files(5).map((path) => `api/${path}`) },
      'high',
      /file-2\.ts and 2 more$/,
    ],
  ];
  for (const [why, facts, tier, reason] of cases)
    test(why, () => {
      const risk = assessRisk({ ...small, ...facts }, policy);
      assert.equal(risk.tier, tier);
      assert.match(risk.reasons.join('; '), reason);
    });

  test('has every reason of its tier', () => {
    const { reasons } = assessRisk({ ...small, gates: 'none', paths: files(4) }, policy);
    assert.equal(reasons.length, 2);
  });
});
