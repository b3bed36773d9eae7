import { resolve } from 'node:path';
import type { Command } from 'commander';
import { isRefusal, Refusal } from '../../../base/errors.ts';
import type { ErrorFields } from '../../../public-json/error-document.ts';
import { simpleError } from '../../../public-json/error-document.ts';
import { renderGraph } from '../../../workflow-files/describe-workflow.ts';
import type { LoadedWorkflow } from '../../../workflow-files/load-workflow.ts';
import type { Workflows } from '../../../workflow-files/open-workflows.ts';
import { openTrusted, UNTRUSTED_OPTION } from '../../ask/ask-trust.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { EXIT } from '../../exit-codes.ts';
import {
  formatOrigins,
  formatWorkflow,
  formatWorkflows,
  toWorkflowDocument,
} from '../../format/workflow-text.ts';
import { openProjectWorkflows } from '../../input/open-project-workflows.ts';
import { printJson } from '../../json/print-json.ts';
import { PROJECT_OPTION, projectDir } from '../../input/project-path.ts';

type Options = {
  readonly project?: string;
  readonly untrusted: boolean;
  readonly json: boolean;
};
type ShowOptions = Options & { readonly origins: boolean };

const NAME = ['[name]', 'the name of the workflow. Default: that of this project'] as const;

/** Needs no owner: workflows are files. */
export function addWorkflow(program: Command, context: CliContext, finish: CommandEnding): void {
  const workflow = program
    .command('workflow')
    .description('Show and check the workflows of this project: steps, gates and approvals')
    .addHelpText('after', HELP);
  workflow
    .command('list', { isDefault: true })
    .description('List every workflow and where it comes from')
    .option(...PROJECT_OPTION)
    .option(...UNTRUSTED_OPTION)
    .option('--json', 'print JSON', false)
    .action(async ({ project, untrusted, json }: Options) => {
      const workflows = await open(context, project, untrusted);
      const lines = await workflows.list();
      if (json)
        printJson(context, {
          schema: 'supervisor.workflows/1',
          project_workflow: workflows.projectWorkflow,
          workflows: lines.map(({ placed, description, steps, problem }) => ({
            ...placed,
            description,
            steps: steps === null ? null : [...steps],
            problem,
          })),
          problems: [...workflows.misnamed],
        });
      else {
        context.out(formatWorkflows(context, lines, workflows.projectWorkflow));
        printProblems(context, workflows.misnamed);
      }
      finish(EXIT.ok);
    });
  workflow
    .command('show')
    .description('Show the steps of a workflow as this project would run them')
    .argument(...NAME)
    .option('--origins', 'show each value of its files, and where it comes from', false)
    .option(...PROJECT_OPTION)
    .option(...UNTRUSTED_OPTION)
    .option('--json', 'print JSON', false)
    .action(async (name: string | undefined, options: ShowOptions) => {
      const { project, untrusted, json, origins } = options;
      const loaded = await loadNamed(await open(context, project, untrusted), name);
      if (json) printJson(context, toWorkflowDocument(loaded, origins));
      else if (origins) context.out(formatOrigins(context, loaded));
      else context.out(formatWorkflow(context, loaded));
      finish(EXIT.ok);
    });
  workflow
    .command('validate')
    .description(
      'Check workflows by name or file. Without one: all that you and this project have. Exits with 2 if one is invalid.',
    )
    .argument('[names...]', 'names of workflows, or files')
    .option(...PROJECT_OPTION)
    .option(...UNTRUSTED_OPTION)
    .option('--json', 'print JSON', false)
    .action(async (names: readonly string[], { project, untrusted, json }: Options) => {
      const workflows = await open(context, project, untrusted);
      const { checked, problems } = await check(context, workflows, names);
      if (json)
        printJson(context, {
          schema: 'supervisor.workflows-check/1',
          workflows: [...checked],
          problems: [...problems],
          error: checkError(problems),
        });
      else if (problems.length === 0) context.out(`${describeValid(checked)}\n`);
      else printProblems(context, problems);
      finish(problems.length === 0 ? EXIT.ok : EXIT.usage);
    });
  workflow
    .command('graph')
    .description('Print a workflow as a Mermaid diagram, which GitHub shows in Markdown')
    .argument(...NAME)
    .option(...PROJECT_OPTION)
    .option(...UNTRUSTED_OPTION)
    .action(async (name: string | undefined, { project, untrusted }: Options) => {
      const loaded = await loadNamed(await open(context, project, untrusted), name);
      context.out(renderGraph(loaded.definition), 'verbatim');
      finish(EXIT.ok);
    });
}

