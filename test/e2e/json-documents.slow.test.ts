/** What `--json` prints: each command, several outcomes, and errors, checked against the schemas that are printed. */
import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { JSON_OUTPUT } from '../../src/cli/json/json-output.ts';
import { ErrorDocument } from '../../src/public-json/error-document.ts';
import { RunResult } from '../../src/public-json/run-result.ts';
import { InboxDocument } from '../../src/public-json/reading-documents.ts';
import { StatusDocument } from '../../src/public-json/status-document.ts';
import type { CommandOutput, InProcessCli } from '../support/cli-harness.ts';
import { inProcessCli } from '../support/cli-harness.ts';
import { eventually } from '../support/eventually.ts';
import { PACK, entriesOf, tarball } from '../support/pack-fixture.ts';
import { PrintedSchemas, keysOf } from '../support/printed-schemas.ts';

const WITHIN_MS = 60_000;
const FREE = ['--unsafe-no-sandbox'];
const CONFIG = `capacity: { runs_max: 20, per_agent_max: 20 }
agents:
  - { id: later, cli: scripted, args: ['1', '1'] }
tree:
  children:
    - { name: frail, assignment: try, agent: 'scripted:crashes', restart: { restarts: 0 } }
`;

const FEATURE = `id: P1T1
title: A feature
phases: [{ id: one, components: [{ id: a, files: [a.ts] }, { id: b, files: [b.ts] }] }]
`;

/** A folder with one report. */
async function writeOrganization(folder: string): Promise<void> {
  for (const name of ['roles', 'reports']) await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, 'active.json'), '{"org_id": "team"}');
  await writeFile(join(folder, 'roles', 'coder.json'), '{"role_id": "coder"}');
  await writeFile(join(folder, 'reports', 'coder_latest.json'), 'no report');
}

class Scripts {
  readonly cli: InProcessCli;
  readonly schemas: PrintedSchemas;
  /** The documents that each command has printed so far. */
  readonly seen = new Map<string, Set<string>>();

  constructor(cli: InProcessCli) {
    this.cli = cli;
    this.schemas = new PrintedSchemas(async (name) => (await cli.say(['schema', name])).out);
  }

  /** Runs `command` with more words and --json, and checks all that it prints. */
  async say(command: string, ...words: readonly string[]): Promise<CommandOutput> {
    const json = words.some((word) => word.startsWith('--json')) ? [] : ['--json'];
    const said = await this.cli.say([...command.split(' '), ...words, ...json]);
    const where = `${command} ${words.join(' ')}`;
    const names = await this.schemas.check(said.out, where);
    const seen = this.seen.get(command) ?? new Set();
    this.seen.set(command, seen);
    for (const name of names) seen.add(name);
    return said;
  }

  async result(...words: readonly string[]): Promise<RunResult> {
    const { out, code } = await this.say('run', ...words);
    const result = RunResult.parse(JSON.parse(out));
    assert.equal(result.exit_code, code);
    return result;
  }

  async detached(agent: string): Promise<string> {
    const { out } = await this.say('run', 'wait', '-a', agent, '--detach');
    return StatusDocument.parse(JSON.parse(out)).runs[0]?.run_id ?? assert.fail(out);
  }
}

async function open(): Promise<{ readonly cli: InProcessCli; readonly scripts: Scripts }> {
  const cli = await inProcessCli(CONFIG);
  return { cli, scripts: new Scripts(cli) };
}

