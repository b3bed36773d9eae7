import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Signal } from '../protocol/signal.ts';
import type { Health } from './health.ts';
import { isWorthReporting, reactToHealth, reactToViolation } from './reactions.ts';
import type { Violation } from './violations.ts';

const long = 'x'.repeat(100_000);
const healths: readonly Health[] = [
  { kind: 'well', quietMs: 0 },
  ...(['none', 'notify', 'steer', 'pause', 'restart', 'reap'] as const).map((action) => ({
    kind: 'spinning' as const,
    call: 'bash {"command":"npm test"}',
    times: 10,
    action,
  })),
  ...(['prod', 'reap'] as const).map((action) => ({
    kind: 'inactive' as const,
    quietMs: 90_000,
    action,
  })),
];
const violations: readonly Violation[] = (['log', 'notify', 'warn', 'pause', 'reap'] as const).map(
  (action) => ({ rule: 'folders', action, what: `writes to /${long}` }),
);

describe('a reaction of a monitor', () => {
  test('is a valid signal of bounded length', () => {
    const all = [
      ...healths.flatMap((health) => reactToHealth(health, 1)),
      ...violations.flatMap((violation) => reactToViolation(violation, 7)),
    ];
    assert.equal(all.length, 18);
    for (const signal of all) assert.deepEqual(Signal.parse(signal), signal);
  });

  test('gives a person a choice', () => {
    const [told] = reactToViolation(
      { rule: 'net', action: 'notify', what: 'connects to x' },
      1,
    ).slice(-1);
    assert.deepEqual(told, {
      kind: 'issue',
      issue: {
        kind: 'violation',
        what: 'It connects to x (rule "net").',
        choices: ['continue', 'restart', 'dismiss'],
      },
    });
  });

  test('is absent for a healthy agent, and if the policy says none', () => {
    assert.deepEqual(reactToHealth({ kind: 'well', quietMs: 9e9 }, 1), []);
    const spinning = { kind: 'spinning', call: 'x', times: 9, action: 'none' } as const;
    assert.deepEqual(reactToHealth(spinning, 1), []);
  });
});

test('of a thousand equal violations only a few are reported', () => {
  const told = Array.from({ length: 1000 }, (_, index) => index + 1).filter(isWorthReporting);
  assert.deepEqual(told, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64, 128, 256, 512]);
});
