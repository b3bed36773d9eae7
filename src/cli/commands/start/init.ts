import { join } from 'node:path';
import type { Command } from 'commander';
import { Refusal } from '../../../base/errors.ts';
import { shellWord } from '../../../base/shell-words.ts';
import { parseConfigText } from '../../../config/load-settings.ts';
import { declaredChain } from '../../../detection/declared-chain.ts';
import { starterConfig } from '../../../detection/starter-config.ts';
import { PREFERRED_CLIS } from '../../../doctor/supported-clis.ts';
import { readTextFile } from '../../../host/files/read-text-file.ts';
import { gitOutput } from '../../../host/git/git-output.ts';
import type { BaseCheckStep } from '../../../protocol/views/base-check-view.ts';
import { PACKS } from '../../../roles/packs.ts';
import type { PackId } from '../../../roles/packs.ts';
import { starterFiles } from '../../../roles/starter-files.ts';
import { unifiedDiff } from '../../../trust/unified-diff.ts';
import { canAsk } from '../../ask/ask-trust.ts';
import { EXIT, exitCodeFor } from '../../exit-codes.ts';
import type { CliContext, Write } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { declaredCommands } from '../../help/declared-commands.ts';
import { initClosing, nothingTried } from '../../init/init-closing.ts';
import {
  NOTHING_TO_WRITE,
  NOTHING_WRITTEN,
  notTrusted,
  proofError,
} from '../../init/init-error.ts';
import type { ExistingConfig, InitAnswers } from '../../init/init-questions.ts';
import { askInit } from '../../init/init-questions.ts';
import type { InitProposal } from '../../init/init-proposal.ts';
import { formatProposal, proposeFor } from '../../init/init-proposal.ts';
import { requireOwnFolder } from '../../input/own-folder.ts';
import { PROJECT_OPTION, projectDir } from '../../input/project-path.ts';
import type { WrittenFiles } from '../../init/project-files.ts';
import { writeProjectFiles } from '../../init/project-files.ts';
import type { JsonDocument } from '../../../public-json/documents.ts';
import type { ErrorFields } from '../../../public-json/error-document.ts';
import { simpleError } from '../../../public-json/error-document.ts';
import { printJson } from '../../json/print-json.ts';
import { refusedWithoutSandbox, showBaseCheck } from '../../watch/show-base-check.ts';

type Options = {
  readonly project?: string;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly prove: boolean;
  /** True: the packs that fit the project. */
  readonly packs?: string | true;
  readonly json: boolean;
};

export function addInit(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('init')
    .description('Find agents, setup and gates of a project, write its .supervisor, and try them')
    .option('-y, --yes', 'write without asking; files that exist stay as they are', false)
    .option('--dry-run', 'show what would be written, and write nothing', false)
    .option('--no-prove', 'do not run the setup and the gates afterwards')
    .option('--packs [names]', 'also add role packs: those that fit, or these, such as cli,go')
    .option(...PROJECT_OPTION)
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (options: Options) => finish(await init(context, options)));
}

const HELP = `
init looks for agent CLIs that are installed and logged in, for the agents of your own settings, for test, lint and
type-check commands, and for the package manager. It writes them to .supervisor/config.yaml with comments, and you trust that file from then on.
Then the setup and the gates run once in a copy of your files, in the sandbox, as in a run. No agent is started.
Without a terminal, nothing is written unless you add --yes.
Exit codes: 0 written, and every gate is green; 1 written, but no sandbox works here; 2 nothing was written; 130 canceled.
Exit code 3: written, but the setup or a gate is red, or you have not trusted some of the files yet.`;

const CONFIG = 'config.yaml';
const CONFIG_BYTES_MAX = 256_000;