describe('run --json', { timeout: 300_000 }, () => {
  test('fits its schema for every outcome, and has gates, summary, answer, cost and files', async () => {
    const { cli, scripts } = await open();
    await using _ = cli;
    const gate = (command: string) => ['--gate', command, ...FREE, '--once'];

    const green = await scripts.result('x', '-a', 'scripted', ...gate('true'));
    assert.deepEqual(
      [green.state, green.exit_code, green.error, green.gates.map(({ state }) => state)],
      ['succeeded', 0, null, ['passed']],
    );
    assert.deepEqual(
      [green.usage.cost_usd, green.usage.total_tokens, green.files, green.applied],
      [null, null, null, null],
    );
    assert.notEqual(green.summary, null);

    const red = await scripts.result('x', '-a', 'scripted', ...gate('false'));
    assert.equal(red.exit_code, 1);
    assert.deepEqual(
      red.gates.map(({ state, detail }) => [state, detail]),
      [['failed', 'exit 1']],
    );
    assert.equal(red.error?.code, 'gate.failed');

    const unverified = await scripts.result('x', '-a', 'scripted');
    assert.deepEqual(
      [unverified.state, unverified.exit_code, unverified.error],
      ['unverified', 0, null],
    );

    const crashed = await scripts.result('x', '-a', 'scripted:crashes', '--once');
    assert.deepEqual(
      [crashed.state, crashed.exit_code, crashed.error?.code, crashed.error?.message],
      ['failed', 1, 'attempt.crashed', crashed.reason],
    );

    const role = ['-r', 'planner', '-a', 'scripted:answers-its-role'];
    const answered = await scripts.result('x', ...role);
    assert.equal((answered.answer as { status: string }).status, 'COMPLETE');

    const switched = await scripts.result('x', '--chain', 'scripted:crashes,later');
    assert.deepEqual(
      [switched.attempts.map(({ outcome }) => outcome), switched.metadata.switches],
      [['failed', 'completed'], 1],
    );
  });

  test('fits its schema when it is stopped, killed, or refused', async () => {
    const { cli, scripts } = await open();
    await using _ = cli;
    for (const [how, state, code] of [
      ['stop', 'cancelled', 130],
      ['kill', 'killed', 137],
    ] as const) {
      const ended = scripts.result('wait', '-a', 'scripted:never-speaks');
      const isRunning = async () =>
        StatusDocument.parse(JSON.parse((await cli.say(['status', '--json'])).out)).runs.some(
          (run) => run.state === 'running',
        );
      await eventually('the run', isRunning, WITHIN_MS);
      await scripts.say(how, '--all', '--everywhere');
      const { state: found, exit_code: exitCode } = await ended;
      assert.deepEqual([found, exitCode], [state, code]);
    }
    const refused = await scripts.say('run', 'x', '-a', 'nobody');
    const { error, exit_code: code } = ErrorDocument.parse(JSON.parse(refused.out));
    assert.deepEqual([refused.code, code, error.code, refused.err], [2, 2, 'agent.unknown', '']);
  });

  test('prints nothing but JSON on stdout with --json=stream, the result last', async () => {
    const { cli, scripts } = await open();
    await using _ = cli;
    const { out } = await scripts.say('run', 'x', '-a', 'scripted', '--json=stream');
    const documents = out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { schema: string }).schema);
    assert.equal(documents.at(-1), 'supervisor.run-result/1');
    assert.deepEqual(new Set(documents.slice(0, -1)), new Set(['supervisor.events/1']));
  });
});

