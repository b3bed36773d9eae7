/** `resume --all`: continues every run that something outside of its work has ended, or that waits for a key. */
import { defined } from '../../base/defined.ts';
import { Refusal } from '../../base/errors.ts';
import { oneLine, plural, shortList, truncate } from '../../base/text.ts';
import type { Client } from '../../client/client.ts';
import type { ResumeChanges } from '../../protocol/resume-changes.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { statusDocument } from '../../public-json/status-document.ts';
import type { Resumable } from './choose-resumable.ts';
import { allResumable } from './choose-resumable.ts';
import type { CliContext } from '../cli-context.ts';
import { printable } from '../cli-context.ts';
import { EXIT } from '../exit-codes.ts';
import { errorsOf, forEachRun, keyFor, reportRefused } from './find-runs.ts';
import { requireYesAtTerminal } from '../ask/confirm.ts';
import { printJson } from '../json/print-json.ts';
import { currentProject } from '../input/project-path.ts';
import { signalledRun } from './signal-runs.ts';

export type ResumeAll = {
  readonly yes: boolean;
  readonly json: boolean;
  /** The runs of all projects. */
  readonly everywhere: boolean;
  readonly idempotencyKey?: string;
  readonly changes: ResumeChanges;
};

/** So many of the newest runs are searched. */
const SEARCHED_MAX = 1000;

/** Lists the runs first. Resolves with the exit code, and does not wait for the runs. */
export async function resumeAll(
  context: CliContext,
  client: Client,
  options: ResumeAll,
): Promise<number> {
  const { yes, json, everywhere, idempotencyKey, changes } = options;
  const project = everywhere ? undefined : currentProject(context);
  const runs = await client.runs({ limit: SEARCHED_MAX, ...defined({ project }) });
  const all = allResumable(runs);
  const late = changes.deadlineMs === undefined ? all.filter(({ isLate }) => isLate) : [];
  const found = all.filter((one) => !late.includes(one));
  if (!json) {
    context.err(describeLate(late, everywhere));
    if (project !== undefined) context.err(describeElsewhere(await findElsewhere(client, project)));
  }
  if (found.length === 0) {
    if (late.length > 0) throw onlyLate(late, everywhere);
    if (json) printJson(context, statusDocument([]));
    else
      context.out(
        `No run of ${everywhere ? 'any' : 'this'} project waits for a key or ended for an outside reason.\n`,
      );
    return EXIT.ok;
  }
  if (!json) context.out(describeFound(found, everywhere));
  const asks = !yes && !json && context.terminal.isTty && process.stdin.isTTY;
  if (!yes && !asks)
    throw new Refusal({
      code: 'usage.invalid',
      // With --json, no list stands above it.
      message: json
        ? `No run was resumed. These would be: ${idsOf(found)}.`
        : 'No run was resumed.',
      hint: 'To resume these runs, add --yes.',
    });
  if (asks) await requireYesAtTerminal(context, 'Resume all of these runs?', 'No run was resumed.');
  const references = found.map(({ id }) => id);
  const active = new Set(found.flatMap(({ id, isActive }) => (isActive ? [id] : [])));
  const selection = { references, all: false, everywhere: false, ended: true };
  const { results, refused, code } = await forEachRun<RunView>(context, client, selection, (run) =>
    // A run that waits for a key only gets the key: it has not ended, so its limits are pinned.
    client.resume(run, keyFor(idempotencyKey, selection, run), active.has(run) ? {} : changes),
  );
  if (json) printJson(context, statusDocument(results.map(signalledRun), errorsOf(refused)));
  else reportRefused(context, refused);
  for (const { id, continues } of json ? [] : results)
    context.out(continues === null ? `${id}\n` : `${id}  continues run ${continues}\n`);
  return code;
}

function describeFound(found: readonly Resumable[], everywhere: boolean): string {
  const lines = found.map(({ id, project, task, why }) =>
    printable(
      `${id}  ${everywhere ? `${folderName(project)}: ` : ''}${truncate(oneLine(task), TASK_CHARS_MAX)}\n            ${why}\n`,
    ),
  );
  return `${plural(found.length, 'run')} to resume\n${lines.join('')}`;
}

/** With the same deadline, these would only be paid for once more. */
function describeLate(late: readonly Resumable[], everywhere: boolean): string {
  if (late.length === 0) return '';
  const lines = late.map(({ id, why }) => printable(`${id}  ${why}\n`));
  return `Not resumed, because the same deadline would end ${late.length === 1 ? 'it' : 'them'} again:\n${lines.join('')}To resume with more time: ${withDeadline(everywhere)}\n`;
}

const IDS_MAX = 100;

function idsOf(found: readonly Resumable[]): string {
  return shortList(
    found.map(({ id }) => id),
    IDS_MAX,
  );
}

function onlyLate(late: readonly Resumable[], everywhere: boolean): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: `No run was resumed: ${plural(late.length, 'run')} ran past the deadline and would again.`,
    hint: `Give another deadline: ${withDeadline(everywhere)}`,
  });
}

function withDeadline(everywhere: boolean): string {
  return `supervisor resume --all${everywhere ? ' --everywhere' : ''} --deadline 2h`;
}

async function findElsewhere(client: Client, project: string): Promise<readonly Resumable[]> {
  const all = allResumable(await client.runs({ limit: SEARCHED_MAX }));
  return all.filter((one) => one.project !== project);
}

function describeElsewhere(others: readonly Resumable[]): string {
  if (others.length === 0) return '';
  const names = [...new Set(others.map(({ project }) => folderName(project)))];
  return printable(
    `${plural(others.length, 'run')} of other projects (${shortList(names, PROJECTS_SHOWN)}) can be resumed too: supervisor resume --all --everywhere\n`,
  );
}

const PROJECTS_SHOWN = 3;
const TASK_CHARS_MAX = 60;

function folderName(project: string): string {
  return project.split('/').at(-1) ?? '';
}