async function init(context: CliContext, options: Options): Promise<number> {
  const project = projectDir(context, options.project);
  const named = namedPacks(options.packs);
  await requireOwnFolder(context, project, [CONFIG]);
  await refuseBare(project);
  const file = join(project, '.supervisor', CONFIG);
  const existing = await readTextFile(file, CONFIG_BYTES_MAX);
  const own = existing === undefined ? undefined : parseConfigText(existing, file);
  const proposal = await proposeFor(context, project);
  const asks = !options.yes && !options.json && !options.dryRun && canAsk(context);
  // Without a question, a file that exists is kept, so its values count and not those that were found.
  const kept = asks || options.dryRun ? undefined : own;
  const used: InitProposal =
    kept === undefined
      ? proposal
      : { ...proposal, commands: declaredCommands(kept, proposal.commands) };
  const print: Write = options.json ? () => {} : context.out;
  print(formatProposal(context, used));
  const packs = named ?? (options.packs === true ? [...proposal.detected.packs.keys()] : []);
  // A second init keeps the agents that the file names, and their order.
  const declared = existing === undefined ? [] : declaredChain(existing);
  const chain = [...new Set([...declared, ...proposal.chain])];
  const proposed: InitAnswers = { chain, packs, replaces: false };
  const hasAgent = proposal.chain.length > 0;
  const report = (more: Partial<InitReport>, answers = proposed): void => {
    const config = kept === undefined ? undefined : existing;
    if (options.json) printJson(context, toJson(used, answers, more, config));
  };

  if (options.dryRun) {
    print(`${paint(context, 'bold', `.supervisor/${CONFIG}`)}\n`);
    print(printable(showConfig(existing, configText(proposal, proposed))), 'verbatim');
    print('Nothing was written.\n');
    report({ exitCode: EXIT.ok });
    return EXIT.ok;
  }
  if (!asks && !options.yes) {
    const error = existing === undefined ? NOTHING_WRITTEN : NOTHING_TO_WRITE;
    print(`${error.message} ${error.remedy}\n`);
    report({ exitCode: EXIT.usage, error });
    return EXIT.usage;
  }
  const answers = asks
    ? await askInit(context, proposed, proposal.detected, {
        // An existing file is shown with the changes, so that the answer is an informed one.
        change: (chain) => showConfig(existing, configText(proposal, { ...proposed, chain })),
        existing: describeExisting(existing, configText(proposal, proposed)),
        asksPacks: options.packs === undefined,
      })
    : proposed;
  const written = await writeFiles(context, proposal, answers, existing);
  print(formatWritten(context, project, written));
  const hasOwn = written.files.some(({ path, what }) => path === CONFIG && what === 'kept');
  const { gates, setup } = proposal.commands;
  const isEmpty = !hasOwn && gates.length === 0 && setup === null;
  if (!options.prove || !written.isTrusted || isEmpty) {
    // Files that are not trusted are not tried either, so nothing is known about them.
    const exitCode = written.isTrusted ? EXIT.ok : EXIT.unproven;
    if (written.isTrusted) print(initClosing({ hasAgent, steps: [], isInterrupted: false }));
    report({ written, exitCode, error: written.isTrusted ? null : notTrusted(project) }, answers);
    return exitCode;
  }
  await using connection = await connectOwner(context, { creates: true });
  const checked = await refusedWithoutSandbox(
    showBaseCheck(context, connection.client, project, {
      isShown: !options.json,
      heading: '\nThe setup and the gates run once, in a copy of your files as they are now:\n',
    }),
  );
  if (checked instanceof Refusal) {
    const { code, message, hint } = checked.data;
    print(nothingTried(checked.data));
    const error = simpleError(code, message, hint ?? null);
    const exitCode = exitCodeFor(code);
    report({ written, exitCode, error }, answers);
    return exitCode;
  }
  const { steps, isInterrupted } = checked;
  const closing = initClosing({ hasAgent, steps, isInterrupted });
  const error = proofError(steps, isInterrupted, closing);
  const exitCode = error === null ? EXIT.ok : exitCodeFor(error.code);
  print(closing);
  report({ written, steps, exitCode, error }, answers);
  return exitCode;
}

/** Git's own folder has no files to work on, and a `.supervisor` there would be part of no commit. */
async function refuseBare(project: string): Promise<void> {
  const asked = await gitOutput(project, ['rev-parse', '--is-bare-repository'], GIT_MS_MAX);
  if (asked.kind !== 'output' || asked.bytes.toString('utf8').trim() !== 'true') return;
  throw new Refusal({
    code: 'workspace.unsupported',
    message: `${project} is a bare repository, or is inside one: it has no files. Nothing was written.`,
    hint: 'Clone it, and run init in the clone.',
  });
}

const GIT_MS_MAX = 10_000;

