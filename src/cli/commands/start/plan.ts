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
import { watchRun } from '../../watch/watch-run.ts';
import { collect } from '../../options.ts';

type Options = {
  readonly role: string;
  readonly agent?: string;
  readonly target: readonly string[];
  readonly project?: string;
  readonly set: readonly string[];
  readonly foreground: boolean;
  readonly unsafeNoSandbox: boolean;
  readonly untrusted: boolean;
  readonly json: boolean;
};

export function addPlan(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('plan')
    .description('Let an agent plan a task, and print the plan')
    .argument('<task...>', 'the task in plain words; - reads it from standard input')
    .option('-r, --role <name>', 'a role that answers with a plan', 'planner')
    .option('-t, --target <file>', 'a file, folder or pattern to plan for; repeatable', collect, [])
    .option('-a, --agent <id>', "use this agent instead of the role's agent")
    .option(...PROJECT_OPTION)
    .option('-s, --set <key=value>', 'override a setting for this run; repeatable', collect, [])
    .option('--foreground', 'run the owner inside this command', false)
    .option('--unsafe-no-sandbox', 'run the agent without a sandbox, with all your rights', false)
    .option(...UNTRUSTED_OPTION)
    .option('--json', 'print only the plan, as JSON', false)
    .addHelpText('after', HELP)
    .action(async (words: readonly string[], options: Options, command: Command) =>
      finish(await plan(context, textOf(command, words), options)),
    );
}

const HELP = `
The plan goes to standard output, and the progress of the run to standard error.
Exit codes: 0 with a plan, 1 without a plan, otherwise the exit code of the run.

Example:
  supervisor plan "let customers pay by invoice" --target src/payment --json`;

async function plan(context: CliContext, given: string, options: Options): Promise<number> {
  refuseHelpAsTask(given, 'plan');
  const task = given === '-' ? await context.stdin() : given;
  if (task.trim() === '')
    throw new Refusal({
      code: 'usage.invalid',
      message: 'The task is empty.',
      hint: 'Describe what to plan: supervisor plan "let customers pay by invoice"',
    });
  const project = projectDir(context, options.project);
  const { role, agent, set, json } = options;
  const trust = await askForTrust(context, project, options);
  await using connection = await connectOwner(context, { ...options, creates: true });
  const view = await connection.client.submit({
    task,
    project,
    role,
    targets: options.target.map((target) => insideProject(context, project, target)),
    set: [...set],
    ...defined({ agent, unsafe: options.unsafeNoSandbox || undefined }),
    ...trust,
  });
  // Only the plan goes to standard output.
  const shown = { ...context, out: json ? () => {} : context.err };
  const code = await watchRun(shown, connection, view, { json: false });
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
