import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentBrief } from '../adapter.ts';
import type { AgentEvent } from '../agent-event.ts';
import { EMPTY_TRANSCRIPT, foldTranscript } from '../transcript.ts';
import { custom } from './custom.ts';
import type { AgentSpec, CustomOutput } from '../../protocol/pinned-settings.ts';

const gateway = { baseUrl: 'http://127.0.0.1:7', token: 'run-token-0123456789' };
const COMMAND = ['tool', 'run', '{prompt_file}'];
const RESUME = ['tool', 'resume', '{session}', '{prompt_file}'];

function buildCommand(spec: Partial<AgentSpec>, rest: Partial<AgentBrief> = {}) {
  const agent = { id: 'a', cli: 'custom', args: [], env: {}, model: 'm-1', ...spec };
  return custom(agent).command({
    agent,
    prompt: 'do it',
    node: '/bin/node',
    workspace: '/w',
    home: '/home/agent',
    promptFile: '/home/agent/prompt',
    resume: null,
    session: null,
    gateway,
    limits: null,
    contained: true,
    allowedTools: null,
    answerSchema: null,
    orchestrates: false,
    ...rest,
  });
}

function buildArgv(
  spec: Partial<AgentSpec>,
  rest: Partial<AgentBrief> = {},
): readonly string[] | string {
  const command = buildCommand(spec, rest);
  return command.kind === 'run' ? command.argv : command.why;
}

describe('the files of a custom program', () => {
  const files = {
    '.tool/settings.json': '{"url":"{gateway_url}/v1","key":"{gateway_key}","model":"{model}"}',
    '.tool/plain': '{other} {{model}} {prompt} {home} {workspace}',
  };
  test('contain the address, the key and the model of this attempt', () => {
    const command = buildCommand({ command: COMMAND, files });
    assert.deepEqual(command.kind === 'run' ? command.files : command.why, {
      '.tool/settings.json':
        '{"url":"http://127.0.0.1:7/v1","key":"run-token-0123456789","model":"m-1"}',
      '.tool/plain': '{other} {m-1} {prompt} /home/agent /w',
    });
  });
  test('are refused if it has no home of its own', () => {
    const why = 'is given files, for which it needs a sandbox with a home of its own';
    assert.equal(buildArgv({ command: COMMAND, files }, { home: null, gateway: null }), why);
  });
  test('can be replaced by options of its command', () => {
    const command = ['t', '--base={gateway_url}/v1', '--key', '{gateway_key}', '--dir={home}/x'];
    assert.deepEqual(buildArgv({ command }), [
      ...['t', '--base=http://127.0.0.1:7/v1', '--key', 'run-token-0123456789'],
      '--dir=/home/agent/x',
    ]);
    const why = 'needs a sandbox: its command has {gateway_url} in it';
    assert.equal(buildArgv({ command }, { home: null, gateway: null }), why);
  });
});

describe('a custom program that continues its conversation', () => {
  test('is started by its resume_command, followed by its own arguments', () => {
    const spec = { command: COMMAND, resumeCommand: RESUME, args: ['--quiet'] };
    assert.deepEqual(buildArgv(spec, { resume: 's-1' }), [
      ...['tool', 'resume', 's-1', '/home/agent/prompt', '--quiet'],
    ]);
    assert.deepEqual(buildArgv(spec), ['tool', 'run', '/home/agent/prompt', '--quiet']);
  });
  test('cannot continue without one, so that it gets the full prompt again', () => {
    const why = 'has no resume_command, with which it would continue its conversation';
    assert.equal(buildArgv({ command: COMMAND }, { resume: 's-1' }), why);
  });
  for (const id of ['--dangerous', '-x', '', 'a b', '$(x)', 'a\nb', 'x'.repeat(201), '../..'])
    test(`does not accept ${JSON.stringify(id.slice(0, 20))} as an id`, () => {
      const spec = { command: COMMAND, resumeCommand: RESUME };
      const why = 'reported an invalid id for its conversation';
      assert.equal(buildArgv(spec, { resume: id }), why);
      const adapter = custom({ output: { format: 'jsonl', session: 's' } });
      assert.deepEqual(adapter.read(JSON.stringify({ s: id }), 'stdout'), [{ kind: 'noise' }]);
    });
  test('gets a chosen id if its command has a placeholder for it', () => {
    const command = ['tool', '--name', '{session}'];
    assert.equal(custom({ command }).namesSessionLate, true);
    assert.equal(custom({ command: COMMAND, resumeCommand: RESUME }).namesSessionLate, false);
    assert.deepEqual(buildArgv({ command }, { session: 'chosen' }), ['tool', '--name', 'chosen']);
  });
});

