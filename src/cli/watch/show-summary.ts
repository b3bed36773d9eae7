/** The last lines of a run that was watched: what happened, and what to type next. */
import { Refusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { AppliedView } from '../../protocol/views/applied-view.ts';
import type { RunHistory } from '../../reports/runs/run-history.ts';
import type { LineTotals } from '../../reports/runs/run-summary.ts';
import { afterSummary, runSummary } from '../../reports/runs/run-summary.ts';
import { approvalFlags } from '../format/approvals-header.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

/** `isApplied`: the lines after these say what was applied, or why not. */
export async function printSummary(
  context: CliContext,
  { client, history }: { readonly client: Client; readonly history: RunHistory | undefined },
  isApplied: boolean,
): Promise<void> {
  if (history === undefined) return;
  const work = await lookAtWork(client, history);
  const lines = runSummary(history, work.lines);
  const width = Math.max(...lines.map(([label]) => label.length));
  for (const [label, text] of lines)
    context.out(`  ${paint(context, 'dim', label.padEnd(width))}  ${printable(text)}\n`);
  const next = isApplied
    ? null
    : afterSummary(history, await findApplied(client, history), context.clock.now(), work.flags);
  for (const line of next === null ? [] : printable(next).split('\n')) context.out(`${line}\n`);
}

/** An earlier command may have applied the work of this run. */
async function findApplied(client: Client, { id }: RunHistory): Promise<AppliedView | null> {
  try {
    return (await client.statusOf(id)).applied;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

type WorkLook = { readonly lines: LineTotals; readonly flags: string };

const NOT_KNOWN: WorkLook = { lines: null, flags: '' };

/** The summary is no reason to fail: the owner may be gone, and the work may have been discarded. */
async function lookAtWork(client: Client, { id, attempts }: RunHistory): Promise<WorkLook> {
  if (attempts.every(({ kept }) => kept === null)) return NOT_KNOWN;
  try {
    const { files, approvals } = await client.diff(id);
    const sum = (side: 'added' | 'removed'): number =>
      files.reduce((total, file) => total + (file[side] ?? 0), 0);
    const lines = { added: sum('added'), removed: sum('removed') };
    return { lines, flags: approvalFlags(approvals) };
  } catch (error) {
    if (error instanceof Refusal) return NOT_KNOWN;
    throw error;
  }
}
