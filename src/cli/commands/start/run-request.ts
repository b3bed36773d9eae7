/** The options of a run, and the request that they stand for. `schedule add` takes them too. */
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import { Refusal } from '../../../base/errors.ts';
import type { RunRequest } from '../../../protocol/api.ts';
import { BEST_OF_MAX } from '../../../protocol/best-of.ts';
import { RECOVERY_PRESETS } from '../../../settings/recovery-config.ts';
import type { TrustRequest } from '../../ask/ask-trust.ts';
import { UNTRUSTED_OPTION } from '../../ask/ask-trust.ts';
import type { CliContext } from '../../cli-context.ts';
import { insideProject, PROJECT_OPTION } from '../../input/project-path.ts';
import { NOTIFY_OPTION, notifyRequest } from '../../input/notify-option.ts';
import type { KeyOption } from '../../options.ts';
import { collect, deadline, KEY_OPTION, tokens, usd, wholeNumber } from '../../options.ts';
import { refuseHelpAsTask } from '../../tasks/task-words.ts';

export type RunOptions = KeyOption & {
  readonly agent?: string;
  readonly model?: string;
  readonly role?: string;
  readonly workflow?: string;
  readonly target: readonly string[];
  readonly chain?: string[];
  readonly bestOf?: number;
  readonly preset?: string;
  readonly once: boolean;
  readonly wait: boolean;
  readonly ask: boolean;
  readonly ignoreCooldown: boolean;
  readonly deadline?: string;
  readonly project?: string;
  readonly set: readonly string[];
  readonly gate: readonly string[];
  readonly requireGate: boolean;
  readonly apply: boolean;
  readonly commit: boolean;
  readonly includeTests: boolean;
  readonly acceptUnprotected: boolean;
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
  readonly notify?: string;
  readonly preflightOnly: boolean;
  readonly follow: boolean;
  readonly verbose: boolean;
  readonly quiet: boolean;
  readonly detach: boolean;
  readonly interactive: boolean;
  readonly foreground: boolean;
  readonly withoutSetup: boolean;
  readonly withoutBaseline: boolean;
  readonly unsafeNoSandbox: boolean;
  readonly untrusted: boolean;
  readonly json: boolean;
  readonly jsonStream: boolean;
};

/** Declares the task and the options. */
export function declareRun(command: Command): Command {
  return command
    .argument('<task...>', 'the task in plain words; - reads it from standard input')
    .optionsGroup('Task and project:')
    .option('-r, --role <name>', 'the role: its instructions, visible files and answer form')
    .option(
      '-t, --target <file>',
      'a file, folder or pattern that the role works on; repeatable',
      collect,
      [],
    )
    .option('--workflow <name>', 'take the task through the steps of this workflow')
    .option(...PROJECT_OPTION)
    .option('-s, --set <key=value>', 'override a setting for this run; repeatable', collect, [])
    .option(...UNTRUSTED_OPTION)
    .optionsGroup('Agents:')
    .option(
      '-a, --agent <id>',
      'the first agent to try; the other configured agents take over if it fails',
    )
    .option('--model <model>', 'the model of the first agent')
    .option(
      '--chain <ids>',
      'only these agents, in this order: a,b,c; one id for no fallback',
      chain,
    )
    .option('--preset <name>', 'recovery policy: fallback-first, retry-then-fallback, …', preset)
    .option(
      '--best-of <count>',
      'let so many different agents do the task side by side; gates choose the best',
      bestOf,
    )
    .option('--once', 'run one attempt of one agent, without recovery', false)
    .option('--no-wait', 'fail instead of waiting for a provider limit to reset')
    .option('--no-ask', 'end the run, with exit code 1, instead of asking you anything')
    .option('--ignore-cooldown', 'also try agents that are cooling down', false)
    .optionsGroup('Checks and result:')
    .option(
      '-g, --gate <command>',
      'a command that must pass when the agent says it is done; repeatable',
      collect,
      [],
    )
    .option(
      '--require-gate',
      'start only with a gate, and exit with 3 if none verified the run',
      false,
    )
    .option('--apply', 'apply the work to the project if every gate passes', false)
    .option('--commit', 'with --apply: then commit the applied files, and nothing else', false)
    .option('--include-tests', 'use and apply tests that the agent changed', false)
    .option('--accept-unprotected', 'accept gates that the work could influence', false)
    .option('--without-setup', 'run no setup, even if gates seem to need one', false)
    .option('--without-baseline', 'run no gate on the base before the first attempt', false)
    .optionsGroup('Limits:')
    .option('--deadline <duration>', 'time limit for one attempt, such as 30m', deadline)
    .option(
      '--budget-usd <amount>',
      'cost limit for model calls; at the limit, ask, or end with --no-ask',
      usd,
    )
    .option('--budget-tokens <count>', 'limit for input and output tokens, likewise', tokens)
    .option('--unsafe-no-sandbox', 'run the agent without a sandbox, with all your rights', false)
    .optionsGroup('How the command behaves:')
    .option('--preflight-only', 'check everything that the run needs, without starting it', false)
    .option('-i, --interactive', 'work with the agent in this terminal, inside its sandbox', false)
    .option('-d, --detach', 'print the run id and return at once', false)
    .option('--foreground', 'run the owner inside this command instead of in the background', false)
    .option('-f, --follow', 'show everything that the agents print, not only their messages', false)
    .option('--verbose', 'show internal steps too, such as the cost of each model call', false)
    .option('-q, --quiet', 'show no progress, only the result', false)
    .option(...NOTIFY_OPTION)
    .option(...KEY_OPTION)
    .option('--json', 'print the result as JSON; --json=stream also prints each event', false)
    .addOption(new Option('--json-stream').hideHelp().default(false));
}

