/** The file that a comment is about. A name that is misspelt would send an agent to a file that does not exist. */
import { existsSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { isRefusal, Refusal } from '../../base/errors.ts';
import { isWithin } from '../../base/secret-paths.ts';
import type { Client } from '../../client/client.ts';
import { nearest } from '../../yaml/nearest.ts';
import { quote } from '../../yaml/problem.ts';
import { suggest } from '../../yaml/schema-faults.ts';

/** Refuses a file that neither the work nor the project has. */
export async function requireWorkFile(
  client: Pick<Client, 'run' | 'diff'>,
  run: string,
  file: string,
): Promise<void> {
  const [{ project }, changed] = await Promise.all([client.run(run), changedFiles(client, run)]);
  const path = normalize(file);
  const full = join(project, path);
  if (changed.includes(path) || (isWithin(full, project) && existsSync(full))) return;
  throw new Refusal({
    code: 'usage.invalid',
    message: `The work has no file ${quote(file)}${suggest(nearest(path, changed))}.`,
    hint: 'Name a file of the work, relative to the project. If one is missing, say so in the text, without --file.',
  });
}

/** Empty: there is no work yet, such as before the first file of a plan. */
async function changedFiles(client: Pick<Client, 'diff'>, run: string): Promise<readonly string[]> {
  try {
    return (await client.diff(run)).files.map(({ path }) => path);
  } catch (error) {
    if (isRefusal(error)) return [];
    throw error;
  }
}
