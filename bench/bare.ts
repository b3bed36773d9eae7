/**
 * The faults of a provider with the bare CLIs: how often each retries, and how long until it gives
 * up. Beside them the same CLI under an owner: how long until its attempt has ended.
 */
import type { CliName } from '../test/real/clis.ts';
import { commandOf } from '../test/real/clis.ts';
import { FaultHarness, FAULTS } from '../test/real/fault-row.ts';
import { makePlace, runCli } from '../test/real/run-cli.ts';
import { CLIS } from '../test/real/sandboxed-clis.ts';
import { ModelServer } from '../src/testing/model-server/model-server.ts';

/** A CLI that has not given up by then counts as waiting for ever. */
const PATIENCE_MS = 60_000;

export type BareRow = {
  readonly cli: CliName;
  readonly fault: string;
  readonly bareRequests: number;
  /** Null: it had not given up within a minute. */
  readonly bareMs: number | null;
  readonly requests: number;
  readonly endMs: number;
  readonly nextMs: number;
};

/** The requested part of a table that takes long as a whole. */
export async function measureBare(
  clis: readonly CliName[] = CLIS,
  faults: readonly string[] = Object.keys(FAULTS),
  print: (row: BareRow) => void = () => undefined,
): Promise<readonly BareRow[]> {
  const rows: BareRow[] = [];
  await using harness = await FaultHarness.create();
  for (const fault of faults)
    for (const cli of clis) {
      const { fault: done, deed: action } = FAULTS[fault] ?? {};
      if (done === undefined || action !== undefined || commandOf(cli) === undefined) continue;
      const bare = await giveUp(cli, done);
      const { requests, endMs, ms } = await harness.row(cli, fault);
      const row = { cli, fault, ...bare, requests, endMs, nextMs: ms };
      rows.push(row);
      print(row);
    }
  return rows;
}

async function giveUp(
  cli: CliName,
  fault: NonNullable<(typeof FAULTS)[string]['fault']>,
): Promise<{ readonly bareRequests: number; readonly bareMs: number | null }> {
  await using place = await makePlace();
  await using server = await ModelServer.start({
    script: { steps: [{ text: 'Never said.' }] },
    faults: [{ fault }],
  });
  const patience = new AbortController();
  const bound = setTimeout(() => patience.abort(), PATIENCE_MS);
  await runCli(cli, 'Do the task.', place, server.url, undefined, {
    asItComes: true,
    signal: patience.signal,
  });
  clearTimeout(bound);
  const ended = Date.now();
  const struck = server.journal().filter(({ answered }) => answered.kind === 'fault');
  const [first] = struck;
  const isOver = !patience.signal.aborted && first !== undefined;
  return { bareRequests: struck.length, bareMs: isOver ? ended - first.at : null };
}

export function sayBare(row: BareRow): string {
  const { cli, fault, bareRequests, bareMs, requests, endMs, nextMs } = row;
  const bare =
    bareMs === null ? 'has not given up after 60 s' : `gives up after ${seconds(bareMs)}`;
  return `${cli.padEnd(8)} ${fault.padEnd(18)} bare: ${bareRequests} requests, ${bare}; here: ${requests} requests, ended after ${seconds(endMs)}, the next one starts after ${seconds(nextMs)}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
