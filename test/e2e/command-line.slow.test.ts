/** Right and wrong command lines, and what reaches the agent. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { RunResult } from '../../src/public-json/run-result.ts';
import { CliHarness } from './cli-process-harness.ts';

describe('a wrong command line', { timeout: 300_000 }, () => {
  const wrong: [why: string, args: string[], stderr: RegExp][] = [
    [
      'without a task says what is missing and how to learn more',
      ['run'],
      /^error: missing required argument 'task'\n.*--help/s,
    ],
    ['with an empty task', ['run', ' '], /^error: The task is empty\.\nDescribe the work: /],
    [
      'with an unknown command suggests one',
      ['statsu'],
      /^error: unknown command 'statsu'\n\(Did you mean status\?\)\n/,
    ],
    [
      'with an unknown option suggests one',
      ['run', 'x', '--agnet', 'y'],
      /unknown option '--agnet'\n\(Did you mean --agent\?\)\n/,
    ],
    [
      'that is a task suggests run',
      ['fix', 'the', 'failing', 'test'],
      /\nTo run this as a task: supervisor run "fix the failing test"\n$/,
    ],
    [
      'with words after the task says which',
      ['run', 'fix it', '--gate', 'npm', 'test'],
      /^error: After the text "fix it" there are more words: "test"\.\n/,
    ],
    [
      'with a project that is not there',
      ['run', 'x', '-p', 'nowhere'],
      /^error: The project folder .*\/nowhere does not exist\.\n/,
    ],
    [
      'that combines exclusive options',
      ['run', 'x', '-d', '--foreground'],
      /^error: --detach and --foreground cannot be used together/,
    ],
    [
      'with a limit that is no number',
      ['status', '-n', 'many'],
      /argument 'many' is invalid\. Use a whole number from 1 to 10000, such as 20\.\n/,
    ],
    [
      'with a start that is no number',
      ['events', '--after', '-1'],
      /argument '-1' is invalid\. Use a whole number, such as 20\.\n/,
    ],
  ];
  for (const [why, args, stderr] of wrong) {
    test(`${why}: exit code 2, nothing on stdout, no owner started`, async () => {
      await using harness = await CliHarness.create();
      const result = await harness.run(args);
      assert.match(result.stderr, stderr);
      assert.deepEqual([result.code, result.stdout], [2, '']);
      assert.equal(await harness.ownerPid(), undefined);
    });
  }
});

/** Loaded into the agent before its own program: stores its stdin. */
const KEEP_STDIN = `import { readFileSync, writeFileSync } from 'node:fs';
writeFileSync('TASK', readFileSync(0));`;

describe('a task', { timeout: 300_000 }, () => {
  const tasks: [what: string, task: string][] = [
    ['of 900 kB', `${'all of it, please. '.repeat(47_368)}end`],
    [
      'with quotes, newlines and shell words',
      `it's "so" \`now\`\n\n$HOME && rm -rf /; \\n %s\t{{x}}\r\n`,
    ],
    ['in every script', 'naïve — 東京 🚀 עברית \u202Eabc\u202C e\u0301 \uFEFF'],
    ['that looks like an option', '--version'],
  ];
  for (const [what, task] of tasks) {
    test(`${what} reaches the agent as it was typed`, async () => {
      await using harness = await CliHarness.create();
      const keep = join(harness.dir, 'keep-stdin.mjs');
      writeFileSync(keep, KEEP_STDIN);
      await harness.configure(
        `agents:\n  - { id: keeper, cli: scripted, env: { NODE_OPTIONS: '--import=${keep}' } }\n`,
      );
      const result = await harness.run(['run', '-', '--agent', 'keeper'], { stdin: task });
      assert.equal(result.code, 0, result.stderr);
      assert.equal(readFileSync(join(harness.project, 'TASK'), 'utf8'), task);
    });
  }

  test('that is too long is refused', async () => {
    await using harness = await CliHarness.create();
    const result = await harness.run(['run', '-', '--agent', 'scripted'], {
      stdin: 'x'.repeat(3e6),
    });
    assert.deepEqual([result.code, result.stdout], [2, '']);
    assert.match(
      result.stderr,
      /^error: Standard input has more than 2000000 bytes\.\nPut the long part into a file /,
    );
  });
});

describe('--json', { timeout: 300_000 }, () => {
  const command = ['run', 'x', '--agent', 'scripted:crashes'];

  test('prints the run as one value and nothing else on stdout', async () => {
    await using harness = await CliHarness.create();
    const { code, stdout, stderr } = await harness.run([...command, '--json']);
    assert.equal(code, 1);
    assert.match(stderr, /^Run (\w{10}): queued\n(?:Run \1: .*\n)*Run \1: failed\n$/);
    const result = RunResult.parse(JSON.parse(stdout));
    assert.deepEqual([result.state, result.exit_code, result.attempts.length], ['failed', 1, 1]);
  });

  test('with =stream prints its facts before that', async () => {
    await using harness = await CliHarness.create();
    const { code, stdout, stderr } = await harness.run([...command, '--json=stream']);
    assert.deepEqual([code, stderr], [1, '']);
    const lines = stdout.trimEnd().split('\n');
    const types = lines.slice(0, -1).map((line) => (JSON.parse(line) as { type: string }).type);
    assert.deepEqual([types[0], types.at(-1)], ['run.submitted', 'run.ended']);
    assert.equal(RunResult.parse(JSON.parse(lines.at(-1) ?? '')).state, 'failed');
  });
});

test(
  'the logs of a flood show its beginning, its end, and how much is left out',
  { timeout: 300_000 },
  async () => {
    const bytes = 6_000_000;
    await using harness = await CliHarness.create(
      `agents:\n  - { id: 'some:floods-stdout', cli: scripted, args: ['${bytes}'] }\nattempt: { output_max: 1MB }\n`,
    );
    const id = (
      await harness.run(['run', 'x', '--agent', 'some:floods-stdout', '-d'])
    ).stdout.trim();
    const followed = await harness.run(['logs', id, '--follow']);
    assert.deepEqual([followed.code, followed.stderr], [0, '']);
    assert.match(followed.stdout, /^── attempt-1: .* ──\n(all work and no play ){6}\n/);
    const stored = await harness.run(['logs', id]);
    for (const { stdout } of [followed, stored]) {
      const leftOut = [...stdout.matchAll(/^\[(\d+) bytes left out\]\n/gm)];
      const skipped = leftOut.reduce((sum, [, count]) => sum + Number(count), 0);
      const words = leftOut.reduce((sum, [line]) => sum + line.length, 0);
      // A line that the gap cuts in two gets its own line end, and so does the last line.
      const [heading = ''] = /^── .* ──\n/.exec(stdout) ?? [];
      const shown = Buffer.byteLength(stdout) - Buffer.byteLength(heading) - words - leftOut.length;
      // A fast follower misses nothing; stored output always has its gap.
      const gaps = stdout === stored.stdout ? 1 : 0;
      assert.ok(
        leftOut.length >= gaps && Math.abs(shown + skipped - bytes) <= leftOut.length + 1,
        `${shown} + ${skipped}`,
      );
    }
    assert.ok(Buffer.byteLength(stored.stdout) < 600_000);
  },
);
