import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PinnedGate } from '../protocol/pinned-settings.ts';
import { findGates } from './step-gates.ts';

const gate = (name: string, ...dependsOn: readonly string[]): PinnedGate => ({
  ...{ name, command: ['make', name], timeoutMs: 1000 },
  ...(dependsOn.length === 0 ? {} : { dependsOn }),
});
const PROJECT = [gate('lint'), gate('test', 'types'), gate('types', 'lint')];

describe('the gates of a step', () => {
  const cases: [why: string, named: string, order: string][] = [
    ['run after those that they depend on', 'test types lint', 'lint types test'],
    ['need no dependency that the step does not name', 'test', 'test'],
    ['keep their order if they are independent', 'test lint', 'test lint'],
  ];
  for (const [why, named, order] of cases)
    test(why, () => {
      const { gates } = findGates(named.split(' '), PROJECT, [], (_path, message) =>
        assert.fail(message),
      );
      assert.equal(gates.map(({ name }) => name).join(' '), order);
    });
});
