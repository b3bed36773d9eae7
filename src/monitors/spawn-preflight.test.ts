import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PreflightFacts } from './spawn-preflight.ts';
import { spawnProblems } from './spawn-preflight.ts';

const fine: PreflightFacts = {
  sandbox: null,
  disk: null,
  memoryFreeBytes: 8e9,
  folders: [{ path: '/app', for: 'writing', state: 'fine' }],
  login: [],
};

describe('before an agent is summoned', () => {
  const cases: [why: string, Partial<PreflightFacts>, string[]][] = [
    ['nothing is in the way where all is fine', {}, []],
    ['a sandbox must hold', { sandbox: 'none is installed' }, ['sandbox: none is installed']],
    [
      'there must be room',
      { disk: 'the disk is full', memoryFreeBytes: 6e6 },
      ['resources: the disk is full', 'resources: 6 MB of memory are free, 200 MB are needed'],
    ],
    [
      'its folders must be there and ours',
      {
        folders: [
          { path: '/a', for: 'writing', state: 'absent' },
          { path: '/b', for: 'reading', state: 'no-folder' },
          { path: '/c', for: 'writing', state: 'closed' },
          { path: '/d', for: 'writing', state: 'not-ours' },
        ],
      },
      [
        'permissions: /a is not there',
        'permissions: /b is no folder',
        'permissions: /c is closed to us for writing',
        'permissions: /d belongs to another user',
      ],
    ],
    ['its CLI must be able to speak', { login: ['no key'] }, ['login: no key']],
    [
      'everything that is missing is told at once',
      { sandbox: 'none', disk: 'full', login: ['no key'] },
      ['sandbox: none', 'resources: full', 'login: no key'],
    ],
  ];
  for (const [why, facts, expected] of cases)
    test(why, () => assert.deepEqual(spawnProblems({ ...fine, ...facts }), expected));
});
