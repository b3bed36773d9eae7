/** Starts the workflow of the project, another one, or one role, after a preview and a question. */
import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import { Refusal } from '../../../base/errors.ts';
import { hashText } from '../../../base/hash-text.ts';
import { newRunId } from '../../../base/ids.ts';
import { TrustedProject } from '../../../trust/trusted-project.ts';
import type { TrustRequest } from '../../ask/ask-trust.ts';
import { askForTrust, UNTRUSTED_OPTION } from '../../ask/ask-trust.ts';
import type { CliContext } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { requireConfirm, requireYes } from '../../ask/confirm.ts';
import { connectOwner, stateHome } from '../../connect-owner.ts';
import { ownSettings } from '../../input/own-settings.ts';
import { openProjectWorkflows } from '../../input/open-project-workflows.ts';
import { NOTIFY_OPTION, notifyRequest } from '../../input/notify-option.ts';
import type { KeyOption } from '../../options.ts';
import { collect, KEY_OPTION, usd } from '../../options.ts';
import { insideProject, PROJECT_OPTION, projectDir } from '../../input/project-path.ts';
import { showPreflight } from '../../watch/show-preflight.ts';
import { startRun } from '../../runs/start-run.ts';
import { refuseHelpAsTask, textOf } from '../../tasks/task-words.ts';

type StartTaskOptions = KeyOption & {
  readonly template?: string;
  readonly role?: string;
  readonly target: readonly string[];
  readonly taskId?: string;
  readonly agent?: string;
  readonly set: readonly string[];
  readonly budgetUsd?: number;
  readonly project?: string;
  readonly notify?: string;
  readonly untrusted: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly detach: boolean;
  readonly quiet: boolean;
  readonly json: boolean;
};

export function addStartTask(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('start-task')
    .description('Start the workflow of the project with a task, after a preview and a question')
    .argument('<task...>', 'the task in plain words; - reads it from standard input')
    .option('--template <name>', 'this workflow instead of that of the project')
    .option('-r, --role <name>', 'no workflow, but one agent with this role and your gates')
    .option(
      '-t, --target <file>',
      'a file, folder or pattern that the task is about; repeatable',
      collect,
      [],
    )
    .option('--task-id <id>', 'the id in the name of the branch, such as that of an issue')
    .option('-a, --agent <id>', 'the first agent to try; the other configured agents follow')
    .option('-s, --set <key=value>', 'override a setting for this task; repeatable', collect, [])
    .option('--budget-usd <amount>', 'cost limit for model calls; at the limit, pause and ask', usd)
    .option(...PROJECT_OPTION)
    .option(...UNTRUSTED_OPTION)
    .option('--dry-run', 'only show the preview', false)
    .option('-y, --yes', 'start without a question', false)
    .option('-d, --detach', 'print the run id and return at once', false)
    .option('-q, --quiet', 'show no progress, only the result', false)
    .option(...NOTIFY_OPTION)
    .option(...KEY_OPTION)
    .option('--json', 'print JSON; needs --yes or --dry-run', false)
    .addHelpText('after', HELP)
    .action(async (words: readonly string[], options: StartTaskOptions, command: Command) =>
      finish(await startTask(context, textOf(command, words), options)),
    );
}

const HELP = `
The preview shows each step with its agents and gates, the branch, the base, and the cost limit.
The question's default answer is no. Then nothing is started, and the exit code is 1.
Without a terminal, add --yes.

Examples:
  supervisor start-task "let customers pay by invoice"
  supervisor start-task "fix the parser" --template mvp --task-id 7 --yes
  supervisor start-task "round to cents" --template mvp --dry-run`;

/** Resolves with the exit code. */
async function startTask(
  context: CliContext,
  given: string,
  options: StartTaskOptions,
): Promise<number> {
  const { template, role, dryRun, yes, json } = options;
  refuseContradictions(options);
  const ask = requireConfirm(context, 'start-task', options);
  refuseHelpAsTask(given, 'start-task');
  const task = given === '-' ? await context.stdin() : given;
  if (task.trim() === '')
    throw usageError(
      'The task is empty.',
      'Describe the work: supervisor start-task "fix the failing test"',
    );
  const project = projectDir(context, options.project);
  const trust = await askForTrust(context, project, { ...options, ask: !json });
  const workflow =
    role === undefined ? (template ?? (await projectWorkflow(context, project, trust))) : undefined;
  await using connection = await connectOwner(context, { creates: true });
  const targets = options.target.map((target) => insideProject(context, project, target));
  const { set, budgetUsd, agent } = options;
  const request = {
    task,
    project,
    set: [...set, ...(budgetUsd === undefined ? [] : [`budget.usd=${budgetUsd}`])],
    ...defined({
      ...{ agent, role, workflow },
      // The preview and the task have the same branch.
      taskId: workflow === undefined ? undefined : taskIdOf(context, options),
      targets: targets.length === 0 ? undefined : targets,
    }),
    ...notifyRequest(context, options),
    ...trust,
  };
  const isShown = dryRun || (await ownSettings(context)).git.dryRunPreview;
  if (!yes && !isShown) await requireYes(ask, 'Start this task?', 'Nothing was started.');
  if ((!yes || dryRun) && isShown) {
    const found = await connection.client.preflight(request);
    const verdict = found.ok ? 'The task could begin.' : 'The task could not begin.';
    const isEnd = dryRun || !found.ok;
    const closing = isEnd ? `${verdict} Nothing was started.` : verdict;
    const code = showPreflight(context, found, { json, closing });
    if (isEnd) return code;
    await requireYes(ask, 'Start this task?', 'Nothing was started.');
  }
  return await startRun(context, connection, request, {
    ...options,
    ...{ ask: !json && !yes, apply: false, requireGate: false },
    ...{ jsonStream: false, follow: false, verbose: false },
  });
}

function refuseContradictions({ template, role, taskId }: StartTaskOptions): void {
  if (template !== undefined && role !== undefined)
    throw usageError(
      '--template and --role cannot be used together: each step of a workflow names its role.',
      'Leave out one of them.',
    );
  if (taskId !== undefined && role !== undefined)
    throw usageError(
      '--task-id is part of the branch of a workflow, and --role uses none.',
      'Leave out --task-id. To name the branch: supervisor complete-task RUN --branch NAME',
    );
  if (taskId !== undefined && !/^[a-z0-9][a-z0-9_-]{0,31}$/i.test(taskId))
    throw usageError(
      `--task-id must be up to 32 letters, digits, - and _, not ${JSON.stringify(taskId)}.`,
      'Use an id such as 7 or ISSUE-7.',
    );
}

/** A request that is sent again with its key has to be the same request. */
function taskIdOf({ random }: CliContext, { taskId, idempotencyKey }: StartTaskOptions): string {
  if (taskId !== undefined) return taskId;
  const source = idempotencyKey === undefined ? newRunId(random) : hashText(idempotencyKey);
  return source.slice(0, 6);
}

async function projectWorkflow(
  context: CliContext,
  project: string,
  trust: TrustRequest,
): Promise<string> {
  const home = stateHome(context).dir;
  const trusted = await TrustedProject.open({ home, project, ...trust });
  const { projectWorkflow: name } = await openProjectWorkflows(context, trusted);
  if (name !== null) return name;
  throw usageError(
    'This project has no workflow of its own, so name one.',
    'Add --template mvp, or set workflow.template in .supervisor/config.yaml. See all with: supervisor workflow list',
  );
}

function usageError(message: string, hint: string): Refusal {
  return new Refusal({ code: 'usage.invalid', message, hint });
}
