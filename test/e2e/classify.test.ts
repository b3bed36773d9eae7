/** `classify` and `agents` as a user, or another program, types them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'node:test';
import { RULES_VERSION } from '../../src/failures/rules/rule.ts';
import { AgentClisDocument } from '../../src/public-json/machine-documents.ts';
import { ClassifyDocument } from '../../src/public-json/project-documents.ts';
import { CliHarness } from './cli-process-harness.ts';

function transcript(path: string): string {
  return fileURLToPath(new URL(`../corpus/${path}`, import.meta.url));
}

describe('supervisor classify', { timeout: 300_000 }, () => {
  const limited = transcript('default/opencode/http_429_rate_limit/stdout');
  const done = transcript('default/codex/ok_tools/stdout');
  const none = { type: null, category: null, recovery: null, reason: null, reset_at: null };
  const cases: [why: string, args: string[], expected: object][] = [
    [
      'a limit, with its end',
      ['--cli', 'opencode', '--exit-code', '1', '--stdout', limited],
      {
        outcome: 'failed',
        type: 'rate_limit',
        category: 'cli_error',
        recovery: 'transient',
        reason: 'rate_limited',
        reset_at: '2026-11-15T09:32:14.360Z',
        evidence: [
          {
            source: 'event',
            line: 'HTTP 429 Rate limit reached for gpt-5 in organization org-mock on tokens per min (TPM): Limit 30000, Used 29900, Requested 2000. Please try again in 2s. Visit https://platform.openai.com/account/rate-limits to learn more.',
            rule: `provider@${RULES_VERSION}/minute-limit`,
          },
        ],
      },
    ],
    [
      'work that is done: nulls',
      ['--cli', 'codex', '--exit-code', '0', '--stdout', done],
      {
        outcome: 'completed',
        ...none,
        evidence: [{ source: 'exit', line: 'exited with code 0', rule: 'done' }],
      },
    ],
    [
      'a stop of the user',
      ['--cli', 'claude', '--signal', 'SIGTERM', '--stopped-by', 'user'],
      {
        outcome: 'stopped',
        ...none,
        reason: 'stopped',
        evidence: [{ source: 'user', line: 'stopped by the user', rule: 'user-stop' }],
      },
    ],
  ];
  for (const [why, args, expected] of cases)
    test(`${why}; no owner is started`, async () => {
      await using harness = await CliHarness.create();
      const result = await harness.run(['classify', ...args, '--json']);
      assert.deepEqual([result.code, result.stderr], [0, '']);
      const { schema, ...found } = ClassifyDocument.parse(JSON.parse(result.stdout));
      assert.deepEqual([schema, found], ['supervisor.classify/1', expected]);
      assert.equal(await harness.ownerPid(), undefined);
    });

  test("respects the container, and the user's own rules", async () => {
    const rules = 'classify: {rules: [{id: seat, reason: quota_exhausted, exit_codes: [77]}]}';
    await using harness = await CliHarness.create(rules);
    const state = join(harness.dir, 'state.json');
    writeFileSync(state, '{"OOMKilled": true, "ExitCode": 137}');
    const args = ['classify', '--cli', 'custom', '--json', '--exit-code'];
    const reasons = await Promise.all(
      [['137', '--state', state], ['77'], ['78']].map(async (rest) => {
        const { stdout } = await harness.run([...args, ...rest]);
        return (JSON.parse(stdout) as { reason: string }).reason;
      }),
    );
    assert.deepEqual(reasons, ['oom', 'quota_exhausted', 'crashed']);
  });

  const wrong: [why: string, args: string[], stderr: RegExp][] = [
    [
      'without an exit code or a signal',
      ['--cli', 'claude'],
      /^error: Pass --exit-code or --signal/,
    ],
    ['without a cli', ['--exit-code', '1'], /--cli <cli>' not specified/],
    ['with an unknown cli', ['--cli', 'vim', '--exit-code', '1'], /Allowed choices are/],
    [
      'with a file that does not exist',
      ['--cli', 'claude', '--exit-code', '1', '--stdout', 'no'],
      /The file no does not exist\./,
    ],
    ['with an invalid exit code', ['--cli', 'claude', '--exit-code', 'x'], /Invalid exit code: x/],
  ];
  for (const [why, args, stderr] of wrong)
    test(`${why} is refused with exit code 2`, async () => {
      await using harness = await CliHarness.create();
      const result = await harness.run(['classify', ...args]);
      assert.match(result.stderr, stderr);
      assert.deepEqual([result.code, result.stdout], [2, '']);
    });
});

describe('supervisor agents', { timeout: 300_000 }, () => {
  test('shows every CLI that can be run, and the scripted agent that always can', async () => {
    await using harness = await CliHarness.create();
    const { code, stdout } = await harness.run(['agents', '--json']);
    const { agents } = AgentClisDocument.parse(JSON.parse(stdout));
    assert.deepEqual(
      [code, agents.map(({ id }) => id)],
      [0, ['claude', 'codex', 'gemini', 'copilot', 'opencode', 'scripted']],
    );
  });

  test('checks no unknown CLI', async () => {
    await using harness = await CliHarness.create();
    const result = await harness.run(['agents', 'check', 'vim']);
    assert.deepEqual([result.code, result.stdout], [2, '']);
    assert.match(result.stderr, /^error: Unknown agent CLI: vim\.\n/);
  });
});
