import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { SCRIPTED_PROGRAMS } from '../adapters/scripted/scripted-programs.ts';
import type { ScriptedProgram } from '../adapters/scripted/scripted-programs.ts';
import { readOutputIndex } from '../host/output/output-parts.ts';
import { beginAttempt } from '../../test/support/attempt-harness.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import type { AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';

describe('an attempt that ends by itself', { timeout: 300_000 }, () => {
  const cases: [why: string, program: ScriptedProgram, args: string[], outcome: AttemptOutcome][] =
    [
      [
        'is completed when the agent says so',
        'works-in-steps',
        ['2'],
        { kind: 'completed', summary: '2 steps are done' },
      ],
      [
        'is completed, unchecked, when the agent lies',
        'exits-zero-without-work',
        [],
        { kind: 'completed', summary: 'All done!' },
      ],
      [
        'is completed when honest work speaks of rate limits',
        'says-429-in-a-diff',
        [],
        { kind: 'completed', summary: 'client.ts now handles 429 and 503' },
      ],
      [
        'is completed if the agent ends with a question',
        'asks-a-question',
        [],
        { kind: 'completed', summary: 'ended without a summary' },
      ],
      [
        'is completed when a tool still holds its output',
        'holds-stdout-open',
        [],
        { kind: 'completed', summary: 'ended without a summary' },
      ],
      [
        'is completed whatever bytes it prints',
        'writes-nul-bytes',
        [],
        { kind: 'completed', summary: 'printed\u0000it' },
      ],
      [
        'is completed after a giant line',
        'one-giant-line',
        ['3000000'],
        { kind: 'completed', summary: 'read it' },
      ],
      [
        'failed when the agent exits badly',
        'crashes',
        [],
        { kind: 'failed', reason: 'crashed', message: 'exited with code 3' },
      ],
      [
        'failed when the agent is killed in the middle of a line',
        'dies-mid-write',
        [],
        { kind: 'failed', reason: 'killed', message: 'was ended by SIGKILL' },
      ],
    ];
  for (const [why, program, args, expected] of cases) {
    test(why, async () => {
      await using dir = await tempDir();
      const agent = { id: `scripted:${program}`, cli: 'scripted', args, env: {} };
      assert.deepEqual(await beginAttempt(dir.path, program, { agent }).outcome, expected);
    });
  }

  test('case 42: failed when it prints that all went well and exits with 1', async () => {
    await using dir = await tempDir();
    const lines = [
      '{"type":"result","subtype":"success","is_error":false,"result":"All done."}',
      '{"type":"run.ended","payload":{"outcome":{"kind":"succeeded","reason":"All done."}}}',
      '{"type":"command.ended","payload":{"end":{"kind":"done","result":{"kind":"completed"}}}}',
    ];
    const command = ['sh', '-c', `printf '%s\\n' "$@"; exit 1`, 'sh', ...lines];
    const output = {
      format: 'jsonl' as const,
      result: 'result',
      usage: null,
      session: null,
      error: null,
    };
    const agent = { id: 'mine', cli: 'custom', args: [], env: {}, command, output } as const;
    assert.deepEqual(await beginAttempt(dir.path, 'crashes', { agent }).outcome, {
      kind: 'failed',
      reason: 'crashed',
      message: 'exited with code 1',
    });
  });

  test('the table has every program that ends by itself', () => {
    const others = [
      'answers-its-role', // see brief-attempt.test.ts
      'deaf-with-child',
      'lives-in-turns', // below
      'never-speaks',
      'builds-components', // see test/e2e/feature.slow.test.ts
      'plays-every-role', // see test/e2e/workflow.slow.test.ts
      'floods-stdout',
      'speaks-split-utf8',
      'writes-markup', // see test/real/dashboard-hostile.test.ts
      'uses-tools', // see report-activity.test.ts
    ];
    assert.deepEqual(
      [...cases.map(([, program]) => program), ...others].toSorted(),
      [...SCRIPTED_PROGRAMS].toSorted(),
    );
  });

  test("passes on an agent's messages to others, if there is a recipient", async () => {
    await using dir = await tempDir();
    const args = [
      `NOTE: it is a server|||${'x'.repeat(600)}\\nNOTE: the port is 80\\nDONE`,
      'crash',
    ];
    const agent = { id: 'scripted:lives-in-turns', cli: 'scripted', args, env: {} };
    const summary = 'x'.repeat(500);
    assert.deepEqual(
      await beginAttempt(dir.path, 'lives-in-turns', { agent, readsNotes: true }).outcome,
      {
        kind: 'completed',
        summary,
        turnNotes: { statusLine: 'DONE', notes: ['it is a server', 'the port is 80'] },
      },
    );
    const { kind } = await beginAttempt(dir.path, 'lives-in-turns', { agent, readsNotes: true })
      .outcome;
    assert.equal(kind, 'failed');
  });

  test('and only its summary if there is none', async () => {
    await using dir = await tempDir();
    const agent = { id: 'scripted:lives-in-turns', cli: 'scripted', args: ['DONE'], env: {} };
    assert.deepEqual(await beginAttempt(dir.path, 'lives-in-turns', { agent }).outcome, {
      kind: 'completed',
      summary: 'DONE',
    });
  });

  test('reports the evidence of a failure and its consequences', async () => {
    await using dir = await tempDir();
    const outcome = await beginAttempt(dir.path, 'crashes').whole;
    assert.deepEqual(outcome.kind === 'failed' ? outcome.failure : undefined, {
      type: 'retryable',
      category: 'logic',
      recovery: 'unknown',
      concerns: 'attempt',
      coolsDown: false,
      reason: 'crashed',
      message: 'exited with code 3',
      resetAt: null,
      evidence: [{ source: 'exit', line: 'exited with code 3', rule: 'no-rule' }],
    });
  });

  test('records the process, and that no sandbox contains it', async () => {
    await using dir = await tempDir();
    await using attempt = beginAttempt(dir.path, 'works-in-steps');
    const { outcome, notes } = attempt;
    await outcome;
    const [note] = notes;
    assert.equal(typeof note?.['pid'], 'number');
    const about = notes.filter(({ kind }) => kind !== 'turn');
    assert.deepEqual(about, [{ kind: 'started', pid: note?.['pid'] ?? null, sandbox: 'none' }]);
  });

  test('limits its recorded output, and closes the files', async () => {
    await using dir = await tempDir();
    const agent = { id: 'scripted:floods-stdout', cli: 'scripted', args: ['3000000'], env: {} };
    await beginAttempt(dir.path, 'floods-stdout', { agent, outputBytesMax: 200_000 }).outcome;
    const index = await readOutputIndex(join(dir.path, 'outputs'), 'attempt-1-stdout');
    const keptBytes = index.bytes - index.droppedBytes;
    assert.deepEqual([index.bytes, index.closed], [3_000_000, true]);
    assert.ok(keptBytes <= 100_000, `${keptBytes} bytes are kept`);
  });

  test("gets the task on stdin, and not the owner's environment", async () => {
    await using dir = await tempDir();
    const probe = `data:text/javascript,${encodeURIComponent(
      `import { readFileSync, writeFileSync } from 'node:fs';
       writeFileSync('seen.json', JSON.stringify([readFileSync(0, 'utf8'), process.env.MINE, 'HOME' in process.env]));`,
    )}`;
    const env = { MINE: 'yes', NODE_OPTIONS: `--import=${probe}` };
    const agent = { id: 'scripted', cli: 'scripted', args: ['0'], env };
    await beginAttempt(dir.path, 'works-in-steps', { agent, prompt: 'the "task"\n' }).outcome;
    const seen: unknown = JSON.parse(readFileSync(join(dir.path, 'seen.json'), 'utf8'));
    assert.deepEqual(seen, ['the "task"\n', 'yes', false]);
  });
});

describe('an attempt that can not begin', { timeout: 300_000 }, () => {
  test('fails if no adapter can run the agent', async () => {
    await using dir = await tempDir();
    const agent = { id: 'x', cli: 'unheard-of', args: [], env: {} };
    assert.deepEqual(await beginAttempt(dir.path, 'crashes', { agent }).outcome, {
      kind: 'failed',
      reason: 'agent_missing',
      message: 'nothing here can run unheard-of',
    });
  });

  test('fails when its folder is not there', async () => {
    await using dir = await tempDir();
    const project = join(dir.path, 'gone');
    assert.deepEqual(await beginAttempt(dir.path, 'crashes', { project }).outcome, {
      kind: 'failed',
      reason: 'agent_missing',
      message: `could not be started: the folder ${project} does not exist`,
    });
  });
});
