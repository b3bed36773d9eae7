/** What a command does once the run that it watched has ended: proven work is taken over if that was asked for. */
import { isRefusal } from '../base/errors.ts';
import type { Client } from '../client/client.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import type { Face } from './face.ts';
import { paint, printable } from './face.ts';
import { gateResult } from './say-gate.ts';
import { approvalLines } from './say-approvals.ts';
import { sayApplied } from './say-applied.ts';

export type AfterRun = {
  /** Work that no gate has proven is no success. */
  readonly requireGate: boolean;
  readonly apply: boolean;
  readonly json: boolean;
  readonly idempotencyKey?: string;
};

const PAGE = 1000;

/** Resolves with the exit code. */
export async function afterRun(
  face: Face,
  client: Client,
  run: string,
  outcome: RunOutcome,
  { requireGate, apply, json, idempotencyKey }: AfterRun,
): Promise<number> {
  if (apply && outcome.kind === 'succeeded')
    return applyProven(face, client, run, json, idempotencyKey);
  if (outcome.kind !== 'unverified' || !(apply || requireGate)) return exitCodeOf(outcome);
  if (apply)
    sayNot(face, run, 'no gate has checked it. Declare one with --gate, or look at it yourself');
  return EXIT.unproven;
}

async function applyProven(
  face: Face,
  client: Client,
  run: string,
  json: boolean,
  key: string | undefined,
): Promise<number> {
  const changed = await definitionsChanged(client, run);
  if (changed.length > 0) {
    sayNot(face, run, `it also changes what checks it: ${changed.join(', ')}`);
    return EXIT.unproven;
  }
  try {
    // The run has the key itself, so its apply has one that follows from it.
    const applied = await client.apply(run, {}, key === undefined ? undefined : `${key}/apply`);
    if (!json) face.out(sayApplied(face, applied));
    return EXIT.ok;
  } catch (error) {
    if (isRefusal(error, 'workspace.needs-approval')) return sayNeedsApproval(face, client, run);
    if (!isRefusal(error, 'workspace.not-found')) throw error; // a conflict, say: the caller shows it
    if (!json) face.err('Nothing is to be applied: the agent worked in the project itself.\n');
    return EXIT.ok;
  }
}

/** Gates ran by the base's definitions; whoever takes the work over takes over new ones with it. */
async function definitionsChanged(client: Client, run: string): Promise<readonly string[]> {
  const changed = new Set<string>();
  for (let after = 0; ;) {
    const events = await client.events({ run, after, limit: PAGE });
    for (const event of events)
      if (gateResult(event)?.kind === 'passed')
        for (const path of gateResult(event)?.restored ?? []) changed.add(path);
    if (events.length < PAGE) return [...changed];
    after = events.at(-1)?.seq ?? after + PAGE;
  }
}

async function sayNeedsApproval(face: Face, client: Client, run: string): Promise<number> {
  const { approvals } = await client.diff(run);
  const flags = [...new Set(approvals.map(({ needs }) => `--include-${needs}`))].toSorted();
  face.err(`${paint(face, 'yellow', 'not applied')}: a person has to agree to some of it first.\n`);
  face.err(printable(approvalLines(approvals)));
  face.err(
    paint(
      face,
      'dim',
      `See it with: supervisor diff ${run}; take it with: supervisor apply ${run} ${flags.join(' ')}`,
    ),
  );
  face.err('\n');
  return EXIT.unproven;
}

function sayNot(face: Face, run: string, why: string): void {
  face.err(`${paint(face, 'yellow', 'not applied')}: ${why}.\n`);
  face.err(
    paint(
      face,
      'dim',
      `See it with: supervisor diff ${run}; take it with: supervisor apply ${run}`,
    ),
  );
  face.err('\n');
}
