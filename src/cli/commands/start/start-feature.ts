/** Starts a feature and shows it until it ends. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { realPathSync } from '../../../host/files/real-path.ts';
import { defined } from '../../../base/defined.ts';
import { plural } from '../../../base/text.ts';
import type { Client } from '../../../client/client.ts';
import { CAPACITY } from '../../../plan/expected-speedup.ts';
import type { Feature } from '../../../protocol/feature.ts';
import type { RunOutcome } from '../../../protocol/outcome.ts';
import type { FeatureRequest, FeatureView } from '../../../protocol/views/feature-view.ts';
import type { RunView } from '../../../protocol/views/run-view.ts';
import { foldRunView } from '../../../protocol/views/run-view.ts';
import { simpleError } from '../../../public-json/error-document.ts';
import { featureRunDocument } from '../../../public-json/feature-documents.ts';
import type { TrustRequest, UntrustedOption } from '../../ask/ask-trust.ts';
import { askForTrust, UNTRUSTED_OPTION } from '../../ask/ask-trust.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { requireConfirm, requireYes } from '../../ask/confirm.ts';
import { connectOwner } from '../../connect-owner.ts';
import { questionsToTell } from '../../watch/below-questions.ts';
import { EarlyInterrupt } from '../../watch/early-interrupt.ts';
import { EXIT, exitCodeOf } from '../../exit-codes.ts';
import { askedLines } from '../../format/asked-lines.ts';
import { interruptedError, LeftCommand } from '../../watch/left-command.ts';
import { ProgressLines } from '../../watch/show-progress.ts';
import { formatFeature, toFeatureDocument } from '../../format/feature-text.ts';
import { allOf, formatFeatureRun, formatProgress } from '../../format/feature-run-text.ts';
import { collect, times, tokens, usd } from '../../options.ts';
import { printJson } from '../../json/print-json.ts';
import { PROJECT_OPTION, projectDir } from '../../input/project-path.ts';
import { readFeatureText } from '../../input/read-feature-file.ts';

type Options = {
  readonly capacity: number;
  readonly agent?: string;
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
  readonly set: readonly string[];
  readonly project?: string;
  readonly untrusted: boolean;
  readonly unsafeNoSandbox: boolean;
  readonly dryRun: boolean;
  readonly detach: boolean;
  readonly yes: boolean;
  readonly json: boolean;
};

const HELP = `
Each component is a run of its own workflow, in a copy of the project. Its work is merged with
what has landed before, judged by your gates, and committed on a branch of the feature. Your
checkout is not touched. A conflict or a red gate gives the component back, and after the
second time you are asked.

Examples:
  supervisor feature start invoices.yaml --dry-run
  supervisor feature start invoices.yaml --capacity 2 --budget-usd 20`;

export function addStartFeature(
  feature: Command,
  context: CliContext,
  finish: CommandEnding,
): void {
  feature
    .command('start')
    .description('Build a feature: its components side by side, merged one by one')
    .argument('<file>', 'the YAML file of a feature')
    .option('--capacity <count>', 'how many components may be at work at once', times, CAPACITY)
    .option('-a, --agent <id>', 'the agent that works, unless a role names another')
    .option('--budget-usd <amount>', 'cost limit for the whole feature', usd)
    .option('--budget-tokens <count>', 'limit for the tokens of the whole feature', tokens)
    .option('--set <key=value>', 'change a setting, as for supervisor run', collect, [])
    .option(...PROJECT_OPTION)
    .option(...UNTRUSTED_OPTION)
    .option('--unsafe-no-sandbox', 'only for scripted agents: run them without a sandbox', false)
    .option('--dry-run', 'only show what would run side by side', false)
    .option('--detach', 'start it in the background', false)
    .option('-y, --yes', 'start without asking', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (file: string, options: Options) => finish(await start(context, file, options)));
}

async function start(context: CliContext, file: string, options: Options): Promise<number> {
  const { capacity, json, dryRun } = options;
  const { text, feature } = await readFeatureText(context.cwd, file);
  const sure = requireConfirm(context, 'feature start', options);
  if (dryRun && json) printJson(context, toFeatureDocument(feature, capacity));
  else if (!json) context.out(formatFeature(context, feature, capacity));
  if (dryRun) return EXIT.ok;
  const count = feature.phases.flatMap(({ components }) => components).length;
  await requireYes(sure, `Start ${plural(count, 'workflow')}?`, 'Nothing was started.');
  const project = projectDir(context, options.project);
  const trust = await askForAll(context, [project, ...otherProjects(feature, project)], options);
  const budget = [
    ...(options.budgetUsd === undefined ? [] : [`budget.usd=${options.budgetUsd}`]),
    ...(options.budgetTokens === undefined ? [] : [`budget.tokens=${options.budgetTokens}`]),
  ];
  const request: FeatureRequest = {
    ...{ project, capacity, file: { name: file, text } },
    set: [...options.set, ...budget],
    ...defined({ agent: options.agent, unsafe: options.unsafeNoSandbox || undefined }),
    ...trust,
  };
  await using connection = await connectOwner(context, { creates: true });
  const { client } = connection;
  using early = new EarlyInterrupt(context);
  const { id } = await early.during(() => client.startFeature(request));
  if (!json) context.out(`${paint(context, 'bold', `Run ${id}`)}\n`);
  const begun = options.detach
    ? await early.unlessInterrupted(() => client.feature(id))
    : undefined;
  if (early.handOver() > 0) return await leave(context, client, id, json, early.code);
  if (begun !== undefined) return detached(context, begun, json);
  return await watchFeature(context, client, id, json);
}

/** Those that are there. The owner refuses the others, with the lines of the file. */
function otherProjects({ projects = [] }: Feature, project: string): readonly string[] {
  const paths = projects.flatMap(({ path }) => realPathSync(resolve(project, path)) ?? []);
  return paths.filter((path) => path !== project);
}