function bestOf(text: string): number {
  const count = wholeNumber(text);
  if (count < 2 || count > BEST_OF_MAX)
    throw new InvalidArgumentError(`Use a number from 2 to ${BEST_OF_MAX}.`);
  return count;
}

function chain(text: string): string[] {
  const ids = text.split(',').map((id) => id.trim());
  if (!ids.includes('')) return ids;
  throw new InvalidArgumentError('Name agents with a comma between them, such as claude,codex.');
}

function preset(name: string): string {
  if ((RECOVERY_PRESETS as readonly string[]).includes(name)) return name;
  throw new InvalidArgumentError(`Use one of: ${RECOVERY_PRESETS.join(', ')}.`);
}

/** The settings that flags such as --preset stand for. */
function flagSettings(options: RunOptions): readonly string[] {
  const { preset, wait, ask, deadline, budgetUsd, budgetTokens } = options;
  return [
    ...(preset === undefined ? [] : [`recovery.preset=${preset}`]),
    ...(wait ? [] : ['recovery.wait_for_reset=false']),
    ...(ask ? [] : ['recovery.ask=false']),
    ...(deadline === undefined ? [] : [`attempt.deadline=${deadline}`]),
    ...(budgetUsd === undefined ? [] : [`budget.usd=${budgetUsd}`]),
    ...(budgetTokens === undefined ? [] : [`budget.tokens=${budgetTokens}`]),
  ];
}

/** The task as it was typed, or from standard input. Refuses an empty one. */
export async function readTask(context: CliContext, given: string): Promise<string> {
  refuseHelpAsTask(given, 'run');
  const task = given === '-' ? await context.stdin() : given;
  if (task.trim() === '')
    throw usageError(
      'The task is empty.',
      'Describe the work: supervisor run "fix the failing test"',
    );
  return task;
}

export function runRequest(
  context: CliContext,
  { task, project, trust }: { task: string; project: string; trust: TrustRequest },
  options: RunOptions,
): RunRequest {
  const targets = options.target.map((target) => insideProject(context, project, target));
  return {
    task,
    project,
    set: [...options.set, ...flagSettings(options)],
    ...defined({
      agent: options.agent,
      model: options.model,
      chain: options.chain,
      bestOf: options.bestOf,
      role: options.role,
      workflow: options.workflow,
      targets: targets.length === 0 ? undefined : targets,
      gates: options.gate.length === 0 ? undefined : [...options.gate],
      includeTests: options.includeTests || undefined,
      acceptUnprotected: options.acceptUnprotected || undefined,
      once: options.once || undefined,
      interactive: options.interactive || undefined,
      ignoreCooldown: options.ignoreCooldown || undefined,
      withoutSetup: options.withoutSetup || undefined,
      withoutBaseline: options.withoutBaseline || undefined,
      unsafe: options.unsafeNoSandbox || undefined,
      requireGate: options.apply || options.requireGate || undefined,
      concludes: options.apply || options.requireGate || undefined,
    }),
    ...notifyRequest(context, options),
    ...trust,
  };
}

export function usageError(message: string, hint?: string): Refusal {
  return new Refusal({ code: 'usage.invalid', message, ...defined({ hint }) });
}
