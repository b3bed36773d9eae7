import { Option } from 'commander';
import type { Command } from 'commander';
import { defined } from '../../base/defined.ts';
import { Refusal } from '../../base/errors.ts';
import { askForTrust, UNTRUSTED_OPTION } from '../ask-trust.ts';
import { EXIT, refusalExitCode } from '../exit-codes.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { insideProject, projectDir } from '../project-path.ts';
import type { KeyOption } from '../options.ts';
import { collect, usd, withKeyOption } from '../options.ts';
import { connectOwner } from '../connect-owner.ts';
import type { CommandEnding } from '../command-line.ts';
import { watchRun } from '../watch-run.ts';
import type { Preflight, PreflightState } from '../../protocol/views/preflight-view.ts';

type Options = KeyOption & {
  readonly agent?: string;
  readonly role?: string;
  readonly target: readonly string[];
  readonly chain?: string;
  readonly preset?: string;
  readonly once: boolean;
  readonly wait: boolean;
  readonly ignoreCooldown: boolean;
  readonly deadline?: string;
  readonly project?: string;
  readonly set: readonly string[];
  readonly gate: readonly string[];
  readonly requireGate: boolean;
  readonly apply: boolean;
  readonly includeTests: boolean;
  readonly acceptUnprotected: boolean;
  readonly budgetUsd?: number;
  readonly notify?: string;
  readonly preflightOnly: boolean;
  readonly follow: boolean;
  readonly detach: boolean;
  readonly foreground: boolean;
  readonly unsafeNoSandbox: boolean;
  readonly untrusted: boolean;
  readonly json: boolean;
  readonly jsonStream: boolean;
};

export function addRun(program: Command, context: CliContext, finish: CommandEnding): void {
  withKeyOption(program.command('run'))
    .description('Give a task to an agent and watch it to its end')
    .argument('<task>', 'what is to be done, in plain words; - reads it from standard input')
    .option('-a, --agent <id>', 'the agent to begin with')
    .option('--chain <ids>', 'which agents to try, in this order: a,b,c')
    .option('--preset <name>', 'what follows a failure: fallback-first, retry-then-fallback, …')
    .option('--once', 'one attempt and no recovery', false)
    .option('--no-wait', 'end instead of waiting until a limit is over')
    .option('--ignore-cooldown', 'try agents that other runs found limited', false)
    .option('--deadline <duration>', 'how long one attempt may take, such as 30m')
    .option('-r, --role <name>', 'the role: it gives context, prompt and the form of the answer')
    .option(
      '-t, --target <file>',
      'what the role is about: a file, folder or pattern; may be repeated',
      collect,
      [],
    )
    .option('-p, --project <dir>', 'the project to work in (default: this folder)')
    .option(
      '-s, --set <key=value>',
      'a setting for this run alone, strongest of all; may be repeated',
      collect,
      [],
    )
    .option(
      '-g, --gate <command>',
      'a check that we run ourselves when the agent says it is done; may be repeated',
      collect,
      [],
    )
    .option('--require-gate', 'end with 3 if the run ends with nothing having checked it', false)
    .option('--apply', 'take the work over into the project once every gate is green', false)
    .option('--include-tests', 'the task is about tests: judge and take them as changed', false)
    .option('--accept-unprotected', 'count gates as proof that can not be protected', false)
    .option('--budget-usd <amount>', 'what its model calls may cost; then it pauses and asks', usd)
    .option(
      '--notify <command|url>',
      'told when the run ends or asks, with the facts as JSON (default: $SUPERVISOR_NOTIFY)',
    )
    .option('--preflight-only', 'check all that the run would need, and make none', false)
    .option('--follow', 'show all that the agents print, not only what they say', false)
    .option('-d, --detach', 'print the run and come back at once, instead of watching it', false)
    .option(
      '-f, --foreground',
      'keep the owner inside this command instead of in the background; it ends with it',
      false,
    )
    .option('--unsafe-no-sandbox', 'run the agent as it is, with all that you may do', false)
    .option(...UNTRUSTED_OPTION)
    .option(
      '--json',
      'print the run as one JSON value at its end; --json=stream: its facts too',
      false,
    )
    .addOption(new Option('--json-stream').hideHelp().default(false))
    .addHelpText('after', HELP)
    .action(async (task: string, options: Options) => finish(await run(context, task, options)));
}

const HELP = `
Ctrl-C stops the run, a second one kills it. Closing the terminal leaves it running.
Without --detach it is watched: what happens to it, and what the agent says. --follow shows everything that the agent
prints, as logs --follow does; beside --json that goes to standard error.
Exit code: 0 done, 1 failed, 2 usage or configuration, 3 not proven, 75 unknown whether it was accepted,
130 stopped, 137 killed.

Examples:
  supervisor run "write a haiku" --agent scripted
  supervisor run "write a haiku" --agent scripted --deadline 5m --json
  supervisor run "mend the test" --chain main,second --preset retry-then-fallback
  supervisor run "fix the failing test" --gate "npm test" --apply
  supervisor run "fix the failing test" --gate "npm test" --preflight-only
  supervisor run "round to cents" --role implementer --target src/cart.ts`;

