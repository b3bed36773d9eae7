import type { Command } from 'commander';
import { askForTrust } from '../../ask/ask-trust.ts';
import type { CliContext } from '../../cli-context.ts';
import { projectDir } from '../../input/project-path.ts';
import { requireCommittable } from '../../apply/commit-applied.ts';
import { connectOwner } from '../../connect-owner.ts';
import type { CommandEnding } from '../../command-line.ts';
import { showPreflight } from '../../watch/show-preflight.ts';
import { startRun } from '../../runs/start-run.ts';
import { requireTerminal } from '../../takeover/take-over-run.ts';
import { textOf } from '../../tasks/task-words.ts';
import type { RunOptions } from './run-request.ts';
import { declareRun, readTask, runRequest, usageError } from './run-request.ts';

export function addRun(program: Command, context: CliContext, finish: CommandEnding): void {
  declareRun(
    program.command('run').description('Run a task with an agent and watch it until it ends'),
  )
    .addHelpText('after', HELP)
    .action(async (words: readonly string[], options: RunOptions, command: Command) =>
      finish(await run(context, textOf(command, words), options)),
    );
}

const HELP = `
Ctrl-C or SIGTERM stops the run. A second one kills it. If you close the terminal, the run continues.
The command shows the events of the run and the agent's messages. --follow shows everything that the agent
prints, like logs --follow. With --json, that output goes to standard error, and so does one line for each new
state of the run. --quiet shows only the result.
Exit codes: 0 done, 1 failed, 2 usage or configuration error, 3 a proof or an approval is missing,
75 unknown whether the run was accepted, 130 stopped, 137 killed.

Examples:
  supervisor run "fix the failing test"
  supervisor run "fix the failing test" --gate "npm test" --apply
  supervisor run "fix the test" --chain main,second --preset retry-then-fallback
  supervisor run "fix the test" --best-of 2 --chain main,second --gate "npm test"
  supervisor run "round to cents" --role implementer --target src/cart.ts`;

function checkOptions({
  interactive,
  json,
  jsonStream,
  quiet,
  detach,
  foreground,
  follow,
  apply,
  commit,
  requireGate,
}: RunOptions): void {
  if (commit && !apply)
    throw usageError('--commit commits what --apply applies.', 'Add --apply, or omit --commit.');
  if (interactive && (detach || json || jsonStream || quiet || follow))
    throw usageError(
      '--interactive shows the agent in this terminal, so it cannot be used with --detach, --json, --quiet or --follow.',
    );
  if (!detach) return;
  if (foreground)
    throw usageError(
      '--detach and --foreground cannot be used together: the owner would end with this command.',
    );
  if (follow)
    throw usageError(
      '--detach and --follow cannot be used together: --detach returns before there is any output.',
      'Omit --detach, or watch it later with: supervisor attach RUN',
    );
  if (apply || requireGate)
    throw usageError(
      '--apply and --require-gate cannot be used with --detach: they need the end of the run.',
      'Omit --detach, or run later: supervisor apply RUN',
    );
}

async function run(context: CliContext, given: string, options: RunOptions): Promise<number> {
  checkOptions(options);
  if (options.interactive) requireTerminal(context);
  const task = await readTask(context, given);
  const project = projectDir(context, options.project);
  // Better now than after an agent was paid.
  if (options.commit) await requireCommittable(context, project, []);
  const trust = await askForTrust(context, project, options);
  await using connection = await connectOwner(context, { ...options, creates: true });
  const { client } = connection;
  const request = runRequest(context, { task, project, trust }, options);
  if (options.preflightOnly) {
    const found = await client.preflight(request);
    const verdict = found.ok ? 'A run could begin.' : 'A run could not begin.';
    const json = options.json || options.jsonStream;
    return showPreflight(context, found, { json, closing: `${verdict} None was made.` });
  }
  return await startRun(context, connection, request, options);
}
