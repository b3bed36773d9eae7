/** What a command does after the run that it watched: with --apply, verified work is applied to the project. */
import { isRefusal } from '../base/errors.ts';
import type { Client } from '../client/client.ts';
import { hashText } from '../base/hash-text.ts';
import { REQUEST_KEY_MAX } from '../protocol/run-submission.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import type { CliContext } from './cli-context.ts';
import { paint, printable } from './cli-context.ts';
import { notProtected } from '../protocol/gate-caveats.ts';
import { gateResult } from './format/gate-lines.ts';
import { approvalLines } from './format/approvals-header.ts';
import { formatApplied } from './format/applied.ts';

export type AfterRun = {
  /** Work that no gate verified does not count as success. */
  readonly requireGate: boolean;
  readonly apply: boolean;
  /** The task is about tests, so changed tests are applied too. */
  readonly includeTests?: boolean;
  readonly json: boolean;
  readonly idempotencyKey?: string;
};

const PAGE = 1000;

/** Resolves with the exit code. */
export async function afterRun(
  context: CliContext,
  client: Client,
  run: string,
  outcome: RunOutcome,
  { requireGate, apply, includeTests = false, json, idempotencyKey }: AfterRun,
): Promise<number> {
  if (apply && outcome.kind === 'succeeded')
    return applyVerified(context, client, run, { json, includeTests, key: idempotencyKey });
  if (outcome.kind !== 'unverified' || !(apply || requireGate)) return exitCodeOf(outcome);
  if (apply)
    reportNotApplied(
      context,
      run,
      'no gate has verified the work. Declare one with --gate, or review the work yourself',
    );
  return EXIT.unproven;
}

type ApplyOptions = {
  readonly json: boolean;
  readonly includeTests: boolean;
  readonly key: string | undefined;
};

async function applyVerified(
  context: CliContext,
  client: Client,
  run: string,
  { json, includeTests, key }: ApplyOptions,
): Promise<number> {
  const { changed, open } = await lastGateCaveats(client, run);
  if (open.length > 0) {
    reportNotApplied(
      context,
      run,
      `${open.join('. ')}. To accept this, pass --accept-unprotected or set accept_unprotected: true for the gate`,
    );
    return EXIT.unproven;
  }
  if (changed.length > 0) {
    reportNotApplied(
      context,
      run,
      `the work also changes files that its gates depend on: ${changed.join(', ')}`,
    );
    return EXIT.unproven;
  }
  try {
    const request = includeTests ? { includeTests } : {};
    const applied = await client.apply(run, request, key === undefined ? undefined : applyKey(key));
    if (!json) context.out(formatApplied(context, applied));
    return EXIT.ok;
  } catch (error) {
    if (isRefusal(error, 'workspace.needs-approval'))
      return reportNeedsApproval(context, client, run, includeTests);
    if (!isRefusal(error, 'workspace.not-found')) throw error; // for example a conflict: the caller reports it
    if (!json) context.err('Nothing to apply: the agent worked directly in the project.\n');
    return EXIT.ok;
  }
}

/** The run itself uses the key, so its apply gets a key derived from it, within the same length bound. */
function applyKey(key: string): string {
  const whole = `${key}/apply`;
  return whole.length <= REQUEST_KEY_MAX ? whole : `${hashText(key)}/apply`;
}

type GateCaveats = {
  /** Gates ran with the definitions of the base. Applying the work would also apply these changed definitions. */
  readonly changed: readonly string[];
  /** Gates that prove nothing, because files of the work may have influenced their verdict. */
  readonly open: readonly string[];
};

/** The caveats of the gates that checked the last attempt. */
async function lastGateCaveats(client: Client, run: string): Promise<GateCaveats> {
  let [changed, open]: [Set<string>, Set<string>] = [new Set(), new Set()];
  for (let after = 0; ;) {
    const events = await client.events({ run, after, limit: PAGE });
    for (const event of events) {
      if (event.type === 'command.begun' && event.payload.command === 'attempt')
        [changed, open] = [new Set(), new Set()];
      const result = gateResult(event);
      if (result?.kind !== 'passed' || result.warns === true) continue;
      for (const path of result.restored ?? []) changed.add(path);
      if (result.accepted !== true && notProtected(result).length > 0)
        open.add(`gate ${result.name} is not protected: ${notProtected(result).join('; ')}`);
    }
    if (events.length < PAGE) return { changed: [...changed], open: [...open] };
    after = events.at(-1)?.seq ?? after + PAGE;
  }
}

async function reportNeedsApproval(
  context: CliContext,
  client: Client,
  run: string,
  includeTests: boolean,
): Promise<number> {
  const { approvals } = await client.diff(run);
  const flags = [...new Set(approvals.map(({ needs }) => `--include-${needs}`))].toSorted();
  context.err(
    `${paint(context, 'yellow', 'not applied')}: some of the changes need your approval.\n`,
  );
  const pending = approvals.filter(({ needs }) => !(includeTests && needs === 'tests'));
  context.err(printable(approvalLines(pending)));
  context.err(
    paint(
      context,
      'dim',
      `Review with: supervisor diff ${run}. Apply with: supervisor apply ${run} ${flags.join(' ')}`,
    ),
  );
  context.err('\n');
  return EXIT.unproven;
}

function reportNotApplied(context: CliContext, run: string, why: string): void {
  context.err(`${paint(context, 'yellow', 'not applied')}: ${why}.\n`);
  context.err(
    paint(
      context,
      'dim',
      `Review with: supervisor diff ${run}. Apply with: supervisor apply ${run}`,
    ),
  );
  context.err('\n');
}
