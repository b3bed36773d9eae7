import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandBegun } from '../commands.ts';
import { describeOutput } from './output-title.ts';

const begun = (command: string, input: object): CommandBegun =>
  ({ key: 'a-1', command, input }) as unknown as CommandBegun;

const GATE = { name: 'test', command: ['npm', 'test'], attempt: 2 };
const CASES: readonly (readonly [why: string, begun: CommandBegun, title: string | undefined])[] = [
  ['an attempt', begun('attempt', { agent: { id: 'claude' } }), 'a-1: claude'],
  ['a setup', begun('setup', { command: ['sh', '-c', 'npm ci'] }), 'setup: npm ci'],
  ['a gate', begun('gate', GATE), 'gate test: npm test, on attempt 2'],
  ['a gate on the base', begun('baseline', GATE), 'gate test: npm test, on the base'],
  [
    'a gate that is a line',
    begun('baseline', { ...GATE, name: 'npm test' }),
    'gate npm test, on the base',
  ],
  ['a wait', begun('wait', {}), undefined],
];
for (const [why, command, title] of CASES)
  test(`the title of ${why} is ${title ?? 'nothing'}`, () =>
    assert.equal(describeOutput(command), title));
