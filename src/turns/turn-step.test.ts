import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TurnStep } from '../protocol/turn.ts';
import { TURN_BOUNDS } from '../protocol/turn.ts';
import { boundedLine } from './bounded-text.ts';
import { turnStep } from './turn-step.ts';

describe('the record of a tool call', () => {
  type Facts = Partial<Omit<TurnStep, 'id' | 'tool' | 'signature' | 'output'>>;
  const cases: [
    why: string,
    tool: string,
    input: unknown,
    output: string,
    isError: boolean,
    facts: Facts,
  ][] = [
    ['a command that succeeds', 'Bash', { command: 'ls' }, 'a.ts', false, { subject: 'ls' }],
    [
      'a command that fails',
      'Bash',
      { command: 'cat a' },
      'cat: a: No such file or directory',
      true,
      { subject: 'cat a', error: 'not-found', errorText: 'cat: a: No such file or directory' },
    ],
    ['an edit', 'Edit', { file_path: 'a.ts' }, 'ok', false, { subject: 'a.ts', writes: ['a.ts'] }],
    [
      'an edit that fails writes nothing',
      'Edit',
      { file_path: 'a.ts' },
      'String not found',
      true,
      { subject: 'a.ts', error: 'not-found', errorText: 'String not found' },
    ],
    [
      'a command that writes',
      'Bash',
      { command: 'echo x > b.txt' },
      '',
      false,
      { subject: 'echo x > b.txt', writes: ['b.txt'] },
    ],
    [
      'a test run',
      'Bash',
      { command: 'npm test' },
      '2 failing',
      true,
      { subject: 'npm test', error: 'execution', errorText: '2 failing', failing: 2 },
    ],
    [
      'a plan',
      'TodoWrite',
      { todos: [{ status: 'done' }] },
      'ok',
      false,
      { plan: { done: 1, total: 1 } },
    ],
    ['a wait', 'Bash', { command: 'sleep 5' }, '', false, { subject: 'sleep 5', waits: true }],
    [
      'what a tool is called at first',
      `${'x'.repeat(200)}_get_jobs`,
      { command: './a' },
      'x',
      false,
      { subject: './a' },
    ],
    ['arguments as text', 'shell', '{"command":"ls"}', 'a', false, { subject: 'ls' }],
  ];
  for (const [why, tool, input, output, isError, expected] of cases)
    test(why, () => {
      const {
        id,
        tool: name,
        signature,
        output: mark,
        ...facts
      } = turnStep({ tool, input }, { id: 'x', isError, output });
      assert.deepEqual(
        { id, name, ...facts },
        { id: 'x', name: tool.slice(0, TURN_BOUNDS.nameCharsMax), ...expected },
      );
      assert.match(`${signature} ${mark}`, /^[\da-f]{12} [\da-f]{12}$/);
    });
});

describe('a bounded line', () => {
  const cases: [why: string, text: string, max: number, expected: string][] = [
    ['keeps a short text on one line', 'a\n b', 10, 'a b'],
    ['drops the whole last word', 'key sk-secret-1234', 10, 'key…'],
    ['drops a text that is one long word', 'sk-secret-1234', 10, '…'],
    [
      'drops the last word of a text that is not read to its end',
      `${'a '.repeat(40)}${'x'.repeat(5000)}`,
      200,
      `${'a '.repeat(40).trim()}…`,
    ],
  ];
  for (const [why, text, max, expected] of cases)
    test(why, () => assert.equal(boundedLine(text, max), expected));
});
