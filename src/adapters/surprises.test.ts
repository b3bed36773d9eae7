/** Unexpected behaviour of each CLI, from real transcripts. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parseJson } from '../base/json.ts';
import type { ProcessExit, OutputStream, AgentVerdict } from './adapter.ts';
import { adapterFor } from './adapters.ts';
import type { AgentEvent } from './agent-event.ts';
import type { Transcript } from './transcript.ts';
import { EMPTY_TRANSCRIPT, foldTranscript } from './transcript.ts';

function read(cli: string, text: string, stream: OutputStream = 'stdout'): readonly AgentEvent[] {
  const adapter = adapterFor({ cli });
  assert.ok(adapter !== undefined);
  return text.split('\n').flatMap((line) => adapter.read(line, stream));
}

function transcript(path: string, stream: OutputStream = 'stdout'): readonly AgentEvent[] {
  const file = new URL(`../../test/corpus/${path}/${stream}`, import.meta.url);
  return read(path.split('/')[1] ?? '', readFileSync(file, 'utf8'), stream);
}

function toTranscript(events: readonly AgentEvent[]): Transcript {
  return events.reduce(foldTranscript, EMPTY_TRANSCRIPT);
}

function conclude(cli: string, exit: number | string, events: readonly AgentEvent[]): AgentVerdict {
  const end: ProcessExit =
    typeof exit === 'number' ? { kind: 'code', code: exit } : { kind: 'signal', signal: exit };
  const verdict = adapterFor({ cli })?.conclude(end, toTranscript(events));
  assert.ok(verdict !== undefined);
  return verdict;
}

function ofKind<K extends AgentEvent['kind']>(
  events: readonly AgentEvent[],
  kind: K,
): readonly Extract<AgentEvent, { kind: K }>[] {
  return events.filter((event): event is Extract<AgentEvent, { kind: K }> => event.kind === kind);
}

test('1: an exit code of 0 is not enough for Gemini, nor "success" for Claude', () => {
  const cut = transcript('default/gemini/stream_clean_eof');
  assert.equal(conclude('gemini', 0, cut).kind, 'failed');
  const denied = transcript('default/claude/http_403');
  assert.equal(conclude('claude', 0, denied).kind, 'failed');
});

describe('an agent that reports success and ends badly has not succeeded', () => {
  for (const cli of ['claude', 'codex', 'gemini', 'copilot', 'opencode'])
    test(`case 42: ${cli}, word for word`, () => {
      const success = transcript(`default/${cli}/ok_tools`);
      assert.equal(conclude(cli, 0, success).kind, 'done');
      for (const exit of [1, 'SIGKILL', 'SIGSEGV'])
        assert.notEqual(conclude(cli, exit, success).kind, 'done', `${exit}`);
    });
});

describe('2: Gemini exits with the status of the provider, as far as it fits', () => {
  const unnamed =
    '{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: x]"}}';
  const cases: [exit: number, status: number | null][] = [
    [145, 401],
    [147, 403],
    [144, 400],
    [173, 429],
    [244, 500],
    [247, 503],
    [17, 529],
    [1, null],
  ];
  for (const [exit, status] of cases)
    test(`${exit} is ${status ?? 'none'}`, () => {
      const verdict = conclude('gemini', exit, read('gemini', unnamed));
      assert.equal(verdict.kind === 'failed' ? verdict.error.status : undefined, status);
    });
});

test('5 and 6: an end with 0 and without a final message was caused from outside', () => {
  for (const cli of ['gemini', 'copilot', 'claude', 'codex']) {
    const all = transcript(`default/${cli}/ok_tools`);
    const last = all.findLastIndex(({ kind }) => kind === 'concluded');
    assert.equal(conclude(cli, 0, all).kind, 'done', cli);
    assert.equal(conclude(cli, 0, all.slice(0, last)).kind, 'interrupted', cli);
  }
  assert.equal(conclude('codex', 1, transcript('default/codex/sigint')).kind, 'interrupted');
});

test('7: opencode retries forever when a stream has no end, and each time is a retry', () => {
  const spin = transcript('default/opencode/empty_response');
  assert.ok(ofKind(spin, 'retrying').length > 100);
  const verdict = conclude('opencode', 'SIGKILL', spin);
  assert.deepEqual(
    [verdict.kind, verdict.kind === 'cut-off' ? verdict.error.code : null],
    ['cut-off', 'no-answer'],
  );
});

describe('9: retries are reported in four ways, and by two CLIs not at all', () => {
  const cases: [path: string, stream: OutputStream, retries: number][] = [
    ['default/claude/http_401', 'stdout', 9],
    ['default/codex/http_429_rate_limit', 'stdout', 5],
    ['default/copilot/late_429', 'stdout', 6],
    ['default/gemini/http_500', 'stderr', 6],
    ['default/opencode/http_429_rate_limit', 'stdout', 0],
  ];
  for (const [path, stream, retries] of cases)
    test(`${path} reports ${retries}`, () => {
      assert.equal(ofKind(transcript(path, stream), 'retrying').length, retries);
    });

  test('a retry that worked is past', () => {
    const story = toTranscript([
      ...ofKind(transcript('default/claude/http_401'), 'retrying'),
      { kind: 'said', text: 'Here I am.' },
    ]);
    assert.equal(story.retrying, null);
  });
});

test('10: an error of Codex is its end only if its turn failed', () => {
  const notice =
    '{"type":"item.completed","item":{"id":"1","type":"error","message":"Model metadata not found"}}';
  const good = [...read('codex', notice), ...transcript('default/codex/ok_text')];
  assert.equal(conclude('codex', 0, good).kind, 'done');
  const log = transcript('default/codex/ok_tool_errors', 'stderr');
  assert.equal(ofKind(log, 'tool-result').filter(({ isError }) => isError).length, 2);
});

test('11: a command that exits with 3 has failed, whatever the CLI calls it', () => {
  for (const cli of ['claude', 'codex', 'gemini', 'copilot', 'opencode']) {
    const results = ofKind(transcript(`default/${cli}/ok_tools`), 'tool-result');
    assert.deepEqual(
      results.map(({ isError }) => isError),
      [false, false, true],
      cli,
    );
    const said = results.map(({ output }) => typeof output);
    assert.equal(said.at(-1), 'string', `${cli} reports what a command has said`);
  }
});

test('12: Copilot hides its key wherever it appears, so keys are long and unique', () => {
  const story = toTranscript(transcript('default/copilot/ok_tools'));
  assert.equal(story.lastWords, 'All done.');
  assert.equal(story.session, 'c05273d9-8421-4ba5-8011-e4cbf1a72667');
});

test('14: Claude succeeds while everything is denied: that is a question', () => {
  const result = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'I could not write.',
    permission_denials: [{ tool_name: 'Write' }, { tool_name: 'Write' }, { tool_name: 'Bash' }],
  };
  const story = toTranscript(read('claude', JSON.stringify(result)));
  assert.deepEqual(
    [story.concluded, story.asked],
    ['I could not write.', 'May it use Write, Bash?'],
  );
});

test('16: warnings of Codex at its start are noise', () => {
  const log = transcript('default/codex/ok_text', 'stderr');
  assert.deepEqual(new Set(log.map(({ kind }) => kind)), new Set(['noise']));
});

describe('usage and cost are read if the CLI reports them', () => {
  const cases: [cli: string, usage: Transcript['usage']][] = [
    [
      'claude',
      { inputTokens: 76_555, outputTokens: 75, cachedTokens: 0, costUsd: 0.384_650_000_000_000_05 },
    ],
    ['codex', { inputTokens: 38_672, outputTokens: 65, cachedTokens: 0, costUsd: null }],
    ['gemini', { inputTokens: 48_703, outputTokens: 81, cachedTokens: 0, costUsd: null }],
    ['copilot', null],
    ['opencode', { inputTokens: 31_171, outputTokens: 73, cachedTokens: 0, costUsd: 0.031_317 }],
  ];
  for (const [cli, usage] of cases)
    test(cli, () =>
      assert.deepEqual(toTranscript(transcript(`default/${cli}/ok_tools`)).usage, usage),
    );
});

/** The same JSON repeatedly, each time with one deeply nested value. */
function* bombed(value: unknown): Generator {
  yield 'BOMB';
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value))
    for (const other of bombed(part))
      yield Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [key]: other });
}

