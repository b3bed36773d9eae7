/** The command line: the list of commands, and how a command ends. Each command group is a file in `commands/`. */
import { Command, CommanderError } from 'commander';
import { Refusal, describeError } from '../base/errors.ts';
import { machineFault } from '../base/machine-fault.ts';
import { shellWord } from '../base/shell-words.ts';
import { Canceled } from './ask/canceled.ts';
import { exitCodeFor, EXIT } from './exit-codes.ts';
import type { CliContext } from './cli-context.ts';
import { paint, printable } from './cli-context.ts';
import { nearest } from '../yaml/nearest.ts';
import { suggestSynonyms } from './help/command-synonyms.ts';
import type { CommandName } from './help/command-groups.ts';
import { COMMAND_NAMES, commandSummary, groupTitle } from './help/command-groups.ts';
import { suggestOption } from './help/option-synonyms.ts';
import { HELP_STYLE, layOutHelp } from './help/help-style.ts';
import { describeJsonOutput } from './json/json-output.ts';
import { asksForJson } from './json/print-json.ts';
import { refuseMisspeltSubcommand, suggestSubcommand } from './input/misspelt-subcommand.ts';
import { refuseWrongDashes } from './input/refuse-dashes.ts';

/** A command ends by calling this with its exit code. */
export type CommandEnding = (code: number) => void;

type AddCommand = (program: Command, context: CliContext, finish: CommandEnding) => void;

