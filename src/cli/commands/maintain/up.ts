import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import { Refusal, describeError, isRefusal } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { connect, findOwner, stopOwner } from '../../../client/connect.ts';
import { isJournalIn, namedDatabase } from '../../../client/owner-database.ts';
import { oneLine, plural, truncate } from '../../../base/text.ts';
import type { Home } from '../../../host/machine/state-home.ts';
import { statusText } from '../../../protocol/views/run-status.ts';
import type { RunView } from '../../../protocol/views/run-view.ts';
import type { OwnerView } from '../../../protocol/api.ts';
import type { DeclaredAgents } from '../../../protocol/views/agent-view.ts';
import type { TrustRequest } from '../../ask/ask-trust.ts';
import { askForTrust, UNTRUSTED_OPTION } from '../../ask/ask-trust.ts';
import { EXIT } from '../../exit-codes.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { currentProject } from '../../input/project-path.ts';
import { stateHome, ownerOptions } from '../../connect-owner.ts';
import { listenAddress, startOwnerHere } from '../../load-owner.ts';
import type { ErrorFields } from '../../../public-json/error-document.ts';
import { errorDocument, simpleError } from '../../../public-json/error-document.ts';
import { ownerDocument } from '../../../public-json/machine-documents.ts';
import { printJson } from '../../json/print-json.ts';

type Options = {
  readonly detach: boolean;
  readonly untrusted: boolean;
  readonly json: boolean;
  readonly install: boolean;
  readonly uninstall: boolean;
  readonly yes: boolean;
  readonly listen?: string;
  readonly db?: string;
  readonly takeOver: boolean;
};

export function addUp(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('up')
    .description('Start the owner and keep it running, here or in the background')
    .option('-d, --detach', 'run in the background; return when the owner is ready', false)
    .option('--listen <address>', 'also serve the API on 127.0.0.1:PORT; 0 picks a free port')
    .option('--db <url>', 'keep the journal of this home in a PostgreSQL database')
    .option('--take-over', 'with --db: also if its runs belong to another home', false)
    .option(
      '--install',
      'let systemd or launchd keep the owner running, also after a restart',
      false,
    )
    .option('--uninstall', 'end that', false)
    .option('-y, --yes', 'with --install or --uninstall: do it without a question', false)
    .option(...UNTRUSTED_OPTION)
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      const { listen, db, takeOver } = options;
      if (takeOver && db === undefined) throw takeOverWithoutDatabase();
      if (options.install || options.uninstall) {
        if (db !== undefined) throw databaseWithService();
        const { changeService } = await import('./install-service.ts');
        return finish(await changeService(context, options));
      }
      const tcp = await listenAddress(listen);
      const project = currentProject(context);
      const trust = await askForTrust(context, project, options);
      if (options.detach) {
        const { view, client } = await upInBackground(context, options);
        if (!options.json) printOwner(context, view);
        const declared = await declareAgents(context, client, project, trust);
        if (options.json) printJson(context, ownerDocument(view, declared));
        else printAgents(context, declared);
        return finish(EXIT.ok);
      }
      const log = (line: string): void => context.err(`${line}\n`);
      const { serving, client } = await startOwnerHere({
        ...ownerOptions(context, log),
        stays: true,
        tcp,
        database: { takesOver: takeOver, ...defined({ url: db }) },
      });
      const view = serving.owner.view();
      if (options.json) printJson(context, ownerDocument(view));
      else printOwner(context, view);
      await declareAgents(context, client, project, trust)
        .then((declared) => (options.json ? undefined : printAgents(context, declared)))
        .catch((error: unknown) =>
          log(`could not start the agents of ${project}: ${describeError(error)}`),
        );
      const interrupted = Promise.withResolvers<string>();
      const leave = context.onInterrupt(() => interrupted.resolve('a signal'));
      const reason = await Promise.race([serving.done, interrupted.promise]);
      if (!options.json) context.out(`Shutting down: ${reason}.\n`);
      await serving.close(reason);
      leave();
      if (!serving.owner.lifetime.gaveUp) return finish(EXIT.ok);
      if (options.json) printJson(context, errorDocument(gaveUp(reason), EXIT.failed));
      finish(EXIT.failed);
    });
}

const HELP = `
--db is needed once: the home remembers the database, without a password. See: docs/guide/database.md
--install shows the file and the commands first, and asks. It starts the owner too.

Examples:
  supervisor up --detach --listen 127.0.0.1:0
  supervisor up --detach --db postgres://me@db.example:5432/supervisor
  supervisor up --install`;

function gaveUp(reason: string): ErrorFields {
  return simpleError(
    'owner.gave-up',
    `The owner has shut down: ${reason}.`,
    'Read the lines above on standard error.',
  );
}

/** A folder such as the home of a user can't be a project. Then the owner starts without agents. */
async function declareAgents(
  context: CliContext,
  client: Client,
  project: string,
  trust: TrustRequest,
): Promise<DeclaredAgents> {
  try {
    return await client.agents.declare(project, trust);
  } catch (error) {
    if (!isRefusal(error, 'workspace.unsupported')) throw error;
    context.err(`No agents were started: ${error.message}\n`);
    return { started: [], unchanged: [], changed: [] };
  }
}