describe('--json of every other command', { timeout: 300_000 }, () => {
  /** These need a workflow (`approvals`, `ablate`, `tasks`, `feature`, `plan` and `workflow.slow.test.ts`) or a sandbox (`json-of-work.slow.test.ts`). */
  const ELSEWHERE = [
    'start-task run-result',
    'start-task status',
    'start-task preflight',
    'fork run-result',
    'fork events',
    'fork status',
    'checkpoints checkpoints',
    'plan planned-feature',
    'plan show feature',
    'approve status',
    'edit edit',
    'edit status',
    'comment status',
    'logs model-calls',
    'diff diff',
    'apply apply',
    'complete-task task-completion',
    'rollback rollback',
    'reject status',
    'ablate ablation',
    'analyze-deps dependencies',
    'feature start feature-run',
    'feature show feature-run',
    'feature retry feature-run',
    'feature pause feature-run',
    'feature resume feature-run',
    'feature cancel feature-run',
    'merges list feature-run',
    'merges hold feature-run',
    'merges release feature-run',
    'merges skip feature-run',
    'sandbox check sandbox-check',
  ];

  test('fits its schema, and every key is in snake_case', async () => {
    const { cli, scripts } = await open();
    await using _ = cli;
    const keys = new Set<string>();
    const said = async (command: string, ...words: readonly string[]): Promise<CommandOutput> => {
      const output = await scripts.say(command, ...words);
      for (const line of output.out.trimEnd().split('\n'))
        for (const key of keysOf(JSON.parse(line))) keys.add(key);
      return output;
    };

    await said('run', 'x', '-a', 'scripted', '--preflight-only');
    await said('run', 'x', '-a', 'scripted', '--json=stream');
    await said('plan', 'x', '--only-answer', '-a', 'scripted:answers-its-role');
    const waiting = await scripts.detached('scripted:never-speaks');
    await said('status');
    await said('status', waiting);
    await said('status', '--all');
    await said('runs list', '--all');
    await said('pause', waiting);
    await said('unpause', waiting);
    await said('retry-now', waiting);
    await said('steer', waiting, 'hi');
    await said('queue', waiting, 'hi');
    await said('messages', waiting);
    await said('interrupt', waiting, 'hi');
    await said('next', waiting);
    await said('kill', waiting);
    const chain = ['--chain', 'scripted:never-speaks,later'];
    const { out: chained } = await scripts.say('run', 'wait', ...chain, '--detach');
    const first = StatusDocument.parse(JSON.parse(chained)).runs[0]?.run_id ?? '';
    // It is refused until the first agent has started.
    await eventually('next', async () => (await said('next', first)).code === 0);
    await said('kill', first);
    await said('kill', waiting, 'ffffffffff');
    const stopped = await scripts.detached('scripted:never-speaks');
    await said('stop', stopped);
    await said('attach', stopped);
    await said('wait', stopped);
    for (const which of [[], [stopped]]) {
      const again = await said('resume', ...which, '--detach');
      const resumed = StatusDocument.parse(JSON.parse(again.out)).runs[0]?.run_id ?? '';
      await said('kill', resumed);
    }
    const failed = await said('run', 'x', '-a', 'scripted:crashes', '--once');
    const { run_id: crashed } = RunResult.parse(JSON.parse(failed.out));
    await said('resume', crashed, '--json=stream');
    await said('events');
    await said('events', '--run', crashed);
    await said('logs', crashed);
    await said('turns', crashed);
    await said('steering replay', crashed);
    await said('steering report');
    await writeOrganization(join(cli.project, 'team'));
    await said('watch', 'team', '--once');
    await said('hook install', 'claude', '--folder', 'team', '--dry-run');
    await said('hook remove', 'claude', '--dry-run');
    await said('hook list');
    await said('artifacts', crashed);
    const { out: written } = await said('capsule', crashed, '-o', 'run.html');
    assert.equal((JSON.parse(written) as { facts: number }).facts > 0, true);
    await said('capsule verify', 'run.html');
    await said('discard', crashed, stopped);
    await said('why', crashed);
    await said('report');
    await said('report', '--steps');
    await said('metrics');

    await said('up', '--detach');
    const asked = async (): Promise<string | undefined> =>
      InboxDocument.parse(JSON.parse((await said('inbox')).out)).questions[0]?.run_id;
    await eventually('a question', async () => (await asked()) !== undefined, WITHIN_MS);
    await said('answer', (await asked()) ?? '', 'dismiss');

    await said('runs prune', '--older-than', '0s', '--dry-run');
    await said('runs prune', '--older-than', '0s', '--yes');
    await said('cooldowns list');
    await said('cooldowns clear', '--all');
    await said('dashboard', '--read-only');
    await said('dashboard', '--end');
    await said('breakers list');
    await said('breakers reset', '--all');
    await said('schedule add', '--json', '0 2 * * *', '--', 'run', 'x', '--agent', 'scripted');
    await said('schedule add', '--json', '@daily', '--', 'run', 'x', '--agent', 'no-such-agent');
    await said('schedule list');
    await said('schedule remove', 'schedule-1');
    await said('prices show');
    await said('prices set', 'house', '--input', '1', '--output', '2');
    await said('prices unset', 'house');
    await said('prices check');
    const table = {
      date: '2020-01-01',
      sources: [],
      prices: [{ model: 'm', input: 1, output: 2 }],
    };
    await writeFile(join(cli.project, 'table.json'), JSON.stringify(table));
    await said('prices update', 'table.json', '--older');

    const agent = ['--agent', 'scripted:lives-in-turns', '--on-done', 'wait', ...FREE];
    await said('spawn', 'x', '--name', 'ada', ...agent, '--commitment', 'it holds=true');
    await said('send', 'ada', 'hello');
    await said('reject', 'ada', 'no tests');
    await said('tree', '--all', '--internals');
    await said('dismiss', 'ada');

    await said('approvals');
    await said('approver add', 'ada', '--group', 'leads');
    await said('approver list');
    await said('approver remove', 'ada');

    await said('trust');
    await said('trust', '--list');
    await said('trust', '--revoke');
    await said('init', '--dry-run');
    await said('init', '--yes', '--no-prove');
    await said('trust');
    await said('trust', '--list');
    await writeFile(join(cli.project, '.supervisor/config.yaml'), 'attempt: { grace: 2s }\n');
    await said('trust', '--show');
    await said('config', '--untrusted');
    await said('trust', '--revoke');
    await said('roles list', '--untrusted');
    await said('roles show', 'planner', '--untrusted');
    await said('roles validate', '--untrusted');
    await writeFile(join(cli.project, 'pack.tgz'), await tarball(entriesOf(PACK)));
    await said('roles install', './pack.tgz', '--yes');
    await said('roles remove', 'keys-pack', '--yes');
    await rm(join(cli.project, 'pack.tgz'));
    await said('workflow list', '--untrusted');
    await said('workflow show', 'mvp', '--origins', '--untrusted');
    await said('workflow validate', '--untrusted');
    await writeFile(join(cli.project, 'feature.yaml'), FEATURE);
    await said('feature check', 'feature.yaml');
    await said('feature show', 'feature.yaml');
    await said('feature start', 'feature.yaml', '--dry-run');
    await said('feature list');
    await said('context', 'planner', '--untrusted');
    await said('schema');
    await said('agents list');
    await said('agents check', 'claude');
    await said('classify', '--cli', 'claude', '--exit-code', '1');
    await said('doctor');
    await said('owner status');
    await said('owner service', 'systemd');
    await said('version');

    const isSnake = (key: string): boolean => /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(key);
    assert.deepEqual(
      [...keys].filter((key) => !isSnake(key)),
      [],
    );
    // These need that no owner runs (`tree` and `database.slow.test.ts`).
    const withoutOwner = ['journal export', 'journal import', 'down', 'owner stop'];
    const missing = Object.entries(JSON_OUTPUT)
      .filter(([command]) => !withoutOwner.includes(command))
      .flatMap(([command, documents]) =>
        documents
          .filter((name) => scripts.seen.get(command)?.has(name) !== true)
          .map((name) => `${command} ${name}`),
      );
    assert.deepEqual(missing, ELSEWHERE);
  });
});
