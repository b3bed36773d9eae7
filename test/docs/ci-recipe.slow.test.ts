/** The script and the workflow that the guide shows for CI, played as they are printed. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse as parseYaml } from 'yaml';
import { which } from '../../src/host/process/which.ts';
import { TrustDocument } from '../../src/public-json/project-documents.ts';
import { RunResult } from '../../src/public-json/run-result.ts';
import type { ErrorDocument } from '../../src/public-json/error-document.ts';
import { CliHarness } from '../e2e/cli-process-harness.ts';
import type { ShellResult } from '../e2e/shell.ts';
import { checkout, parse } from './markdown.ts';
import { shimPath } from './shell-script.ts';

const GUIDE = 'docs/guide/automation.md';
const guide = parse(GUIDE, readFileSync(join(checkout, GUIDE), 'utf8'));

function blockThatBegins(begin: string): string {
  const found = guide.blocks.find(({ text }) => text.startsWith(begin));
  return found?.text ?? assert.fail(`${GUIDE} has no block that begins with ${begin}`);
}

const SCRIPT = blockThatBegins('#!/bin/sh\n# ci/agent.sh');
const WORKFLOW = blockThatBegins('# .github/workflows/agent.yml');
const GATE = 'gates: [{ name: made, command: [test, -e, WORK.md] }]\n';
/** On a machine without a sandbox, the scripted agent and its gates work in the project itself. */
const SCRIPTED = ['--agent', 'scripted', '--unsafe-no-sandbox'];

/** A checkout of a repository on a CI machine. */
class Job implements AsyncDisposable {
  readonly harness: CliHarness;
  readonly env: NodeJS.ProcessEnv;
  readonly result: string;

  private constructor(harness: CliHarness) {
    this.harness = harness;
    this.result = join(harness.dir, 'temp/agent-result');
    this.env = { PATH: shimPath(harness), RUNNER_TEMP: join(harness.dir, 'temp'), CI: 'true' };
  }

