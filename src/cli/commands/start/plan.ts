import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import { Refusal } from '../../../base/errors.ts';
import { PlanAnswer } from '../../../protocol/answer.ts';
import { askForTrust, UNTRUSTED_OPTION } from '../../ask/ask-trust.ts';
import { EXIT } from '../../exit-codes.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import { refuseHelpAsTask, textOf } from '../../tasks/task-words.ts';
import { insideProject, PROJECT_OPTION, projectDir } from '../../input/project-path.ts';
import { connectOwner } from '../../connect-owner.ts';
import type { CommandEnding } from '../../command-line.ts';
import type { ErrorFields } from '../../../public-json/error-document.ts';
import { simpleError } from '../../../public-json/error-document.ts';
import { printJson } from '../../json/print-json.ts';
import { EarlyInterrupt } from '../../watch/early-interrupt.ts';
import { watchRun } from '../../watch/watch-run.ts';
import { collect, times } from '../../options.ts';
import type { PlanOptions } from './plan-feature.ts';
import { planFeature } from './plan-feature.ts';
import { addShowPlan } from './show-plan.ts';
import { CAPACITY } from '../../../plan/expected-speedup.ts';

type Options = PlanOptions & {
  readonly onlyAnswer: boolean;
};

export function addPlan(program: Command, context: CliContext, finish: CommandEnding): void {
  const command = program
    .command('plan')
    .description('Let agents plan a feature: phases and components, in a file that you can edit')
    .argument('<task...>', 'the task in plain words; - reads it from standard input')
    .option('-r, --role <name>', 'the role that divides the task into phases', 'planner')
    .option('--lead <name>', 'the role that details each phase', 'tech_lead')
    .option('--no-lead', 'keep the components of the first role')
    .option('--id <id>', 'the id of the feature, such as P1T5; default: the first free one')
    .option('-o, --out <file>', 'the feature file to write; default: features/ID-WORDS.yaml')
    .option('--capacity <count>', 'how many components may be at work at once', times, CAPACITY)
    .option('--start', 'build the feature at once', false)
    .option('--only-answer', 'print the answer of the first role, and write no file', false)
    .option('-t, --target <file>', 'a file, folder or pattern to plan for; repeatable', collect, [])
    .option('-a, --agent <id>', 'use this agent instead of those of the roles')
    .option(...PROJECT_OPTION)
    .option('-s, --set <key=value>', 'override a setting for this run; repeatable', collect, [])
    .option('--foreground', 'run the owner inside this command', false)
    .option('--unsafe-no-sandbox', 'run the agent without a sandbox, with all your rights', false)
    .option(...UNTRUSTED_OPTION)
    .option('--json', 'print only the plan, as JSON', false)
    .addHelpText('after', HELP)
    .action(async (words: readonly string[], options: Options, own: Command) =>
      finish(await plan(context, textOf(own, words), options)),
    );
  addShowPlan(command, context, finish);
}

const HELP = `
The planner divides the task into phases, and the tech lead details each of them. A plan that cannot be built goes
back to them with the reasons. Nothing is built unless you say --start: read the file and edit it first.
The plan goes to standard output, and the progress of the run to standard error.
Exit codes: 0 with a plan, 1 without a plan, otherwise the exit code of the run.

Examples:
  supervisor plan "let customers pay by invoice" --target src/payment
  supervisor plan show features/P1T1-let-customers-pay-by-invoice.yaml --graph`;

async function plan(context: CliContext, given: string, options: Options): Promise<number> {
  refuseHelpAsTask(given, 'plan');
  const task = given === '-' ? await context.stdin() : given;
  if (task.trim() === '')
    throw new Refusal({
      code: 'usage.invalid',
      message: 'The task is empty.',
      hint: 'Describe what to plan: supervisor plan "let customers pay by invoice"',
    });
  return options.onlyAnswer
    ? printAnswer(context, task, options)
    : planFeature(context, task, options);
}

async function printAnswer(context: CliContext, task: string, options: Options): Promise<number> {
  const project = projectDir(context, options.project);
  const { role, agent, set, json } = options;
  const trust = await askForTrust(context, project, options);
  await using connection = await connectOwner(context, { ...options, creates: true });
  using early = new EarlyInterrupt(context);
  const request = {
    task,
    project,
    role,
    targets: options.target.map((target) => insideProject(context, project, target)),
    set: [...set],
    ...defined({ agent, unsafe: options.unsafeNoSandbox || undefined }),
    ...trust,
  };
  const view = await early.during(() => connection.client.submit(request));
  // Only the plan goes to standard output.
  const shown = { ...context, out: json ? () => {} : context.err };
  const interrupts = early.handOver();
  const code = await watchRun(shown, connection, view, { json: false, interrupts });
  const { answer, outcome } = await connection.client.run(view.id);
  const read = PlanAnswer.safeParse(answer);
  const exitCode = code === EXIT.ok && !read.success ? EXIT.failed : code;
  const reason = outcome?.reason ?? '';
  if (json) {
    const found = read.success
      ? { plan: read.data, error: (await connection.client.result(view.id)).error }
      : { plan: null, error: noPlan(view.id, reason) };
    printJson(context, { schema: 'supervisor.plan/1', run_id: view.id, ...found });
  } else if (read.success) context.out(formatPlan(context, escaped(read.data)));
  else if (code === EXIT.ok)
    context.err(`${paint(context, 'red', 'no plan:')} ${printable(reason)}\n`);
  return exitCode;
}

function noPlan(run: string, reason: string): ErrorFields {
  const message = `Run ${run} ended without a plan: ${reason}`;
  return simpleError('plan.missing', message, `To see why: supervisor why ${run}`);
}

/** Text from an agent must not control the terminal. */
function escaped(plan: PlanAnswer): PlanAnswer {
  return JSON.parse(JSON.stringify(plan), escapeText) as PlanAnswer;
}

function escapeText(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? printable(value) : value;
}

function formatPlan(
  context: CliContext,
  { status, phases, dependencies, risks }: PlanAnswer,
): string {
  const lines = [paint(context, status === 'COMPLETE' ? 'green' : 'yellow', status)];
  for (const { id, title, description, components, interfaces } of phases) {
    lines.push('', `${paint(context, 'bold', id)}  ${title}`);
    if (description !== undefined) lines.push(`  ${description}`);
    for (const { id: component, title: what, files, depends_on: needs } of components) {
      const after = needs.length === 0 ? '' : paint(context, 'dim', `  needs ${needs.join(', ')}`);
      lines.push(`  ${paint(context, 'cyan', component)}  ${what}${after}`);
      lines.push(...files.map((file) => paint(context, 'dim', `      ${file}`)));
    }
    for (const { name, definition } of interfaces)
      lines.push(`  ${paint(context, 'dim', `${name}:`)} ${definition}`);
  }
  const rest = [
    ...dependencies.map(({ from, to }) => `${from} needs ${to}`),
    ...risks.map((risk) => `risk: ${risk}`),
  ];
  return `${[...lines, ...(rest.length === 0 ? [] : ['', ...rest])].join('\n')}\n`;
}
