/** Commands about features: a file with phases and components. */
import type { Command } from 'commander';
import { isRefusal, Refusal } from '../../../base/errors.ts';
import { plural } from '../../../base/text.ts';
import type { Client } from '../../../client/client.ts';
import { CAPACITY } from '../../../plan/expected-speedup.ts';
import { renderMermaid } from '../../../plan/graph-text.ts';
import { FEATURE_PROGRAM } from '../../../protocol/feature.ts';
import type { FeatureView } from '../../../protocol/views/feature-view.ts';
import type { ErrorFields } from '../../../public-json/error-document.ts';
import { errorFields } from '../../../public-json/error-document.ts';
import { featureRunDocument, featureRunsDocument } from '../../../public-json/feature-documents.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { findComponent } from '../../runs/find-component.ts';
import { RUN_ARGUMENT, findRun, findRunToChange } from '../../runs/find-runs.ts';
import { formatFeatureRun, formatFeatureRuns } from '../../format/feature-run-text.ts';
import { formatFeature, toFeatureDocument } from '../../format/feature-text.ts';
import { times } from '../../options.ts';
import { printJson } from '../../json/print-json.ts';
import { PROJECT_OPTION, projectDir } from '../../input/project-path.ts';
import { readFeatureFile } from '../../input/read-feature-file.ts';
import { addControlFeature } from './control-feature.ts';
import { addStartFeature } from './start-feature.ts';

const FILE = ['<file>', 'the YAML file of a feature'] as const;

export function addFeature(program: Command, context: CliContext, finish: CommandEnding): void {
  const feature = program
    .command('feature')
    .description('Plan and build a feature: phases and components, side by side where they fit')
    .addHelpText('after', HELP);
  addStartFeature(feature, context, finish);
  feature
    .command('check')
    .description('Check files of features. Exits with 2 if one is invalid.')
    .argument('<file...>', 'YAML files of features')
    .option('--json', 'print JSON', false)
    .action(async (files: readonly string[], { json }: { readonly json: boolean }) =>
      finish(await check(context, files, json)),
    );
  feature
    .command('show')
    .description('Draw the feature of a file, or show how far a run has built one')
    .argument('<file>', 'the YAML file of a feature, or a run: its id, or last')
    .option('--capacity <count>', 'how many components may be at work at once', times, CAPACITY)
    .option('--json', 'print JSON', false)
    .action(async (named: string, options: ShowOptions) => {
      if (RUN_REFERENCE.test(named)) await showRun(context, named, options.json);
      else await showFile(context, named, options);
      finish(EXIT.ok);
    });
  feature
    .command('list')
    .description('List the features that runs of this project have built, the newest first')
    .option(...PROJECT_OPTION)
    .option('--json', 'print JSON', false)
    .action(async ({ project, json }: ListOptions) => {
      await using connection = await connectOwner(context);
      const views = await listFeatures(connection.client, projectDir(context, project));
      if (json) printJson(context, featureRunsDocument(views));
      else context.out(formatFeatureRuns(context, views));
      finish(EXIT.ok);
    });
  feature
    .command('retry')
    .description('Decide about a component that needs you: try it again, or leave it out')
    .argument('<run>', RUN_ARGUMENT)
    .argument('<component>', 'its id or its name, such as P1T5-PH1-C1 or backend.model')
    .option('--skip', 'build the feature without it, and without what depends on it', false)
    .option('--json', 'print JSON', false)
    .action(async (reference: string, component: string, { skip, json }: RetryOptions) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      const id = await findRunToChange(context, client, reference);
      const question = findQuestion(await client.feature(id), component);
      await client.answer(id, { choice: skip ? 'skip' : 'retry', key: question });
      const view = await client.feature(id);
      if (json) printJson(context, featureRunDocument(view, null));
      else context.out(formatFeatureRun(context, view));
      finish(EXIT.ok);
    });
  addControlFeature(feature, context, finish);
  feature
    .command('graph')
    .description('Print a feature as a Mermaid diagram, which GitHub shows in Markdown')
    .argument(...FILE)
    .action(async (file: string) => {
      context.out(renderMermaid(await readFeatureFile(context.cwd, file)), 'verbatim');
      finish(EXIT.ok);
    });
}

type RetryOptions = { readonly skip: boolean; readonly json: boolean };
type ListOptions = { readonly project?: string; readonly json: boolean };
type ShowOptions = { readonly capacity: number; readonly json: boolean };

const HELP = `
A feature is a file with phases and components. Components that depend on each other, or
that may change the same files, never run at the same time.

A pause and a cancel apply to the runs of all components. feature resume continues after both: after a cancel
as a new run, on a branch of its own.

Examples:
  supervisor feature check invoices.yaml
  supervisor feature start invoices.yaml
  supervisor feature show invoices.yaml --capacity 2
  supervisor feature graph invoices.yaml > invoices.mmd`;

const RUN_REFERENCE = /^(?:last|[0-9a-f]{2,10})$/;
const LISTED_MAX = 20;
const SEARCHED_MAX = 1000;

async function showFile(
  context: CliContext,
  file: string,
  { capacity, json }: ShowOptions,
): Promise<void> {
  const read = await readFeatureFile(context.cwd, file);
  if (json) printJson(context, toFeatureDocument(read, capacity));
  else context.out(formatFeature(context, read, capacity));
}

async function showRun(context: CliContext, reference: string, json: boolean): Promise<void> {
  await using connection = await connectOwner(context);
  const id = await findRun(context, connection.client, reference);
  const view = await connection.client.feature(id);
  if (json) printJson(context, featureRunDocument(view, null));
  else context.out(formatFeatureRun(context, view));
}

async function listFeatures(client: Client, project: string): Promise<readonly FeatureView[]> {
  const runs = await client.runs({ project, limit: SEARCHED_MAX });
  const found = runs.filter(({ program }) => program === FEATURE_PROGRAM).slice(0, LISTED_MAX);
  const views = [];
  for (const { id } of found) views.push(await client.feature(id));
  return views;
}

/** The key of the question about a component. */
function findQuestion(view: FeatureView, component: string): string {
  const { name, state, question } = findComponent(view, component);
  if (question !== null) return question;
  throw new Refusal({
    code: 'run.asks-nothing',
    message: `Nothing is asked about ${name}: it is ${state}.`,
    hint: `See all components with: supervisor feature show ${view.run}`,
  });
}

async function check(
  context: CliContext,
  files: readonly string[],
  json: boolean,
): Promise<number> {
  const problems: string[] = [];
  let error: ErrorFields | null = null;
  for (const file of files)
    try {
      await readFeatureFile(context.cwd, file);
    } catch (thrown) {
      if (!isRefusal(thrown)) throw thrown;
      problems.push(...thrown.message.split('\n'));
      error ??= errorFields(thrown.data);
    }
  if (json)
    printJson(context, {
      schema: 'supervisor.features-check/1',
      files: [...files],
      problems,
      error,
    });
  else if (problems.length > 0)
    for (const problem of problems)
      context.err(`${paint(context, 'red', 'invalid')} ${printable(problem)}\n`);
  else context.out(`${plural(files.length, 'valid feature')}.\n`);
  return problems.length === 0 ? EXIT.ok : EXIT.usage;
}
