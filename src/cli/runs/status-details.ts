/** A run with everything that is known about it, as `status RUN --json` and `wait --json` print it. */
import type { Client } from '../../client/client.ts';
import type { StatusRow } from '../../protocol/views/status-row.ts';
import type { RunStatusJson } from '../../public-json/status-document.ts';
import { statusOf } from '../../public-json/status-document.ts';

export async function statusDetails(
  client: Pick<Client, 'artifacts'>,
  row: StatusRow,
): Promise<RunStatusJson> {
  return statusOf(row, (await client.artifacts(row.view.id)).files);
}
