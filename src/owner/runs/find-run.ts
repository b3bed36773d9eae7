/** Finds the run that a person means: by its id, the beginning of its id, `last`, or the name of an agent. */
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { parseRunId } from '../../base/ids.ts';
import { oneLine, truncate } from '../../base/text.ts';
import { BEST_OF_PROGRAM } from '../../protocol/best-of.ts';
import { FEATURE_PROGRAM } from '../../protocol/feature.ts';
import { PLANNING_PROGRAM } from '../../protocol/planning.ts';
import { ATTEMPTS_PROGRAM, WORKFLOW_PROGRAM } from '../../protocol/run-submission.ts';
import type { FindPurpose } from '../../protocol/api.ts';
import type { AgentView } from '../../protocol/views/agent-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import { nearest } from '../../yaml/nearest.ts';
import { suggest } from '../../yaml/schema-faults.ts';

export type FindRunPorts = {
  readonly journal: Pick<Journal, 'runs'>;
  /** All long-lived agents, oldest first. Ended agents are included. */
  readonly agents: readonly Pick<AgentView, 'run' | 'name' | 'project' | 'ended'>[];
};

/** The newest run of the person's project. Without a project, the newest of all. */
const LAST = 'last';
const PREFIX = /^[0-9a-f]{1,9}$/;
/** More candidates than these are not listed. */
const LISTED_MAX = 5;
const TASK_CHARS_MAX = 40;
const LIST_HINT = 'List the runs with: supervisor status --all';

/**
 * `project`: the folder of the person. `last` means nothing outside of it. A name means an agent of this project, if it
 * has one of that name. What is to be changed is never guessed: then a name means nothing outside this project either.
 */
export async function findRun(
  { journal, agents }: FindRunPorts,
  reference: string,
  project: string | undefined,
  purpose: FindPurpose = 'read',
): Promise<RunId> {
  // Ids and names have no capital letters, so a reference with some can mean only one thing.
  const word = reference.toLowerCase();
  const id = parseRunId(word);
  if (id !== undefined) return id;
  if (word === LAST) return findLast(journal, project);
  return (
    findNamed(agents, word, project, purpose) ??
    findByPrefix(
      journal,
      word,
      agents.map(({ name }) => name),
    )
  );
}

/** The newest run that a person submitted: of a task, or of a workflow. */
async function newestRun(
  journal: Pick<Journal, 'runs'>,
  where: { readonly project?: string },
): Promise<RunView | undefined> {
  const programs = [
    ...[ATTEMPTS_PROGRAM, WORKFLOW_PROGRAM, FEATURE_PROGRAM],
    ...[PLANNING_PROGRAM, BEST_OF_PROGRAM],
  ];
  const found = await Promise.all(
    programs.map((program) => journal.runs({ ...where, program, parent: null, limit: 1 })),
  );
  return found.flat().toSorted((a, b) => b.submittedAt - a.submittedAt)[0];
}

async function findLast(
  journal: Pick<Journal, 'runs'>,
  project: string | undefined,
): Promise<RunId> {
  const here = project === undefined ? undefined : await newestRun(journal, { project });
  if (here !== undefined) return here.id as RunId;
  const last = await newestRun(journal, {});
  if (last !== undefined && project !== undefined)
    throw elsewhere(
      `No run belongs to ${project}. The last run is ${describeRun(last)} of ${last.project}.`,
      last.id,
    );
  if (last !== undefined) return last.id as RunId;
  throw new Refusal({
    code: 'run.not-found',
    message: 'There is no last run: nothing has run yet.',
    hint: 'Start one with: supervisor run "…"',
  });
}

/** Prefers an agent that has not ended, then the latest. */
function findNamed(
  all: FindRunPorts['agents'],
  name: string,
  project: string | undefined,
  purpose: FindPurpose,
): RunId | undefined {
  const named = all.filter((agent) => agent.name === name);
  const here = named.filter((agent) => agent.project === project);
  const candidates = here.length > 0 ? here : named;
  const active = candidates.filter(({ ended }) => !ended);
  const projects = new Set((active.length > 0 ? active : candidates).map((one) => one.project));
  if (projects.size > 1)
    throw new Refusal({
      code: 'run.ambiguous',
      message: `Several projects have an agent ${name}: ${[...projects].join(', ')}.`,
      hint: 'Type the command in the folder of the project, or use the id that this shows: supervisor tree --all',
    });
  const found = active.at(-1) ?? candidates.at(-1);
  if (found === undefined) return undefined;
  if (purpose === 'change' && project !== undefined && found.project !== project)
    throw elsewhere(
      `${project} has no agent ${name}. There is one in another project: ${found.run} of ${found.project}.`,
      found.run,
    );
  return found.run as RunId;
}

function elsewhere(message: string, run: string): Refusal {
  return new Refusal({
    code: 'run.not-found',
    message,
    hint: `To use that one, name it by its id: ${run}`,
    details: { run },
  });
}

async function findByPrefix(
  journal: Pick<Journal, 'runs'>,
  prefix: string,
  names: readonly string[],
): Promise<RunId> {
  const found = PREFIX.test(prefix)
    ? await journal.runs({ idPrefix: prefix, limit: LISTED_MAX + 1 })
    : [];
  const [one, ...others] = found;
  if (one === undefined) throw notFound(prefix, names);
  if (others.length > 0) throw ambiguous(prefix, found);
  return one.id as RunId;
}

function notFound(reference: string, names: readonly string[]): Refusal {
  if (PREFIX.test(reference))
    return new Refusal({
      code: 'run.not-found',
      message: `There is no run whose id begins with ${reference}, and no agent of that name.`,
      hint: LIST_HINT,
    });
  return new Refusal({
    code: 'run.not-found',
    message: `${JSON.stringify(truncate(reference, 100))} is not a run: there is no agent of that name, and a run id has ten hex digits${suggest(nearest(reference, [LAST, ...names]))}.`,
    hint: LIST_HINT,
  });
}

function describeRun({ id, task }: RunView): string {
  return `${id} (${truncate(oneLine(task), TASK_CHARS_MAX)})`;
}

function ambiguous(prefix: string, found: readonly RunView[]): Refusal {
  const listed = found.slice(0, LISTED_MAX).map(describeRun);
  const more = found.length > LISTED_MAX ? ' and more' : '';
  return new Refusal({
    code: 'run.ambiguous',
    message: `Several runs begin with ${prefix}: ${listed.join(', ')}${more}.`,
    hint: 'Add more digits of the id.',
    details: { runs: found.map(({ id }) => id).join(' ') },
  });
}