/** Flags that are a shorter word for a setting. */
function settingsOf({ preset, wait, deadline, budgetUsd }: Options): readonly string[] {
  return [
    ...(preset === undefined ? [] : [`recovery.preset=${preset}`]),
    ...(wait ? [] : ['recovery.wait_for_reset=false']),
    ...(deadline === undefined ? [] : [`attempt.deadline=${deadline}`]),
    ...(budgetUsd === undefined ? [] : [`budget.usd=${budgetUsd}`]),
  ];
}

function checkOptions({ detach, foreground, follow, apply, requireGate }: Options): void {
  if (!detach) return;
  if (foreground)
    throw refused(
      '--detach and --foreground exclude each other: the owner would end with this command.',
    );
  if (follow)
    throw refused(
      '--detach and --follow exclude each other: one leaves at once, the other stays to the end.',
      'Leave --detach out, or say later: supervisor logs RUN --follow',
    );
  if (apply || requireGate)
    throw refused(
      '--detach leaves before the end, and --apply and --require-gate are about the end.',
      'Leave --detach out, or say later: supervisor apply RUN',
    );
}

function refused(message: string, hint?: string): Refusal {
  return new Refusal({ code: 'usage.invalid', message, ...defined({ hint }) });
}

async function run(context: CliContext, given: string, options: Options): Promise<number> {
  checkOptions(options);
  const task = given === '-' ? await context.stdin() : given;
  if (task.trim() === '')
    throw new Refusal({
      code: 'usage.invalid',
      message: 'The task is empty: say what is to be done.',
    });
  const project = projectDir(context, options.project);
  const trust = await askForTrust(context, project, options);
  await using connection = await connectOwner(context, options);
  const { client } = connection;
  const targets = options.target.map((target) => insideProject(context, project, target));
  const request = {
    task,
    project,
    set: [...options.set, ...settingsOf(options)],
    ...defined({
      agent: options.agent,
      chain: options.chain?.split(',').map((id) => id.trim()),
      role: options.role,
      targets: targets.length === 0 ? undefined : targets,
      gates: options.gate.length === 0 ? undefined : [...options.gate],
      includeTests: options.includeTests || undefined,
      acceptUnprotected: options.acceptUnprotected || undefined,
      once: options.once || undefined,
      ignoreCooldown: options.ignoreCooldown || undefined,
      unsafe: options.unsafeNoSandbox || undefined,
      notify: (options.notify ?? context.env['SUPERVISOR_NOTIFY']) || undefined,
    }),
    ...trust,
  };
  if (options.preflightOnly) {
    const found = await client.preflight(request);
    context.out(options.json ? `${JSON.stringify(found)}\n` : formatPreflight(context, found));
    return preflightExitCode(found);
  }
  const view = await client.submit(request, options.idempotencyKey);
  const wish = options.jsonStream ? 'stream' : options.json;
  const { follow } = options;
  if (!options.detach)
    return await watchRun(context, connection, view, { json: wish, follow }, options);
  context.out(wish !== false ? `${JSON.stringify(view)}\n` : `${view.id}\n`);
  if (wish === false)
    context.err(paint(context, 'dim', `Watch it with: supervisor logs ${view.id} --follow\n`));
  return EXIT.ok;
}

const MARKS: Readonly<
  Record<PreflightState, readonly [mark: string, style: 'green' | 'yellow' | 'red']>
> = {
  ok: ['✓', 'green'],
  warning: ['!', 'yellow'],
  failed: ['✗', 'red'],
};

/** One line for each check, and a hint below each that is not ok. */
function formatPreflight(context: CliContext, { ok, checks }: Preflight): string {
  const width = Math.max(...checks.map(({ title }) => title.length));
  const lines = checks.flatMap(({ title, state, words, hint }) => {
    const [mark, style] = MARKS[state];
    const text = printable(words).replaceAll(/\n\s*/g, `\n${' '.repeat(width + 4)}`);
    const first = `${paint(context, style, mark)} ${printable(title).padEnd(width)}  ${text}`;
    const remedy = paint(context, 'dim', `${' '.repeat(width + 4)}${printable(hint ?? '')}`);
    return hint === null ? [first] : [first, remedy];
  });
  const verdict = ok ? 'A run could begin.' : 'A run could not begin.';
  return `${[...lines, '', `${verdict} None was made.`].join('\n')}\n`;
}

/** The exit code of a run that is refused for the same reason. */
function preflightExitCode({ ok, checks }: Preflight): number {
  if (ok) return EXIT.ok;
  const codes = checks.flatMap(({ state, code }) => (state === 'failed' ? [code ?? ''] : []));
  return Math.max(...codes.map(refusalExitCode));
}
