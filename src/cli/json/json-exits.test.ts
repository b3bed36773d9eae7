/** With --json, every command that does not exit with 0 ends with a document that has `error.code` and `error.message`. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRecord } from '../../base/json.ts';
import { ErrorFields } from '../../public-json/error-document.ts';
import { RunResult } from '../../public-json/run-result.ts';
import type { CommandOutput, InProcessCli } from '../../../test/support/cli-harness.ts';
import { inProcessCli } from '../../../test/support/cli-harness.ts';
import { PrintedSchemas } from '../../../test/support/printed-schemas.ts';
import type { CliContext } from '../cli-context.ts';
import { exitCodeFor } from '../exit-codes.ts';
import { JSON_OUTPUT } from './json-output.ts';

const RUN = ['run', 'x', '--agent', 'scripted', '--unsafe-no-sandbox', '--without-baseline'];
const CONFIG = `agents:
  - { id: mine, cli: custom, command: ['./no-such-program'] }
  - { id: rare, cli: codex, model: gpt-0 }
`;

/** A command line, and the code of its error. */
type Row = readonly [code: string, argv: readonly string[], context?: Partial<CliContext>];

const NO_RUN = 'deadbeef00';

const CALLS: readonly Row[] = [
  // A wrong command line.
  ['usage.invalid', ['no-such-command']],
  ['usage.invalid', ['run']],
  ['usage.invalid', ['run', '']],
  ['usage.invalid', ['run', 'x', '--detach', '--follow']],
  ['usage.invalid', ['run', 'x', '--budget-usd', 'five']],
  ['usage.invalid', ['status', '--json=foo']],
  ['usage.invalid', ['status', '--json=stream']],
  ['usage.invalid', ['stop']],
  ['usage.invalid', ['schema', 'statsu']],
  ['usage.invalid', ['report', '--since', 'soon']],
  ['usage.invalid', ['runs', 'prune', '--older-than', 'x']],
  ['usage.invalid', ['prices', 'show', 'no-such-model']],
  ['usage.invalid', ['agents', 'check', 'no-such-cli']],
  ['usage.invalid', ['doctor', '--fix']],
  ['usage.invalid', ['trust', '--list', '--revoke']],
  ['usage.invalid', ['init', '--packs', 'no-such-pack']],
  ['usage.invalid', ['init']],
  ['config.invalid', [...RUN, '--set', 'attempt.grase=1s']],
  // A name of something that does not exist.
  ...['status', 'attach', 'logs', 'diff', 'apply', 'discard', 'artifacts', 'stop', 'kill'].map(
    (command): Row => ['run.not-found', [command, NO_RUN]],
  ),
  ...['pause', 'unpause', 'retry-now', 'next', 'resume', 'why'].map((command): Row => [
    'run.not-found',
    [command, NO_RUN],
  ]),
  ['run.not-found', ['answer', NO_RUN, 'yes']],
  ['run.not-found', ['stop', NO_RUN, 'deadbeef01']],
  ['run.not-found', ['checkpoints', NO_RUN]],
  ['run.not-found', ['turns', NO_RUN]],
  ['run.not-found', ['messages', NO_RUN]],
  ...['steer', 'queue', 'interrupt'].map((command): Row => [
    'run.not-found',
    [command, NO_RUN, 'hi'],
  ]),
  ['usage.invalid', ['watch', 'no-such-folder', '--once']],
  ['usage.invalid', ['hook', 'install', 'claude', '--folder', 'x']],
  ['usage.invalid', ['hook', 'install', 'no-such-cli']],
  ['run.not-found', ['steering', 'replay', NO_RUN]],
  ['usage.invalid', ['steering', 'replay', NO_RUN, '--set', 'stall.turns=1']],
  ['run.not-found', ['fork', NO_RUN, '--at', 'implement']],
  ['usage.invalid', ['fork', NO_RUN]],
  ['usage.invalid', ['resume', '--all', '--from', 'implement']],
  ['agent.unknown', ['run', 'x', '--agent', 'no-such-agent']],
  ['agent.unknown', ['run', 'x', '--agent', 'no-such-agent', '--preflight-only']],
  ['agent.not-found', ['send', 'no-such-agent', 'hi']],
  ['agent.not-found', ['dismiss', 'no-such-agent']],
  ['role.not-found', ['run', 'x', '--agent', 'scripted', '--role', 'no-such-role']],
  ['role.not-found', ['roles', 'show', 'no-such-role']],
  ['role.not-found', ['context', 'no-such-role']],
  ['workflow.not-found', ['workflow', 'show', 'no-such-workflow']],
  ['usage.invalid', ['workflow', 'show']],
  ['usage.invalid', ['feature', 'show', 'no-such-file.yaml']],
  ['usage.invalid', ['feature', 'check']],
  ['home.unusable', ['status'], { env: { SUPERVISOR_HOME: '/dev/null/x' } }],
  ['home.unusable', ['status'], { env: { SUPERVISOR_HOME: 'here' } }],
  ['run.not-found', ['status', 'nope']],
  // It can't be done now, or here.
  ['breaker.not-found', ['breakers', 'reset', 'no-such-step']],
  ['usage.invalid', ['breakers', 'reset']],
  ['schedule.not-found', ['schedule', 'remove', 'no-such-schedule']],
  [
    'usage.invalid',
    ['schedule', 'add', '--json', '0 2 * *', '--', 'run', 'x', '--agent', 'scripted'],
  ],
  ['cooldown.not-found', ['cooldowns', 'clear', 'no-such-agent']],
  ['agent.unavailable', ['run', 'x', '--agent', 'mine', '--unsafe-no-sandbox']],
  ['price.unknown', ['prices', 'check']],
  // A run that does not end well.
  ['attempt.crashed', ['run', 'x', '--agent', 'scripted:crashes', '--once']],
  ['gate.failed', [...RUN, '--once', '--gate', 'false']],
  ['gate.missing', [...RUN, '--require-gate']],
  ['gate.missing', [...RUN, '--apply']],
  ['gate.missing', [...RUN, '--apply', '--preflight-only']],
  ['plan.missing', ['plan', 'x', '--only-answer', '--agent', 'scripted']],
];