describe('the output of an agent can be stored', () => {
  const bomb = `${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`;
  for (const cli of ['claude', 'codex', 'gemini', 'copilot', 'opencode', 'scripted', 'custom'])
    test(`case 43: however deep the JSON of ${cli} is`, () => {
      const adapter = adapterFor({ cli }) ?? assert.fail();
      const like = ['scripted', 'custom'].includes(cli) ? 'claude' : cli;
      const file = new URL(`../../test/corpus/default/${like}/ok_tools/stdout`, import.meta.url);
      for (const line of readFileSync(file, 'utf8').split('\n'))
        for (const value of bombed(parseJson(line))) {
          const events = adapter.read(JSON.stringify(value).replace('"BOMB"', bomb), 'stdout');
          assert.ok(JSON.stringify(events).length < 1_000_000);
        }
    });
});

test('a broken line is never more than noise', () => {
  const lines = [
    '',
    '{',
    '[]',
    'null',
    '{"type":7}',
    '{"type":"result"',
    '{"type":"item.completed","item":3}',
    '\0',
    '{"type":"assistant","message":{"content":"text"}}',
  ];
  for (const cli of ['claude', 'codex', 'gemini', 'copilot', 'opencode', 'custom', 'scripted'])
    for (const stream of ['stdout', 'stderr'] as const)
      for (const line of lines) assert.doesNotThrow(() => adapterFor({ cli })?.read(line, stream));
});

describe('usage', () => {
  test('of Claude includes the tokens of its subagents', () => {
    const line = JSON.stringify({
      type: 'result',
      subtype: 'success',
      result: 'ok',
      usage: { input_tokens: 10, output_tokens: 5 },
      modelUsage: {
        opus: { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 100 },
        haiku: { inputTokens: 7, outputTokens: 3, cacheCreationInputTokens: 20 },
      },
    });
    const { usage } = toTranscript(read('claude', line));
    assert.deepEqual(
      [usage?.inputTokens, usage?.outputTokens, usage?.cachedTokens],
      [10 + 100 + 7 + 20, 8, 100],
    );
  });

  const names: [why: string, usage: Readonly<Record<string, number>>][] = [
    ['with the names of Anthropic', { input_tokens: 9, output_tokens: 2, cost_usd: 0.5 }],
    ['with the names of OpenAI', { prompt_tokens: 9, completion_tokens: 2, cost: 0.5 }],
    ['with the names of the AI SDK', { inputTokens: 9, outputTokens: 2, costUsd: 0.5 }],
    ['with the names of Google', { promptTokenCount: 9, candidatesTokenCount: 2, costUSD: 0.5 }],
  ];
  for (const [why, usage] of names)
    test(`of a custom agent is read ${why}`, () => {
      const adapter = adapterFor({ cli: 'custom', output: { format: 'jsonl', usage: 'usage' } });
      const story = toTranscript(adapter?.read(JSON.stringify({ usage }), 'stdout') ?? []);
      const { inputTokens, outputTokens, costUsd } = story.usage ?? {};
      assert.deepEqual([inputTokens, outputTokens, costUsd], [9, 2, 0.5]);
    });
});