/** If the person wants only their own settings in one project, no project has settings in this feature. */
async function askForAll(
  context: CliContext,
  projects: readonly string[],
  options: UntrustedOption,
): Promise<TrustRequest> {
  let { untrusted } = options;
  for (const [nth, project] of projects.entries()) {
    const answer = await askForTrust(context, project, { ...options, untrusted });
    if (answer.untrusted !== true || untrusted) continue;
    untrusted = true;
    for (const before of projects.slice(0, nth))
      await askForTrust(context, before, { ...options, untrusted });
  }
  return untrusted ? { untrusted } : {};
}

function detached(context: CliContext, view: FeatureView, json: boolean): number {
  if (json) printJson(context, featureRunDocument(view, null));
  else context.out(`To see how far it is: supervisor feature show ${view.run}\n`);
  return EXIT.ok;
}

/** A signal has ended the command, and the feature continues. */
async function leave(
  context: CliContext,
  client: Client,
  id: string,
  json: boolean,
  code: number,
): Promise<number> {
  const remedy = `Show it with: supervisor feature show ${id}`;
  context.err(`The feature continues. ${remedy}\n`);
  if (json)
    printJson(context, featureRunDocument(await client.feature(id), interruptedError(id, remedy)));
  return code;
}

/** Prints each change of a component, and the whole feature at the end. */
export async function watchFeature(
  context: CliContext,
  client: Client,
  id: string,
  json: boolean,
): Promise<number> {
  using left = new LeftCommand(context);
  let shown: FeatureView | undefined;
  const told = new Set<string>();
  const show = async (): Promise<FeatureView> => {
    const view = await client.feature(id);
    if (!json) {
      context.out(formatProgress(context, shown, view));
      tellQuestions(context, view, told);
    }
    shown = view;
    return view;
  };
  const over = new AbortController();
  const signal = AbortSignal.any([left.signal, over.signal]);
  const asked = tellAsked(context, client, id, json, signal);
  const lines = new ProgressLines(context.err);
  let run: RunView | undefined;
  try {
    for await (const event of client.followRun(id, 0, signal)) {
      run = foldRunView(run, event);
      if (json && run !== undefined) lines.show(run);
      if (event.type === 'command.ended' || event.type === 'command.begun') await show();
    }
  } catch (error) {
    if (!left.signal.aborted) throw error;
  } finally {
    over.abort();
    await asked;
  }
  if (left.signal.aborted) return await leave(context, client, id, json, left.code);
  const last = await show();
  const outcome = last.outcome as RunOutcome | null;
  const code = outcome === null ? EXIT.failed : exitCodeOf(outcome);
  const { kind = 'failed', reason = '' } = outcome ?? {};
  const error =
    code === EXIT.ok || kind === 'succeeded' || kind === 'unverified'
      ? null
      : simpleError(`run.${kind}`, reason, `supervisor why ${id}`);
  if (json) printJson(context, featureRunDocument(last, error));
  else context.out(`\n${formatFeatureRun(context, last)}`);
  return code;
}

/** With --json, all questions go to standard error. Otherwise those about components are shown with their components. */
async function tellAsked(
  context: CliContext,
  client: Client,
  id: string,
  json: boolean,
  signal: AbortSignal,
): Promise<void> {
  const told = new Set<string>();
  for await (const questions of questionsToTell(client, id, signal, context.err))
    for (const asked of questions) {
      const key = `${asked.run}/${asked.key}`;
      const isShown = !told.has(key) && (json || asked.run !== id);
      told.add(key);
      if (isShown) context.err(askedLines(context, id, asked));
    }
}

function tellQuestions(context: CliContext, view: FeatureView, told: Set<string>): void {
  for (const { id, name, question, why } of allOf(view)) {
    if (question === null || told.has(question)) continue;
    told.add(question);
    context.out(
      `${paint(context, 'yellow', '?')} ${name} needs you: ${printable(why)}. Try it again: supervisor feature retry ${view.run} ${id}. Leave it out: supervisor feature retry ${view.run} ${id} --skip\n`,
    );
  }
}