export function addDown(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('down')
    .description('Shut down the owner. Active runs continue when the next owner starts.')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExample:\n  supervisor down')
    .action(async ({ json }: { json: boolean }) => finish(await endOwner(context, json)));
}

const ACTIVE_MAX = 1000;
const LISTED_MAX = 20;
const TASK_CHARS_MAX = 60;

/** For `down` and `owner stop`, which are the same. Resolves with the exit code. */
export async function endOwner(context: CliContext, json: boolean): Promise<number> {
  const home = stateHome(context);
  const active = await activeRuns(home);
  const ended = await stopOwner(home, context.clock);
  const runs = ended ? active : [];
  if (json)
    printJson(context, { schema: 'supervisor.down/1', ended, run_ids: runs.map(({ id }) => id) });
  else if (!ended) context.out('No owner is running.\n');
  else context.out(describeLeft(context, runs));
  return EXIT.ok;
}

async function activeRuns(home: Home): Promise<readonly RunView[]> {
  const found = await findOwner(home);
  try {
    const rows = await found?.client.status({ ended: false, limit: ACTIVE_MAX });
    return rows?.map(({ view }) => view) ?? [];
  } catch {
    return []; // an owner of another version may answer in another form; it is ended all the same
  }
}

/** What becomes of the runs that the owner leaves. */
function describeLeft(context: CliContext, runs: readonly RunView[]): string {
  if (runs.length === 0) return 'The owner has shut down.\n';
  const shown = runs.slice(0, LISTED_MAX);
  const width = Math.max(...shown.map((view) => statusText(view).length));
  const lines = shown.map((view) => {
    const task = truncate(oneLine(printable(view.task)), TASK_CHARS_MAX);
    return `  ${paint(context, 'cyan', view.id)}  ${statusText(view).padEnd(width)}  ${task}\n`;
  });
  const more = runs.length - shown.length;
  return [
    `The owner has shut down. ${plural(runs.length, 'run was', 'runs were')} active and ${runs.length === 1 ? 'waits' : 'wait'} for the next owner:\n`,
    ...lines,
    ...(more === 0 ? [] : [`  … and ${more} more\n`]),
    'Interrupted attempts start again then. Start it with: supervisor up --detach. Any other command that needs an owner starts one too.\n',
  ].join('');
}

/** If an owner is already running, for example for another command, it is asked to keep running. */
async function upInBackground(
  context: CliContext,
  { listen, db, takeOver }: Pick<Options, 'listen' | 'db' | 'takeOver'>,
): Promise<{ readonly view: OwnerView; readonly client: Client }> {
  const { version, clock, env } = context;
  const home = stateHome(context);
  const database = db === undefined ? undefined : await namedDatabase(db);
  const more = [
    ...(listen === undefined ? [] : ['--listen', listen]),
    ...(database === undefined ? [] : ['--db', database.named]),
    ...(takeOver ? ['--take-over'] : []),
  ];
  const ownerCommand = [...context.ownerCommand, '--stay', ...more] as const;
  const client = await connect({ home, version, clock, env, ownerCommand });
  const view = await client.machine.stayOwner();
  if (database !== undefined && !(await isJournalIn(home, database)))
    throw new Refusal({
      code: 'owner.already-running',
      message: `An owner is already running (pid ${view.pid}), and its journal is not in the ${database.text}.`,
      hint: 'Shut it down first, and repeat the command: supervisor down',
    });
  if (listen === undefined || view.api !== null) return { view, client };
  throw new Refusal({
    code: 'owner.already-running',
    message: `An owner is already running (pid ${view.pid}) and does not listen on a port.`,
    hint: `Restart it: supervisor down && supervisor up --detach --listen ${listen}`,
  });
}

function takeOverWithoutDatabase(): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: '--take-over says nothing without --db.',
    hint: 'Name the database: supervisor up --detach --db URL --take-over',
  });
}

function databaseWithService(): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: '--install and --uninstall take no --db.',
    hint: 'Start the owner with it once, and the home remembers the database: supervisor up --detach --db URL',
  });
}

function printAgents(context: CliContext, { started, unchanged, changed }: DeclaredAgents): void {
  for (const { name, run } of started) context.out(`Started agent ${name} (${run}).\n`);
  if (unchanged.length > 0) context.out(`Already running: ${unchanged.join(', ')}.\n`);
  for (const name of changed)
    context.out(
      `Agent ${name} still runs with its old configuration. To restart it: supervisor dismiss ${name} && supervisor up\n`,
    );
}

function printOwner(context: CliContext, view: OwnerView): void {
  context.out(`The owner is running (pid ${view.pid}).\n`);
  if (view.api !== null)
    context.out(`API: ${view.api}  token file: ${stateHome(context).apiToken}\n`);
}
