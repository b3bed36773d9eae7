/** Compares a workflow with and without one of its steps, on tasks of a file. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { defined } from '../../../base/defined.ts';
import { Refusal } from '../../../base/errors.ts';
import { hashText } from '../../../base/hash-text.ts';
import { canonicalJson } from '../../../base/json.ts';
import { plural } from '../../../base/text.ts';
import type { Client } from '../../../client/client.ts';
import type { AblateRequest, AblationView } from '../../../protocol/views/ablation-view.ts';
import type { RunOutcome } from '../../../protocol/outcome.ts';
import type { RunView } from '../../../protocol/views/run-view.ts';
import type { ErrorFields } from '../../../public-json/error-document.ts';
import { simpleError } from '../../../public-json/error-document.ts';
import { ablationDocument } from '../../../public-json/ablation-document.ts';
import { askForTrust, UNTRUSTED_OPTION } from '../../ask/ask-trust.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { formatComparison, formatTrial } from '../../format/ablation-text.ts';
import { requireYesAtTerminal } from '../../ask/confirm.ts';
import { collect, times, tokens, usd } from '../../options.ts';
import { printJson } from '../../json/print-json.ts';
import { PROJECT_OPTION, projectDir } from '../../input/project-path.ts';
import { interruptedError, LeftCommand } from '../../watch/left-command.ts';
import { readTasks } from '../../tasks/read-tasks.ts';

type Options = {
  readonly without: string;
  readonly tasks: string;
  readonly runs: number;
  readonly seed: number;
  readonly agent?: string;
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
  readonly set: readonly string[];
  readonly project?: string;
  readonly untrusted: boolean;
  readonly yes: boolean;
  readonly json: boolean;
};

/** A comparison that was stopped this often is not continued by itself. */
const RESUMES_MAX = 50;
const SEED_MAX = 0xffffffff;

const HELP = `
Each task runs in pairs: once with the step and once without it. The gates of the
whole workflow judge the work of both. Nothing is committed, and no person is
asked. The same command again continues a comparison, or shows its result;
another --seed starts a new one.

Example:
  supervisor ablate mvp --without quick_review --tasks tasks.yaml --budget-usd 20`;

export function addAblate(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('ablate')
    .description('Compare a workflow with and without one of its steps, on your own tasks')
    .argument('<template>', 'the name of the workflow')
    .requiredOption('--without <step>', 'the step that one side of each pair leaves out')
    .requiredOption('--tasks <file>', 'a YAML file with the tasks')
    .option('--runs <count>', 'how many pairs of each task', times, 1)
    .option('--seed <number>', 'decides the order of the trials', seedNumber, 1)
    .option('-a, --agent <id>', 'the agent that works, unless a role names another')
    .option('--budget-usd <amount>', 'cost limit for all trials together', usd)
    .option('--budget-tokens <count>', 'limit for the tokens of all trials together', tokens)
    .option('--set <key=value>', 'change a setting, as for supervisor run', collect, [])
    .option(...PROJECT_OPTION)
    .option(...UNTRUSTED_OPTION)
    .option('-y, --yes', 'start without asking', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (template: string, options: Options) =>
      finish(await ablate(context, template, options)),
    );
}

function seedNumber(text: string): number {
  const seed = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (seed <= SEED_MAX) return seed;
  throw new InvalidArgumentError(`Use a whole number from 0 to ${SEED_MAX}.`);
}

async function ablate(context: CliContext, template: string, options: Options): Promise<number> {
  const tasks = await readTasks(context.cwd, options.tasks);
  const { without, runs, seed, yes, json } = options;
  const project = projectDir(context, options.project);
  const trust = await askForTrust(context, project, options);
  const budget = [
    ...(options.budgetUsd === undefined ? [] : [`budget.usd=${options.budgetUsd}`]),
    ...(options.budgetTokens === undefined ? [] : [`budget.tokens=${options.budgetTokens}`]),
  ];
  const request: AblateRequest = {
    ...{ project, template, without, runs, seed },
    tasks: [...tasks],
    set: [...options.set, ...budget],
    ...defined({ agent: options.agent }),
    ...trust,
  };
  const trials = tasks.length * runs * 2;
  if (!yes) await requireAgreement(context, trials, json);
  await using connection = await connectOwner(context, { creates: true });
  const { client } = connection;
  const view = await startOrContinue(client, request);
  if (!json)
    context.out(
      `${paint(context, 'bold', `Run ${view.id}`)}  ${plural(trials, 'trial')} of ${printable(template)}, one after the other\n`,
    );
  using left = new LeftCommand(context);
  const last = await watch(context, client, view, json, left.signal);
  if (last === undefined) {
    const again = 'The same command shows it again.';
    context.err(`The comparison continues. ${again} Stop it with: supervisor stop ${view.id}\n`);
    const error = interruptedError(view.id, again);
    if (json) printJson(context, ablationDocument(await client.ablation(view.id), error));
    return left.code;
  }
  const isDone = last.outcome?.kind === 'succeeded';
  const error = isDone ? null : errorOf(last);
  if (json) printJson(context, ablationDocument(last, error));
  else context.out(formatComparison(context, last));
  if (isDone) return EXIT.ok;
  if (!json) context.err(`The comparison is not complete: ${last.outcome?.reason ?? ''}\n`);
  return EXIT.failed;
}

function errorOf({ run, outcome }: AblationView): ErrorFields {
  const { kind = 'failed', reason = '' } = (outcome as RunOutcome | null) ?? {};
  const remedy = `supervisor why ${run}`;
  if (kind === 'succeeded' || kind === 'unverified')
    return simpleError('run.failed', reason, remedy);
  return simpleError(`run.${kind}`, reason, remedy);
}

/** Two trials with paid agents are easily a hundred, so a person agrees first. */
async function requireAgreement(context: CliContext, trials: number, json: boolean): Promise<void> {
  if (json || !context.terminal.isTty || !process.stdin.isTTY)
    throw new Refusal({
      code: 'usage.invalid',
      message: `This starts ${plural(trials, 'workflow')}, and there is no terminal to ask you.`,
      hint: 'Add --yes to start them.',
    });
  const question = `Start ${plural(trials, 'workflow')}, one after the other?`;
  await requireYesAtTerminal(context, question, 'Nothing was started.');
}

/** The same request has the same key, so it finds its run again. One that was stopped continues. */
async function startOrContinue(client: Client, request: AblateRequest): Promise<RunView> {
  const key = `ablate-${hashText(canonicalJson(request))}`;
  let view = await client.ablate(request, key);
  for (let times = 1; times <= RESUMES_MAX; times += 1) {
    const kind = view.outcome?.kind;
    if (kind !== 'cancelled' && kind !== 'killed') break;
    view = await client.resume(view.id, `${key}-${times}`);
  }
  return view;
}

/** Prints each trial as it ends. Undefined: the person has left, and the comparison continues. */
async function watch(
  context: CliContext,
  client: Client,
  { id }: RunView,
  json: boolean,
  left: AbortSignal,
): Promise<AblationView | undefined> {
  let shown = 0;
  const show = async (): Promise<AblationView> => {
    const view = await client.ablation(id);
    for (; shown < view.results.length; shown += 1)
      if (!json) context.out(formatTrial(context, view, shown + 1));
    return view;
  };
  try {
    for await (const event of client.followRun(id, 0, left))
      if (event.type === 'command.ended') await show();
  } catch (error) {
    if (!left.aborted) throw error;
  }
  return left.aborted ? undefined : show();
}
