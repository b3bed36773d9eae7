import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scripted } from '../../adapters/scripted/scripted.ts';
import type { OutputChunk } from '../../protocol/api.ts';
import { asText } from './agent-text.ts';

type Stream = OutputChunk['stream'];

async function said(
  chunks: readonly (readonly [Stream, string])[],
  adapter = true,
): Promise<string[]> {
  async function* given(): AsyncGenerator<OutputChunk, void> {
    for (const [stream, text] of chunks) yield { key: 'attempt-1', stream, text };
  }
  const heard: string[] = [];
  for await (const { key, stream, text } of asText(given(), adapter ? scripted : undefined))
    heard.push(`${key} ${stream} ${text}`);
  return heard;
}

describe('what an agent says', () => {
  const cases: [why: string, chunks: [Stream, string][], heard: string[]][] = [
    [
      'is its text',
      [['stdout', '{"type":"text","text":"I begin."}\n']],
      ['attempt-1 stdout I begin.\n'],
    ],
    [
      'is whole lines, however they come',
      [
        ['stdout', '{"type":"text",'],
        ['stdout', '"text":"a"}\nb\n'],
      ],
      ['attempt-1 stdout a\nb\n'],
    ],
    [
      'is the tools it uses',
      [['stdout', '{"type":"tool","name":"write"}\n']],
      ['attempt-1 stdout uses write\n'],
    ],
    [
      'is not how it ends, which is told elsewhere',
      [['stdout', '{"type":"result","summary":"x"}\n']],
      [],
    ],
    [
      'is what nobody can read, as it is',
      [['stdout', '{"pids":[1]}\n']],
      ['attempt-1 stdout {"pids":[1]}\n'],
    ],
    ['is a last line without an end', [['stdout', 'half a l']], ['attempt-1 stdout half a l\n']],
    [
      'is what it complains of, unread',
      [['stderr', '{"type":"text","text":"a"}\n']],
      ['attempt-1 stderr {"type":"text","text":"a"}\n'],
    ],
    ['is nothing when it says nothing', [], []],
  ];
  for (const [why, chunks, heard] of cases) {
    test(why, async () => assert.deepEqual(await said(chunks), heard));
  }

  test('is not longer than a person reads', async () => {
    const [heard = ''] = await said([['stdout', `${'x'.repeat(3_000_000)}\n`]]);
    assert.equal(heard, `attempt-1 stdout ${'x'.repeat(2000)} …\n`);
  });

  test('is raw when nobody knows the agent', async () => {
    assert.deepEqual(await said([['stdout', '{"type":"text","text":"a"}\n']], false), [
      'attempt-1 stdout {"type":"text","text":"a"}\n',
    ]);
  });
});
