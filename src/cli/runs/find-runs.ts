/** The runs that a command is about, as a person names them. */
import type { Command } from 'commander';
import { ConcurrencyLimit } from '../../base/concurrency-limit.ts';
import { defined } from '../../base/defined.ts';
import { Refusal } from '../../base/errors.ts';
import { parseRunId } from '../../base/ids.ts';
import type { Client } from '../../client/client.ts';
import type { FindPurpose } from '../../protocol/api.ts';
import { errorFields } from '../../public-json/error-document.ts';
import type { StatusDocument } from '../../public-json/status-document.ts';
import type { CliContext } from '../cli-context.ts';
import { paint } from '../cli-context.ts';
import { EXIT, exitCodeFor } from '../exit-codes.ts';
import { currentProject } from '../input/project-path.ts';

/** The run that a command means if none is named. */
export const LAST_RUN = 'last';
/** The help of an argument that names one run. */
export const RUN_ARGUMENT =
  'the run: its id, the beginning of its id, last, or the name of an agent';
/** The help of an argument that names several. */
export const RUNS_ARGUMENT = 'the runs: ids, beginnings of ids, last, or names of agents';

/** More active runs than any machine has. */
const ACTIVE_MAX = 10_000;
const AT_ONCE_MAX = 32;

/** For a command that only reads. */
export function findRun(context: CliContext, client: Client, reference: string): Promise<string> {
  return find(context, client, reference, 'read');
}

/** For a command that changes something: `last` and names mean only runs of this project. */
export function findRunToChange(
  context: CliContext,
  client: Client,
  reference: string,
): Promise<string> {
  return find(context, client, reference, 'change');
}

async function find(
  context: CliContext,
  client: Client,
  reference: string,
  purpose: FindPurpose,
): Promise<string> {
  if (reference.trim() === '')
    throw new Refusal({
      code: 'usage.invalid',
      message: 'The name of the run is empty.',
      hint: 'Name a run, such as last or 3f2a. List the runs with: supervisor status --all',
    });
  // A whole id needs no request. The request that follows refuses an id that does not exist.
  return (
    parseRunId(reference.toLowerCase()) ?? client.find(reference, currentProject(context), purpose)
  );
}

export type AllOptions = { readonly all: boolean; readonly everywhere: boolean };

/** `which`: the runs that `--all` means. */
export function withAllOptions(command: Command, which: string): Command {
  return command
    .option('--all', `${which}, in the project of this folder`, false)
    .option('--everywhere', 'with --all: in all projects', false);
}

/** `ended`: what `--all` means: all runs that have ended, or all runs that have not. */
export type RunSelection = AllOptions & {
  readonly references: readonly string[];
  readonly ended: boolean;
};

/**
 * Changes each run in the same way. If one of several is refused, the others continue. The code is
 * that of the first refusal. `finish` begins when every run has had its action: it may take long.
 */
export async function forEachRun<Result>(
  context: CliContext,
  client: Client,
  selection: RunSelection,
  action: (run: string) => Promise<Result>,
  finish: (result: Result) => Promise<Result> = (result) => Promise.resolve(result),
): Promise<{
  readonly results: readonly Result[];
  readonly refused: readonly RefusedRun[];
  readonly code: number;
}> {
  const names = await select(context, client, selection);
  const limit = new ConcurrencyLimit(AT_ONCE_MAX);
  const attempt = <Value>(name: string, work: () => Promise<Value>): Promise<Tried<Value>> =>
    limit.run(async () => {
      try {
        return { kind: 'done', name, value: await work() };
      } catch (error) {
        if (!(error instanceof Refusal) || isOne(selection)) throw error;
        return { kind: 'refused', name, refusal: error };
      }
    });
  const found = await Promise.all(
    names.map((name) => attempt(name, () => findRunToChange(context, client, name))),
  );
  const runs = new Set(found.flatMap((one) => (one.kind === 'done' ? [one.value] : [])));
  const begun = await Promise.all([...runs].map((run) => attempt(run, () => action(run))));
  const ends = await Promise.all(
    begun.map((one) =>
      one.kind === 'done' ? attempt(one.name, () => finish(one.value)) : Promise.resolve(one),
    ),
  );
  const refused = [...found, ...ends].filter((one) => one.kind === 'refused');
  const [first] = refused;
  return {
    refused,
    results: ends.flatMap((one) => (one.kind === 'done' ? [one.value] : [])),
    code: first === undefined ? EXIT.ok : exitCodeFor(first.refusal.data.code),
  };
}

type RefusedRun = { readonly name: string; readonly refusal: Refusal };

type Tried<Value> =
  | { readonly kind: 'done'; readonly name: string; readonly value: Value }
  | ({ readonly kind: 'refused' } & RefusedRun);

/** For a person. With `--json` the document contains them. */
export function reportRefused(context: CliContext, refused: readonly RefusedRun[]): void {
  for (const { name, refusal } of refused)
    context.err(`${paint(context, 'red', 'error:')} ${name}: ${refusal.message}\n`);
}

/** The same for a document. */
export function errorsOf(refused: readonly RefusedRun[]): StatusDocument['errors'] {
  return refused.map(({ name, refusal }) => ({ run: name, error: errorFields(refusal.data) }));
}

/** One run was named, so its result and its refusal are those of the command. */
function isOne({ references, all }: RunSelection): boolean {
  return references.length === 1 && !all;
}

async function select(
  context: CliContext,
  client: Client,
  { references, all, everywhere, ended }: RunSelection,
): Promise<readonly string[]> {
  if (everywhere && !all)
    throw new Refusal({
      code: 'usage.invalid',
      message: '--everywhere needs --all.',
      hint: 'Use both to mean all runs of all projects.',
    });
  if (all && references.length > 0)
    throw new Refusal({
      code: 'usage.invalid',
      message: 'Name runs or use --all, but not both.',
      hint: 'List the runs with: supervisor status --all',
    });
  if (!all && references.length === 0)
    throw new Refusal({
      code: 'usage.invalid',
      message: 'No run is named.',
      hint: 'Name one or more runs, such as last or 3f2a, or use --all. List them with: supervisor status --all',
    });
  if (!all) return [...new Set(references)];
  const project = everywhere ? undefined : currentProject(context);
  const filter = { ended, limit: ACTIVE_MAX, ...defined({ project }) };
  const runs = (await client.runs(filter)).map(({ id }) => id);
  if (runs.length === 0) context.err(describeNone(ended, project));
  return runs;
}

function describeNone(ended: boolean, project: string | undefined): string {
  const none = ended ? 'No run has ended yet' : 'No active runs';
  return project === undefined
    ? `${none}.\n`
    : `${none} in ${project}. For all projects, add --everywhere.\n`;
}

/** A key names one command, so each of several runs gets its own. */
export function keyFor(
  key: string | undefined,
  selection: RunSelection,
  run: string,
): string | undefined {
  return key === undefined || isOne(selection) ? key : `${key}-${run}`;
}