const HELP = `
A workflow is a list of steps with checks between them. Without one, a run has one agent and your gates.

Examples:
  supervisor workflow
  supervisor workflow show mvp
  supervisor workflow validate
  supervisor workflow graph enterprise > workflow.mmd`;

async function open(
  context: CliContext,
  named: string | undefined,
  untrusted: boolean,
): Promise<Workflows> {
  const project = await openTrusted(context, projectDir(context, named), { untrusted });
  return openProjectWorkflows(context, project);
}

function loadNamed(workflows: Workflows, name: string | undefined): Promise<LoadedWorkflow> {
  const chosen = name ?? workflows.projectWorkflow;
  if (chosen !== null) return workflows.load(chosen);
  throw new Refusal({
    code: 'usage.invalid',
    message: 'This project has no workflow of its own, so name one.',
    hint: 'List them with: supervisor workflow list',
  });
}

type Checked = { readonly checked: readonly string[]; readonly problems: readonly string[] };

async function check(
  context: CliContext,
  workflows: Workflows,
  names: readonly string[],
): Promise<Checked> {
  if (names.length === 0) {
    const lines = await workflows.list();
    const { projectWorkflow } = workflows;
    const own = lines.filter(
      ({ placed }) => placed.level !== 'package' || placed.name === projectWorkflow,
    );
    const problems = own.flatMap(({ problem }) => problem?.split('\n') ?? []);
    const missing = lines.every(({ placed }) => placed.name !== projectWorkflow);
    const unknown =
      projectWorkflow !== null && missing ? await problemOf(workflows.load(projectWorkflow)) : [];
    return {
      checked: own.map(({ placed }) => placed.name),
      problems: [...workflows.misnamed, ...unknown, ...problems],
    };
  }
  const problems = [];
  for (const name of names) {
    const isFile = name.includes('/') || /\.ya?ml$/i.test(name);
    const loading = isFile ? workflows.loadFile(resolve(context.cwd, name)) : workflows.load(name);
    problems.push(...(await problemOf(loading)));
  }
  return { checked: names, problems };
}

async function problemOf(loading: Promise<LoadedWorkflow>): Promise<readonly string[]> {
  try {
    await loading;
    return [];
  } catch (error) {
    if (isRefusal(error)) return error.message.split('\n');
    throw error;
  }
}

function describeValid(checked: readonly string[]): string {
  if (checked.length === 0)
    return 'You and this project have no workflow files. See the ones of the package with: supervisor workflow list';
  return checked.length === 1
    ? `The workflow ${printable(checked[0] ?? '')} is valid.`
    : `These ${checked.length} workflows are valid: ${checked.map(printable).join(', ')}.`;
}

function checkError(problems: readonly string[]): ErrorFields | null {
  const [first] = problems;
  if (first === undefined) return null;
  const message =
    problems.length === 1 ? first : `${problems.length} problems. The first: ${first}`;
  return simpleError('workflow.invalid', message, 'Correct the files that the problems name.');
}

function printProblems(context: CliContext, problems: readonly string[]): void {
  for (const problem of problems)
    context.err(`${paint(context, 'red', 'invalid')} ${printable(problem)}\n`);
}