/** The error of the last document. The exit code of a run follows from its state, any other from the code. */
function errorOf({ code, out }: CommandOutput, where: string): ErrorFields {
  const last: unknown = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '');
  assert.ok(isRecord(last), where);
  const error = ErrorFields.parse(last['error']);
  assert.notEqual(error.message, '', where);
  if ('exit_code' in last) assert.equal(last['exit_code'], code, where);
  if (!RunResult.safeParse(last).success) assert.equal(code, exitCodeFor(error.code), where);
  return error;
}

async function withCli(
  work: (cli: InProcessCli, schemas: PrintedSchemas) => Promise<void>,
): Promise<void> {
  await using cli = await inProcessCli(CONFIG);
  await work(cli, new PrintedSchemas(async (name) => (await cli.say(['schema', name])).out));
}

describe('a command that fails with --json', { timeout: 300_000 }, () => {
  test('ends with a document that names the error, and has its usual exit code', () =>
    withCli(async (cli, schemas) => {
      for (const [expected, argv, context] of CALLS) {
        const where = argv.join(' ');
        const words = where.includes('--json') ? argv : [...argv, '--json'];
        const said = await cli.say(words, context);
        assert.notEqual(said.code, 0, `${where}: ${said.out}`);
        await schemas.check(said.out, where);
        assert.equal(errorOf(said, where).code, expected, `${where}: ${said.out}`);
        if (words === argv) continue; // without its value, the option would be right
        assert.equal((await cli.say(argv, context)).code, said.code, `${where} without --json`);
      }
    }));

  test('names an option that no command has, whatever the command', () =>
    withCli(async (cli, schemas) => {
      for (const command of Object.keys(JSON_OUTPUT)) {
        const said = await cli.say([...command.split(' '), '--no-such-option', '--json']);
        await schemas.check(said.out, command);
        const { code } = errorOf(said, command);
        assert.deepEqual([said.code, code, said.err], [2, 'usage.invalid', ''], command);
      }
    }));

  test('says that its files are not trusted, or not valid', () =>
    withCli(async (cli, schemas) => {
      const folder = join(cli.project, '.supervisor');
      await mkdir(join(folder, 'roles'), { recursive: true });
      await writeFile(join(folder, 'roles', 'odd.yaml'), 'no_such_key: 1\n');
      const calls: readonly Row[] = [
        ['project.untrusted', ['run', 'x', '--agent', 'scripted']],
        ['project.untrusted', ['trust']],
        ['project.untrusted', ['trust', '--show']],
        ['project.untrusted', ['trust', '--hash', '0']],
      ];
      const check = async ([expected, argv]: Row): Promise<void> => {
        const where = argv.join(' ');
        const said = await cli.say([...argv, '--json']);
        await schemas.check(said.out, where);
        assert.equal(errorOf(said, where).code, expected, said.out);
      };
      for (const call of calls) await check(call);
      const shown = JSON.parse((await cli.say(['trust', '--show', '--json'])).out) as {
        readonly hash: string;
      };
      assert.equal((await cli.say(['trust', '--hash', shown.hash])).code, 0);
      await check(['role.invalid', ['roles', 'validate']]);
    }));
});