/** A command's module is loaded only when it is typed, so that every command starts fast. */
const COMMANDS: Readonly<Record<CommandName, () => Promise<AddCommand>>> = {
  run: async () => (await import('./commands/start/run.ts')).addRun,
  'start-task': async () => (await import('./commands/start/start-task.ts')).addStartTask,
  schedule: async () => (await import('./commands/start/schedule.ts')).addSchedule,
  spawn: async () => (await import('./commands/agents.ts')).addSpawn,
  send: async () => (await import('./commands/agents.ts')).addSend,
  reject: async () => (await import('./commands/agents.ts')).addReject,
  dismiss: async () => (await import('./commands/agents.ts')).addDismiss,
  plan: async () => (await import('./commands/start/plan.ts')).addPlan,
  'analyze-deps': async () => (await import('./commands/start/analyze-deps.ts')).addAnalyzeDeps,
  status: async () => (await import('./commands/watch/status.ts')).addStatus,
  runs: async () => (await import('./commands/watch/runs.ts')).addRuns,
  attach: async () => (await import('./commands/watch/attach.ts')).addAttach,
  wait: async () => (await import('./commands/watch/wait.ts')).addWait,
  logs: async () => (await import('./commands/watch/logs.ts')).addLogs,
  diff: async () => (await import('./commands/work/changes.ts')).addDiff,
  apply: async () => (await import('./commands/work/apply-work.ts')).addApply,
  discard: async () => (await import('./commands/work/changes.ts')).addDiscard,
  'complete-task': async () => (await import('./commands/work/complete-task.ts')).addCompleteTask,
  rollback: async () => (await import('./commands/work/rollback.ts')).addRollback,
  artifacts: async () => (await import('./commands/work/artifacts.ts')).addArtifacts,
  capsule: async () => (await import('./commands/work/write-capsule.ts')).addCapsule,
  stop: async () => (await import('./commands/control/run-control.ts')).addStop,
  kill: async () => (await import('./commands/control/run-control.ts')).addKill,
  'retry-now': async () => (await import('./commands/control/run-control.ts')).addRetryNow,
  next: async () => (await import('./commands/control/run-control.ts')).addNext,
  pause: async () => (await import('./commands/control/questions.ts')).addPause,
  unpause: async () => (await import('./commands/control/questions.ts')).addUnpause,
  steer: async () => (await import('./commands/control/tell-agent.ts')).addSteer,
  queue: async () => (await import('./commands/control/tell-agent.ts')).addQueue,
  takeover: async () => (await import('./commands/control/takeover-command.ts')).addTakeover,
  interrupt: async () => (await import('./commands/control/tell-agent.ts')).addInterrupt,
  messages: async () => (await import('./commands/control/tell-agent.ts')).addMessages,
  inbox: async () => (await import('./commands/control/questions.ts')).addInbox,
  answer: async () => (await import('./commands/control/questions.ts')).addAnswer,
  approvals: async () => (await import('./commands/work/decide-changes.ts')).addApprovals,
  approve: async () => (await import('./commands/work/decide-changes.ts')).addApprove,
  edit: async () => (await import('./commands/work/edit-change.ts')).addEdit,
  comment: async () => (await import('./commands/work/decide-changes.ts')).addComment,
  resume: async () => (await import('./commands/control/resume.ts')).addResume,
  turns: async () => (await import('./commands/watch/turns.ts')).addTurns,
  watch: async () => (await import('./commands/watch/watch-folder.ts')).addWatch,
  hook: async () => (await import('./commands/configure/session-hooks.ts')).addHook,
  steering: async () => (await import('./commands/watch/steering.ts')).addSteering,
  checkpoints: async () => (await import('./commands/watch/checkpoints.ts')).addCheckpoints,
  fork: async () => (await import('./commands/watch/checkpoints.ts')).addFork,
  top: async () => (await import('./commands/watch/open-top.ts')).addTop,
  dashboard: async () => (await import('./commands/watch/open-dashboard.ts')).addDashboard,
  why: async () => (await import('./commands/watch/why.ts')).addWhy,
  report: async () => (await import('./commands/watch/report.ts')).addReport,
  metrics: async () => (await import('./commands/watch/metrics.ts')).addMetrics,
  cooldowns: async () => (await import('./commands/maintain/cooldowns.ts')).addCooldowns,
  breakers: async () => (await import('./commands/maintain/breakers.ts')).addBreakers,
  prices: async () => (await import('./commands/configure/prices.ts')).addPrices,
  events: async () => (await import('./commands/watch/events.ts')).addEvents,
  trust: async () => (await import('./commands/configure/trust.ts')).addTrust,
  approver: async () =>
    (await import('./commands/configure/manage-approvers.ts')).addApproverCommand,
  init: async () => (await import('./commands/start/init.ts')).addInit,
  roles: async () => (await import('./commands/configure/roles.ts')).addRoles,
  ablate: async () => (await import('./commands/configure/ablate.ts')).addAblate,
  workflow: async () => (await import('./commands/configure/workflow.ts')).addWorkflow,
  merges: async () => (await import('./commands/watch/merges.ts')).addMerges,
  feature: async () => (await import('./commands/start/features.ts')).addFeature,
  context: async () => (await import('./commands/configure/context.ts')).addContext,
  config: async () => (await import('./commands/configure/config.ts')).addConfig,
  schema: async () => (await import('./commands/scripts/json-schemas.ts')).addSchema,
  sandbox: async () => (await import('./commands/configure/sandbox.ts')).addSandbox,
  agents: async () => (await import('./commands/configure/agent-clis.ts')).addAgents,
  classify: async () => (await import('./commands/scripts/classify.ts')).addClassify,
  doctor: async () => (await import('./commands/start/doctor.ts')).addDoctor,
  up: async () => (await import('./commands/maintain/up.ts')).addUp,
  down: async () => (await import('./commands/maintain/up.ts')).addDown,
  tree: async () => (await import('./commands/watch/tree.ts')).addTree,
  owner: async () => (await import('./commands/maintain/owner-process.ts')).addOwner,
  journal: async () => (await import('./commands/maintain/copy-journal.ts')).addJournal,
  completion: async () => (await import('./commands/scripts/completion.ts')).addCompletion,
  man: async () => (await import('./commands/scripts/man.ts')).addMan,
  version: async () => (await import('./commands/maintain/show-version.ts')).addVersion,
};

/** Other words for the same command. The command itself names them too. */
const ALIASES: Readonly<Record<string, string>> = {
  role: 'roles',
  ps: 'status',
  ls: 'status',
  rm: 'discard',
};

/** The command that a word names, if it names one. */
function findCommand(word: string): CommandName | undefined {
  const name = Object.hasOwn(ALIASES, word) ? ALIASES[word] : word;
  return COMMAND_NAMES.find((one) => one === name);
}

/** These describe all commands. */
const ABOUT_ALL: ReadonlySet<CommandName> = new Set(['completion', 'man']);