/** Undefined if the option has no names. */
function namedPacks(packs: string | true | undefined): readonly PackId[] | undefined {
  if (typeof packs !== 'string') return undefined;
  const ids = PACKS.map(({ id }) => id);
  return packs.split(',').map((text) => {
    const id = ids.find((one) => one === text.trim());
    if (id !== undefined) return id;
    throw new Refusal({
      code: 'usage.invalid',
      message: `There is no role pack ${JSON.stringify(text.trim())}.`,
      hint: `Use some of: ${ids.join(',')}`,
    });
  });
}

function configText(
  { commands, own }: InitProposal,
  { chain }: Pick<InitAnswers, 'chain'>,
): string {
  // Everybody has the agent of a CLI, so only other names need a comment.
  return starterConfig({
    ...commands,
    chain,
    own: own.filter((id) => !PREFERRED_CLIS.includes(id)),
  });
}

/** The text, or how it differs from the file that exists. */
function showConfig(existing: string | undefined, text: string): string {
  if (existing === undefined) return text;
  const lines = unifiedDiff(existing, text);
  return lines.length === 0 ? NOTHING_TO_CHANGE : `${lines.join('\n')}\n`;
}

const NOTHING_TO_CHANGE = `Nothing to change: .supervisor/${CONFIG} has this text already.\n`;

function describeExisting(existing: string | undefined, text: string): ExistingConfig {
  if (existing === undefined) return 'none';
  return existing === text ? 'same' : 'other';
}

function writeFiles(
  context: CliContext,
  proposal: InitProposal,
  answers: InitAnswers,
  existing: string | undefined,
): Promise<WrittenFiles> {
  const packs = PACKS.filter(({ id }) => answers.packs.includes(id));
  const test = proposal.commands.gates.find(({ name }) => name.startsWith('test'));
  // A file that stays has to be known by its own text, so that only what was written is trusted.
  const text =
    existing === undefined || answers.replaces ? configText(proposal, answers) : existing;
  return writeProjectFiles(context, proposal.project, [
    { path: CONFIG, text, replaces: answers.replaces },
    ...starterFiles(packs, test?.command.map(shellWord).join(' ')),
  ]);
}

const WRITTEN = {
  created: ['green', '+', ''],
  replaced: ['yellow', '~', ' (replaced)'],
  kept: ['dim', '=', ' (exists, not changed)'],
} as const;

function formatWritten(
  context: CliContext,
  project: string,
  { files, isTrusted }: WrittenFiles,
): string {
  const lines = files.map(({ path, what }) => {
    const [style, mark, note] = WRITTEN[what];
    return `${paint(context, style, mark)} .supervisor/${path}${note}\n`;
  });
  const trust = isTrusted
    ? 'You trust .supervisor as it is now, so your runs use it without a question.\n'
    : `Some of these files are not trusted yet. Review them with: supervisor trust ${shellWord(project)}\n`;
  return [...lines, trust].join('');
}

type InitReport = {
  readonly written: WrittenFiles;
  readonly steps: readonly BaseCheckStep[];
  readonly exitCode: number;
  readonly error: ErrorFields | null;
};

function toJson(
  proposal: InitProposal,
  { chain, packs }: InitAnswers,
  { written, steps = [], exitCode = EXIT.ok, error = null }: Partial<InitReport>,
  /** The file that is kept. */
  kept: string | undefined,
): JsonDocument<'init'> {
  const { project, detected, commands, agents } = proposal;
  const { setup } = commands;
  return {
    schema: 'supervisor.init/1',
    project,
    detected: [...detected.names],
    agents: agents.map(({ id, state, found, note }) => ({ id, state, found, note })),
    chain: [...chain],
    setup:
      setup === null
        ? null
        : {
            command: [...setup.command],
            inputs: [...setup.inputs],
            network: [...setup.network],
          },
    gates: commands.gates.map(({ name, command, why }) => ({
      name,
      command: [...command],
      reason: why,
    })),
    notes: [...commands.notes],
    packs: [...packs],
    config: kept ?? configText(proposal, { chain }),
    files:
      written?.files.map(({ path, what }) => ({ path: `.supervisor/${path}`, state: what })) ?? [],
    trusted: written?.isTrusted ?? null,
    checks: steps.map(({ durationMs, tail, command, ...step }) => ({
      ...step,
      command: [...command],
      output_tail: tail,
      duration_ms: durationMs === null ? null : Math.round(durationMs),
    })),
    exit_code: exitCode,
    error,
  };
}