describe('the id of a conversation in a line', () => {
  const cases: [line: string, sessionLine: string, id: string | undefined][] = [
    ['Session ID: 01J-ab_9', 'Session ID: {session}', '01J-ab_9'],
    ['  12:00 Session ID: abc.', 'Session ID: {session}', 'abc'],
    ['resume with: tool -r abc-1 --now', 'tool -r {session} --now', 'abc-1'],
    ['tool -r abc-1 later', 'tool -r {session} --now', undefined],
    ['[abc]', '[{session}]', 'abc'],
    ['Session ID: --evil', 'Session ID: {session}', undefined],
    ['Session ID:', 'Session ID: {session}', undefined],
    ['nothing of the kind', 'Session ID: {session}', undefined],
  ];
  for (const [line, sessionLine, id] of cases)
    test(`${line} → ${id ?? 'none'}`, () => {
      const expected = id === undefined ? [] : [{ kind: 'session', id }];
      for (const format of ['text', 'jsonl'] as const) {
        const adapter = custom({ output: { format, sessionLine } });
        for (const stream of ['stdout', 'stderr'] as const) {
          const events = adapter.read(line, stream).filter(({ kind }) => kind === 'session');
          assert.deepEqual(events, expected);
        }
      }
    });
  test('is read without removing the line from the text of a program', () => {
    const adapter = custom({ output: { format: 'text', sessionLine: 'id {session}' } });
    assert.deepEqual(adapter.read('id 7', 'stdout'), [
      { kind: 'session', id: '7' },
      { kind: 'said', text: 'id 7\n' },
    ]);
  });
});

describe('the usage of a custom program', () => {
  const usageOf = (output: Omit<CustomOutput, 'format'>, value: object) => {
    const events: readonly AgentEvent[] = custom({ output: { format: 'jsonl', ...output } }).read(
      JSON.stringify(value),
      'stdout',
    );
    return events.reduce(foldTranscript, EMPTY_TRANSCRIPT).usage;
  };
  test('is read by the names that are declared', () => {
    const usageFields = { input: 'tok.in', output: 'tok.out', cached: 'tok.hit', cost: 'bill' };
    const stats = { tok: { in: 9, out: 2, hit: 4 }, bill: 0.5 };
    assert.deepEqual(usageOf({ usage: 'stats', usageFields }, { stats }), {
      ...{ inputTokens: 9, outputTokens: 2, cachedTokens: 4, costUsd: 0.5 },
    });
  });
  test('has the usual names if none is declared', () => {
    const value = { u: { sent: 9, output_tokens: 2 } };
    assert.deepEqual(usageOf({ usage: 'u', usageFields: { input: 'sent' } }, value), {
      ...{ inputTokens: 9, outputTokens: 2, cachedTokens: 0, costUsd: null },
    });
  });
  test('is unknown, and not 0, under unknown names', () => {
    assert.equal(usageOf({ usage: 'u' }, { u: { sent: 9, received: 2 } }), null);
    assert.equal(usageOf({ usage: 'u' }, { u: { input_tokens: -1, output_tokens: '2' } }), null);
  });
});
