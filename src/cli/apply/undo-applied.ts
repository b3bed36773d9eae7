/** `apply --undo`: puts back the files that an apply changed. */
import { Refusal } from '../../base/errors.ts';
import { plural } from '../../base/text.ts';
import type { Client } from '../../client/client.ts';
import { isInPlace, wasThere } from '../../protocol/views/applied-view.ts';
import { undoDocument } from '../../public-json/apply-result.ts';
import type { CliContext } from '../cli-context.ts';
import { paint } from '../cli-context.ts';
import { findRunCommit, recordCommit } from './commit-applied.ts';
import { findRunToChange } from '../runs/find-runs.ts';
import { printJson } from '../json/print-json.ts';
import { currentProject } from '../input/project-path.ts';
import { userGitLine } from './user-git.ts';

/** Without a name, `--undo` looks for the last apply among so many runs. */
const RUNS_BACK_MAX = 1000;

type UndoOptions = { readonly json: boolean; readonly idempotencyKey?: string };

export async function undoApplied(
  context: CliContext,
  client: Client,
  reference: string | undefined,
  { json, idempotencyKey }: UndoOptions,
): Promise<void> {
  const id =
    reference === undefined
      ? await lastApplied(context, client)
      : await findRunToChange(context, client, reference);
  await requireUncommitted(context, client, id);
  const undone = await client.undo(id, idempotencyKey);
  if (json) printJson(context, undoDocument(id, undone));
  else if (undone.files === 0)
    context.out(
      `Nothing to restore: the files are already as they were before the work of run ${id} was applied.\n`,
    );
  else
    context.out(
      `${paint(context, 'green', 'restored')} ${plural(undone.files, 'file')}: the work of run ${id} is no longer applied\n`,
    );
}

/** A commit that was made and not recorded is recorded now. Then the owner refuses the undo. */
export async function requireUncommitted(
  context: CliContext,
  client: Client,
  id: string,
): Promise<void> {
  const { applied } = await client.applyDetails(id);
  if (applied === null || !isInPlace(applied) || applied.kind !== 'files' || wasThere(applied))
    return;
  const { project } = await client.run(id);
  const root = await userGitLine(context, project, ['rev-parse', '--show-toplevel']);
  if (root === undefined || applied.commit !== null) return;
  const found = await findRunCommit(context, root, { run: id, since: applied.at });
  if (found !== undefined) await recordCommit(client, id, found);
}

/** The run of this project that was applied last and is not undone. */
async function lastApplied(context: CliContext, client: Client): Promise<string> {
  const project = currentProject(context);
  const rows = await client.status({ project, ended: true, limit: RUNS_BACK_MAX });
  const [last] = rows
    // A branch changed no file, so there is nothing of it to restore.
    .filter(({ applied }) => applied?.kind === 'files' && isInPlace(applied) && !wasThere(applied))
    .toSorted((one, other) => (other.applied?.at ?? 0) - (one.applied?.at ?? 0));
  if (last !== undefined) return last.view.id;
  throw new Refusal({
    code: 'workspace.not-undoable',
    message: `No run is applied to ${project}.`,
    hint: 'List the runs with: supervisor status --all',
  });
}
