/** What a command does once the run that it watched has ended: proven work is taken over if that was asked for. */
import { isRefusal } from '../base/errors.ts';
import type { Client } from '../client/client.ts';
import { hashText } from '../base/hash-text.ts';
import { REQUEST_KEY_MAX } from '../protocol/event.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import type { CliContext } from './cli-context.ts';
import { paint, printable } from './cli-context.ts';
import { notProtected } from '../protocol/gate-caveats.ts';
import { gateResult } from './format/gate-lines.ts';
import { approvalLines } from './format/approvals-header.ts';
import { formatApplied } from './format/applied.ts';

export type AfterRun = {
  /** Work that no gate has proven is no success. */
  readonly requireGate: boolean;
  readonly apply: boolean;
  /** The task is about tests: changed ones are applied with the rest. */
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
    return applyProven(context, client, run, { json, includeTests, key: idempotencyKey });
  if (outcome.kind !== 'unverified' || !(apply || requireGate)) return exitCodeOf(outcome);
  if (apply)
    sayNot(context, run, 'no gate has checked it. Declare one with --gate, or look at it yourself');
  return EXIT.unproven;
}

type Applying = {
  readonly json: boolean;
  readonly includeTests: boolean;
  readonly key: string | undefined;
};

async function applyProven(
  context: CliContext,
  client: Client,
  run: string,
  { json, includeTests, key }: Applying,
): Promise<number> {
  const { changed, open } = await lastJudgement(client, run);
  if (open.length > 0) {
    sayNot(
      context,
      run,
      `${open.join('. ')}. Say --accept-unprotected, or accept_unprotected: true of the gate, to count it as proof`,
    );
    return EXIT.unproven;
  }
  if (changed.length > 0) {
    sayNot(context, run, `it also changes what checks it: ${changed.join(', ')}`);
    return EXIT.unproven;
  }
  try {
    const wish = includeTests ? { includeTests } : {};
    const applied = await client.apply(run, wish, key === undefined ? undefined : applyKey(key));
    if (!json) context.out(formatApplied(context, applied));
    return EXIT.ok;
  } catch (error) {
    if (isRefusal(error, 'workspace.needs-approval'))
      return sayNeedsApproval(context, client, run, includeTests);
    if (!isRefusal(error, 'workspace.not-found')) throw error; // a conflict, say: the caller shows it
    if (!json) context.err('Nothing is to be applied: the agent worked in the project itself.\n');
    return EXIT.ok;
  }
}

/** The run has the key itself, so its apply has one that follows from it, within the same bound. */
function applyKey(key: string): string {
  const whole = `${key}/apply`;
  return whole.length <= REQUEST_KEY_MAX ? whole : `${hashText(key)}/apply`;
}

type Judgement = {
  /** Gates ran by the base's definitions; whoever takes the work over takes over new ones with it. */
  readonly changed: readonly string[];
  /** Gates that prove nothing, because files of the work may have decided how they judged. */
  readonly open: readonly string[];
};

/** What the gates have said of the last attempt. */
async function lastJudgement(client: Client, run: string): Promise<Judgement> {
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

async function sayNeedsApproval(
  context: CliContext,
  client: Client,
  run: string,
  includeTests: boolean,
): Promise<number> {
  const { approvals } = await client.diff(run);
  const flags = [...new Set(approvals.map(({ needs }) => `--include-${needs}`))].toSorted();
  context.err(
    `${paint(context, 'yellow', 'not applied')}: a person has to agree to some of it first.\n`,
  );
  const asked = approvals.filter(({ needs }) => !(includeTests && needs === 'tests'));
  context.err(printable(approvalLines(asked)));
  context.err(
    paint(
      context,
      'dim',
      `See it with: supervisor diff ${run}; take it with: supervisor apply ${run} ${flags.join(' ')}`,
    ),
  );
  context.err('\n');
  return EXIT.unproven;
}

function sayNot(context: CliContext, run: string, why: string): void {
  context.err(`${paint(context, 'yellow', 'not applied')}: ${why}.\n`);
  context.err(
    paint(
      context,
      'dim',
      `See it with: supervisor diff ${run}; take it with: supervisor apply ${run}`,
    ),
  );
  context.err('\n');
}
