import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultSettings } from '../settings/settings.ts';
import { gateLimits } from './gate-policy.ts';

type Limits = { readonly memoryBytes?: number; readonly cpus?: number };

describe('the limits of a gate', () => {
  const cases: [why: string, sandbox: Limits, own: Limits, memory: string, cpus: number][] = [
    ['are 2 GB and one processor', {}, {}, '2 GB', 1],
    ['are not those of a larger sandbox', { memoryBytes: 8e9, cpus: 4 }, {}, '2 GB', 1],
    ['are those of a smaller sandbox', { memoryBytes: 1e9, cpus: 0.5 }, {}, '1 GB', 0.5],
    ['are its own if it has some', { memoryBytes: 1e9 }, { memoryBytes: 3e9, cpus: 2 }, '3 GB', 2],
  ];
  for (const [why, sandbox, own, memory, cpus] of cases)
    test(why, () => {
      const limits = gateLimits({ ...own, sandbox: { ...defaultSettings.sandbox, ...sandbox } });
      assert.deepEqual([`${limits.memoryBytes / 1e9} GB`, limits.cpus], [memory, cpus]);
    });
});
