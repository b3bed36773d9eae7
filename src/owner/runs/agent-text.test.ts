import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scripted } from '../../adapters/scripted/scripted.ts';
import type { OutputChunk } from '../../protocol/api.ts';
import { asText } from './agent-text.ts';

type Stream = OutputChunk['stream'];

async function toText(
  chunks: readonly (readonly [Stream, string])[],
  adapter = true,
): Promise<string[]> {
  async function* source(): AsyncGenerator<OutputChunk, void> {
    for (const [stream, text] of chunks) yield { key: 'attempt-1', stream, text };
  }
  const lines: string[] = [];
  for await (const { key, stream, text } of asText(source(), adapter ? scripted : undefined))
    lines.push(`${key} ${stream} ${text}`);
  return lines;
}

describe('the readable text of an agent', () => {
  const cases: [why: string, chunks: [Stream, string][], expected: string[]][] = [
    [
      'is its message',
      [['stdout', '{"type":"text","text":"I begin."}\n']],
      ['attempt-1 stdout I begin.\n'],
    ],
    [
      'is split into whole lines, whatever the chunks',
      [
        ['stdout', '{"type":"text",'],
        ['stdout', '"text":"a"}\nb\n'],
      ],
      ['attempt-1 stdout a\nb\n'],
    ],
    [
      'shows the tools it uses',
      [['stdout', '{"type":"tool","name":"write"}\n']],
      ['attempt-1 stdout uses write\n'],
    ],
    [
      'shows what a tool is used for, with paths as in the project',
      [
        [
          'stdout',
          '{"type":"tool","name":"Edit","input":{"file_path":"/h/trees/1a/1/work/src/a.ts","old":"x"}}\n',
        ],
      ],
      ['attempt-1 stdout uses Edit src/a.ts\n'],
    ],
    [
      'omits its final message, which the end of the attempt shows',
      [['stdout', '{"type":"result","summary":"x"}\n']],
      [],
    ],
    [
      'shows a line that the adapter cannot read unchanged',
      [['stdout', '{"pids":[1]}\n']],
      ['attempt-1 stdout {"pids":[1]}\n'],
    ],
    [
      'includes a last line without a newline',
      [['stdout', 'half a l']],
      ['attempt-1 stdout half a l\n'],
    ],
    [
      'shows stderr unchanged',
      [['stderr', '{"type":"text","text":"a"}\n']],
      ['attempt-1 stderr {"type":"text","text":"a"}\n'],
    ],
    ['is empty without output', [], []],
  ];
  for (const [why, chunks, lines] of cases) {
    test(why, async () => assert.deepEqual(await toText(chunks), lines));
  }

  test('is truncated to what a person reads', async () => {
    const [lines = ''] = await toText([['stdout', `${'x'.repeat(3_000_000)}\n`]]);
    assert.equal(lines, `attempt-1 stdout ${'x'.repeat(2000)} …\n`);
  });

  test('is the raw output if the agent has no adapter', async () => {
    assert.deepEqual(await toText([['stdout', '{"type":"text","text":"a"}\n']], false), [
      'attempt-1 stdout {"type":"text","text":"a"}\n',
    ]);
  });
});
