/** `resume --all`: continues every run of a project that something outside of its work has ended, or that waits for a key. */
import { Refusal } from '../base/errors.ts';
import { plural } from '../base/text.ts';
import type { Client } from '../client/client.ts';
import type { ResumeChanges } from '../protocol/resume-changes.ts';
import type { RunView } from '../protocol/views/run-view.ts';
import { statusDocument } from '../public-json/status-document.ts';
import { allResumable } from './choose-resumable.ts';
import type { CliContext } from './cli-context.ts';
import { printable } from './cli-context.ts';
import { EXIT } from './exit-codes.ts';
import { errorsOf, forEachRun, keyFor, reportRefused } from './find-runs.ts';
import { loadPrompts } from './load-prompts.ts';
import { printJson } from './print-json.ts';
import { projectDir } from './project-path.ts';
import { signalledRun } from './signal-runs.ts';

export type ResumeAll = {
  readonly yes: boolean;
  readonly json: boolean;
  readonly idempotencyKey?: string;
  readonly changes: ResumeChanges;
};

/** So many of the newest runs of a project are searched. */
const SEARCHED_MAX = 1000;

/** Lists the runs first. Resolves with the exit code, and does not wait for the runs. */
export async function resumeAll(
  context: CliContext,
  client: Client,
  { yes, json, idempotencyKey, changes }: ResumeAll,
): Promise<number> {
  const project = projectDir(context, undefined);
  const found = allResumable(await client.runs({ project, limit: SEARCHED_MAX }));
  if (found.length === 0) {
    if (json) printJson(context, statusDocument([]));
    else context.out('No run of this project waits for a key or ended for an outside reason.\n');
    return EXIT.ok;
  }
  if (!json) {
    context.out(`${plural(found.length, 'run')} to resume\n`);
    for (const { id, why } of found) context.out(printable(`${id}  ${why}\n`));
  }
  const asks = !yes && !json && context.terminal.isTty && process.stdin.isTTY;
  if (!yes && !asks)
    throw new Refusal({
      code: 'usage.invalid',
      message: 'No run was resumed.',
      hint: 'To resume these runs, add --yes.',
    });
  if (asks && !(await isSure())) {
    context.err('No run was resumed.\n');
    return EXIT.interrupted;
  }
  const references = found.map(({ id }) => id);
  const selection = { references, all: false, everywhere: false, ended: true };
  const { results, refused, code } = await forEachRun<RunView>(context, client, selection, (run) =>
    client.resume(run, keyFor(idempotencyKey, selection, run), changes),
  );
  if (json) printJson(context, statusDocument(results.map(signalledRun), errorsOf(refused)));
  else reportRefused(context, refused);
  for (const { id, continues } of json ? [] : results)
    context.out(continues === null ? `${id}\n` : `${id}  continues run ${continues}\n`);
  return code;
}

async function isSure(): Promise<boolean> {
  const { confirm } = await loadPrompts();
  return (await confirm({ message: 'Resume all of these runs?', initialValue: false })) === true;
}
