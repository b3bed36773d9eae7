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

describe('the checks before a spawn', () => {
  const cases: [why: string, Partial<PreflightFacts>, string[]][] = [
    ['an agent without problems may be spawned', {}, []],
    [
      'a missing sandbox is a problem',
      { sandbox: 'none is installed' },
      ['sandbox: none is installed'],
    ],
    [
      'too little disk or memory is a problem',
      { disk: 'the disk is full', memoryFreeBytes: 6e6 },
      ['resources: the disk is full', 'resources: 6 MB of memory are free, 200 MB are required'],
    ],
    [
      'a folder that is missing or inaccessible is a problem',
      {
        folders: [
          { path: '/a', for: 'writing', state: 'absent' },
          { path: '/b', for: 'reading', state: 'no-folder' },
          { path: '/c', for: 'writing', state: 'closed' },
          { path: '/d', for: 'writing', state: 'not-ours' },
        ],
      },
      [
        'permissions: /a does not exist',
        'permissions: /b is not a folder',
        'permissions: no access to /c for writing',
        'permissions: /d belongs to another user',
      ],
    ],
    ['a CLI without a login is a problem', { login: ['no key'] }, ['login: no key']],
    [
      'all problems are reported at once',
      { sandbox: 'none', disk: 'full', login: ['no key'] },
      ['sandbox: none', 'resources: full', 'login: no key'],
    ],
  ];
  for (const [why, facts, expected] of cases)
    test(why, () => assert.deepEqual(spawnProblems({ ...fine, ...facts }), expected));
});