/** The command that was typed. All commands for the help, and for an unknown word, so that one can be suggested. */
function commandsFor([word = '']: readonly string[]): readonly CommandName[] {
  const typed = findCommand(word);
  return typed === undefined || ABOUT_ALL.has(typed) ? COMMAND_NAMES : [typed];
}

/** For `unknown --help` commander would print the general help, as if the command existed. Without the flag it refuses. */
function withoutHelpOfUnknown(argv: readonly string[]): readonly string[] {
  const [word = '-', named] = argv;
  // Likewise for `help unknown`.
  if (
    word === 'help' &&
    named !== undefined &&
    findCommand(named) === undefined &&
    named !== 'help'
  )
    return argv.slice(1);
  if (word.startsWith('-') || word === 'help' || findCommand(word) !== undefined) return argv;
  return argv.filter((one) => one !== '--help' && one !== '-h');
}

const JSON_VALUES = 'Use --json. For run and resume, --json=stream also prints each event.';

const EXAMPLES = `
Examples, in your repository:
  supervisor init
  supervisor run "fix the failing test"
  supervisor diff
  supervisor apply

The options of a command: supervisor run --help`;

/** The program with the commands that `argv` needs: one that is named first, or else all of them. */
export async function createProgram(
  argv: readonly string[],
  context: CliContext,
  finish: CommandEnding,
): Promise<Command> {
  const program = new Command('supervisor')
    .description('Run AI coding agents the way an operating system runs processes.')
    .version(context.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .exitOverride()
    .configureHelp(HELP_STYLE)
    .configureOutput({
      writeOut: (text) => context.out(layOutHelp(text, context.terminal.width)),
      // With --json, the error is printed as a document instead.
      writeErr: asksForJson(argv) ? () => {} : (text) => context.err(text),
      getOutHelpWidth: () => context.terminal.width,
    })
    .addHelpText('after', EXAMPLES);
  const names = commandsFor(argv);
  const adders = await Promise.all(names.map((name) => COMMANDS[name]()));
  for (const [index, add] of adders.entries()) {
    const name = names[index];
    if (name !== undefined) program.commandsGroup(groupTitle(name));
    add(program, context, finish);
    if (name !== undefined) program.commands.at(-1)?.summary(commandSummary(name));
  }
  // The nearest name would contradict a word that is known to mean something else.
  if (suggestSynonyms(argv[0] ?? '').length > 0) program.showSuggestionAfterError(false);
  describeJsonOutput(program.commands);
  nameHelp(program, 'supervisor');
  return program;
}

/** The last line of a usage error: how to see the help of exactly this command. */
function nameHelp(command: Command, typed: string): void {
  command.showHelpAfterError(describeHelp(command, typed));
  for (const one of command.commands) nameHelp(one, `${typed} ${one.name()}`);
}

function describeHelp(command: Command, typed: string): string {
  const what = command.parent === null ? 'all commands' : 'how it is used';
  return `To see ${what}: ${typed} --help`;
}

/** Runs one command line to its end. Resolves with the exit code; never rejects. */
export async function runCommand(argv: readonly string[], context: CliContext): Promise<number> {
  let code: number = EXIT.ok;
  if (argv.length === 0) {
    const { showOverview } = await import('./runs/overview.ts');
    await showOverview(context);
    return code;
  }
  const program = await createProgram(argv, context, (ended) => (code = ended));
  const words = withoutHelpOfUnknown(argv);
  try {
    refuseWrongDashes(program, words);
    refuseMisspeltSubcommand(program, words);
    const typed = canStream(words) ? words.map(expandJsonStream) : words;
    await program.parseAsync(typed.map(protectExclusion), { from: 'user' });
    return code;
  } catch (error) {
    if (asksForJson(argv)) {
      // Its schemas take time to load, and most commands do not fail.
      const { reportJsonError } = await import('./json/json-error.ts');
      return reportJsonError(context, recognize(error), usageRemedy(program, error, argv));
    }
    const exitCode = reportError(context, error);
    if (hasCode(error, 'commander.unknownCommand')) context.err(suggestCommand(words));
    if (hasCode(error, 'commander.unknownOption'))
      context.err(suggestOption(program, words) + suggestDashes(words));
    if (exitCode === EXIT.usage) context.err(suggestSubcommand(program, words));
    return exitCode;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof CommanderError && error.code === code;
}

/** What the person may have meant: a command with another name, or a task. */
function suggestCommand(argv: readonly string[]): string {
  const synonyms = suggestSynonyms(argv[0] ?? '').map((line) => `${line}\n`);
  return `${synonyms.join('')}${suggestRun(argv, synonyms.length > 0)}`;
}

const RUN_REFERENCE = /^(?:last|[0-9a-f]{2,10})$/;

/** Several words that begin with no command are probably a task. */
function suggestRun(argv: readonly string[], isSynonym: boolean): string {
  const words = argv.filter((word) => !word.startsWith('-'));
  const [first = '', ...rest] = words;
  const isTask = words.length === argv.length && (words.length > 1 || /\s/.test(first));
  if (isSynonym && rest.every((word) => RUN_REFERENCE.test(word))) return '';
  if (!isTask || (!isSynonym && nearest(first, COMMAND_NAMES) !== undefined)) return '';
  return `To run this as a task: supervisor run ${printable(JSON.stringify(words.join(' ')))}\n`;
}

/** A word with a dash and a blank, such as `-fix the test`, is probably a text and no option. */
function suggestDashes([command = '', ...words]: readonly string[]): string {
  const text = words.find((word) => /^-[^=]*\s/.test(word));
  if (text === undefined) return '';
  const rest = words.filter((word) => word !== text);
  const typed = ['supervisor', command, ...rest.map(shellWord), '--', shellWord(text)].join(' ');
  return `If that is a text and no option: ${printable(typed)}\n`;
}

/** Other commands refuse `--json=stream` like any other value of `--json`. */
function canStream([command = '']: readonly string[]): boolean {
  return command === 'run' || command === 'resume';
}

/** `--json [mode]` would take the task after it as its value. So `--json=stream` becomes a flag of its own. */
function expandJsonStream(word: string): string {
  return word === '--json=stream' ? '--json-stream' : word;
}

/** Commander would take `-agent:codex`, a term of a query that excludes, for a group of options. */
function protectExclusion(word: string): string {
  return /^-[a-z]+:/i.test(word) ? `!${word.slice(1)}` : word;
}

function recognize(thrown: unknown): unknown {
  return thrown instanceof Refusal ? thrown : (machineFault(thrown) ?? thrown);
}

/** What to do about a wrong command line. */
function usageRemedy(program: Command, error: unknown, argv: readonly string[]): string {
  const words = argv.filter((word) => !word.startsWith('--json'));
  const isUnknown = hasCode(error, 'commander.unknownCommand');
  const isOption = hasCode(error, 'commander.unknownOption');
  const lines = isUnknown ? suggestCommand(words) : isOption ? suggestOption(program, words) : '';
  const meant = lines.trimEnd().replaceAll('\n', '. ');
  if (meant !== '') return meant;
  if (isOption && error instanceof Error && error.message.includes("'--json=")) return JSON_VALUES;
  let command = program;
  const typed = ['supervisor'];
  for (const word of words) {
    const next = command.commands.find(
      (one) => one.name() === word || one.aliases().includes(word),
    );
    if (next === undefined) break;
    command = next;
    typed.push(next.name());
  }
  return describeHelp(command, typed.join(' '));
}

function reportError(context: CliContext, thrown: unknown): number {
  const error = recognize(thrown);
  // Commander has already printed the error, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (error instanceof Canceled) {
    context.err(`${error.message}\n`);
    return error.exitCode;
  }
  if (error instanceof Refusal) {
    const { code, message, hint } = error.data;
    context.err(`${paint(context, 'red', 'error:')} ${message}\n`);
    if (hint !== undefined) context.err(`${paint(context, 'dim', hint)}\n`);
    return exitCodeFor(code);
  }
  context.err(`${paint(context, 'red', 'error:')} internal error: ${describeError(error)}\n`);
  if (error instanceof Error && error.stack !== undefined)
    context.err(`${paint(context, 'dim', error.stack)}\n`);
  context.err('This is a bug in Supervisor. Please report it with the lines above.\n');
  return EXIT.defect;
}