  static async create(settings: string, own = ''): Promise<Job> {
    const job = new Job(await CliHarness.create(own));
    const { project } = job.harness;
    for (const folder of ['.supervisor', 'ci']) mkdirSync(join(project, folder));
    writeFileSync(join(project, '.supervisor/config.yaml'), settings);
    writeFileSync(join(project, 'ci/agent.sh'), SCRIPT);
    for (const words of ['init -q -b main', 'add -A', 'commit -q -m first'])
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words.split(' ')], {
        cwd: project,
      });
    return job;
  }

  /** What a person finds after a review: the command of the guide. */
  async hash(): Promise<string> {
    const { stdout } = await this.harness.run(['trust', '--show', '--json']);
    return TrustDocument.parse(JSON.parse(stdout)).hash ?? assert.fail(stdout);
  }

  async play(
    words: readonly string[],
    trust?: string,
    task = 'write a haiku',
  ): Promise<ShellResult> {
    const env = { ...this.env, SUPERVISOR_TRUST: trust ?? (await this.hash()) };
    return this.harness.open(['sh', 'ci/agent.sh', task, ...words], '', env).ended;
  }

  read(name: string): unknown {
    return JSON.parse(readFileSync(join(this.result, name), 'utf8'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.harness[Symbol.asyncDispose]();
  }
}

describe('the script for CI', { timeout: 600_000 }, () => {
  test('ends with 0 if a gate has verified the work, and leaves no owner', async () => {
    await using job = await Job.create(GATE);
    const { code, stdout, stderr } = await job.play(SCRIPTED);
    assert.equal(code, 0, `${stdout}${stderr}`);
    const { state, gates, error } = RunResult.parse(job.read('result.json'));
    assert.deepEqual(
      [state, gates.map((gate) => gate.state), error],
      ['succeeded', ['passed'], null],
    );
    assert.match(stdout, /Verified by its gates/);
    assert.ok(
      !existsSync(join(job.result, 'work.patch')),
      'its copy of the project is the project',
    );
    assert.equal(await job.harness.ownerPid(), undefined);
  });

  const rows: [why: string, code: number, error: string, settings: string, words: string[]][] = [
    [
      '1 if the agent fails',
      1,
      'attempt.crashed',
      GATE,
      ['--agent', 'scripted:crashes', '--unsafe-no-sandbox'],
    ],
    [
      '1 if a gate is red',
      1,
      'gate.failed',
      "gates: [{ name: no, command: ['false'] }]\n",
      SCRIPTED,
    ],
    ['2 if an option is wrong', 2, 'agent.unknown', GATE, ['--agent', 'nobody']],
    ['3 if there is no gate', 3, 'gate.missing', 'attempt: { grace: 2s }\n', SCRIPTED],
  ];
  for (const [why, expected, error, settings, words] of rows)
    test(`ends with ${why}`, async () => {
      await using job = await Job.create(settings);
      const { code, stdout, stderr } = await job.play(words);
      assert.equal(code, expected, `${stdout}${stderr}`);
      const document = job.read('result.json') as ErrorDocument | RunResult;
      assert.equal(document.error?.code, error);
    });

  test('ends with 3 before any agent starts if the settings are not those that were reviewed', async () => {
    await using job = await Job.create(GATE);
    const reviewed = await job.hash();
    writeFileSync(join(job.harness.project, '.supervisor/config.yaml'), 'gates: []\n');
    const { code, stdout, stderr } = await job.play(SCRIPTED, reviewed);
    assert.equal(code, 3, `${stdout}${stderr}`);
    assert.match(stderr, /have the hash \w+, not \w+\. Nothing was trusted/);
    assert.ok(!existsSync(join(job.result, 'result.json')));
  });

  const noSandbox =
    which('bwrap', process.env) === undefined && process.env['CI'] === undefined
      ? 'missing: bwrap'
      : false;
  test(
    'leaves the work of a contained agent as a patch that git applies',
    { skip: noSandbox },
    async () => {
      const agent = { id: 'mine', cli: 'custom', command: ['sh', '-c', 'echo made > WORK.md'] };
      const own = { agents: [agent], sandbox: { backend: 'bubblewrap' } };
      await using job = await Job.create(GATE, JSON.stringify(own));
      const { code, stdout, stderr } = await job.play(['--agent', 'mine']);
      assert.equal(code, 0, `${stdout}${stderr}`);
      const { project } = job.harness;
      assert.ok(!existsSync(join(project, 'WORK.md')));
      execFileSync('git', ['apply', join(job.result, 'work.patch')], { cwd: project });
      assert.equal(readFileSync(join(project, 'WORK.md'), 'utf8'), 'made\n');
    },
  );

  test('leaves no patch if a contained agent changed no file', { skip: noSandbox }, async () => {
    const agent = { id: 'mine', cli: 'custom', command: ['sh', '-c', 'echo nothing to do'] };
    const own = { agents: [agent], sandbox: { backend: 'bubblewrap' } };
    await using job = await Job.create(
      "gates: [{ name: yes, command: ['true'] }]\n",
      JSON.stringify(own),
    );
    const { code, stdout, stderr } = await job.play(['--agent', 'mine']);
    assert.equal(code, 0, `${stdout}${stderr}`);
    const { run_id: run } = RunResult.parse(job.read('result.json'));
    assert.deepEqual(readdirSync(job.result).toSorted(), ['result.json', 'why.txt']);
    const why = readFileSync(join(job.result, 'why.txt'), 'utf8');
    assert.ok(why.includes(run), why);
  });
});

type Step = {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
};

describe('the workflow for CI', { timeout: 600_000 }, () => {
  test('runs the script, and uploads what it leaves', async () => {
    const { jobs } = parseYaml(WORKFLOW) as { jobs: { agent: { steps: Step[] } } };
    const { steps } = jobs.agent;
    const step = steps.find(({ name }) => name === 'Run the agent') ?? assert.fail(WORKFLOW);
    const upload = steps.find(({ uses = '' }) => uses.startsWith('actions/upload-artifact@'));
    await using job = await Job.create(GATE);
    const task = 'write "a haiku"; exit 9';
    const values: Readonly<Record<string, string>> = {
      'secrets.OPENAI_API_KEY': 'sk-not-a-key',
      'vars.SUPERVISOR_TRUST': await job.hash(),
      'runner.temp': job.env['RUNNER_TEMP'] ?? '',
      'inputs.task': task,
    };
    const fill = (text: string): string =>
      text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, name: string) => values[name] ?? assert.fail(name));
    const given = Object.entries(step.env ?? {}).map(([name, value]) => [name, fill(value)]);
    const env = { ...job.env, ...(Object.fromEntries(given) as Record<string, string>) };
    // No model is here, so the scripted agent does the work of codex.
    const typed = fill(step.run ?? '').replace('--agent codex', SCRIPTED.join(' '));
    assert.match(typed, /--agent scripted/);
    const { code, stdout, stderr } = await job.harness.open(['bash', '-e', '-c', typed], '', env)
      .ended;
    assert.equal(code, 0, `${stdout}${stderr}`);
    assert.equal(fill(upload?.with?.['path'] ?? ''), job.result);
    assert.equal(RunResult.parse(job.read('result.json')).task, task);
  });
});
