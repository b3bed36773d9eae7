/** What a command does after the run that it watched: with --apply, verified work is applied to the project. */
import { Refusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { Applied } from '../../protocol/api.ts';
import { hashText } from '../../base/hash-text.ts';
import { REQUEST_KEY_MAX } from '../../protocol/run-submission.ts';
import type { AcceptedGate } from '../../protocol/words/accepted-gate.ts';
import { describeAccepted } from '../../protocol/words/accepted-gate.ts';
import type { ErrorCode } from '../../protocol/error-codes.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { ErrorFields } from '../../public-json/error-document.ts';
import { errorFields, simpleError } from '../../public-json/error-document.ts';
import { EXIT, exitCodeOf, exitCodeFor } from '../exit-codes.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { requireCommittable } from '../apply/commit-applied.ts';
import { commitNow, describeCommit } from '../apply/commit-now.ts';
import { notProtected } from '../../protocol/words/gate-caveats.ts';
import { gateResult } from '../format/gate-lines.ts';
import { approvalFlags, approvalLines } from '../format/approvals-header.ts';
import { formatApplied, undoHint } from '../format/applied.ts';

export type AfterRun = {
  /** Work that no gate verified does not count as success. */
  readonly requireGate: boolean;
  readonly apply: boolean;
  /** After an apply, commit the applied files. */
  readonly commit?: boolean;
  /** The task is about tests, so changed tests are applied too. */
  readonly includeTests?: boolean;
  readonly json: boolean;
  readonly idempotencyKey?: string;
  /** Whether the run left work to review. */
  readonly hasWork?: boolean;
  /** Gates that are red on it and that a person accepted. */
  readonly accepted?: readonly AcceptedGate[];
};

const PAGE = 1000;

/** The exit code of the command, and why the work was not applied. Null: it was, or it was not to be. */
type AfterRunResult = { readonly code: number; readonly applyError: ErrorFields | null };

export async function afterRun(
  context: CliContext,
  client: Client,
  run: string,
  outcome: RunOutcome,
  after: AfterRun,
): Promise<AfterRunResult> {
  const { requireGate, apply, json, hasWork = true, accepted = [], commit = false } = after;
  if (apply && outcome.kind === 'succeeded') return applyVerified(context, client, run, after);
  if (outcome.kind !== 'unverified' || !(apply || requireGate))
    return {
      code: exitCodeOf(outcome),
      applyError: apply ? notVerified(run, outcome, hasWork, commit) : null,
    };
  if (!apply) return { code: EXIT.unproven, applyError: null };
  const why =
    accepted.length === 0
      ? 'no gate has verified the work. Declare one with --gate, or review the work yourself'
      : `the work is not verified: ${describeAccepted(accepted)}`;
  const reason = { code: 'apply.unverified', why, json, hasWork, commit } as const;
  return reportNotApplied(context, client, run, reason);
}

/** The run itself says why. */
function notVerified(
  run: string,
  { reason }: RunOutcome,
  hasWork: boolean,
  commit: boolean,
): ErrorFields {
  const why = `The run did not succeed: ${reason}`;
  const flags = ` --even-if-failed${commit ? COMMIT : ''}`;
  return refusedApply(run, 'apply.run-failed', why, hasWork, flags);
}

async function applyVerified(
  context: CliContext,
  client: Client,
  run: string,
  { json, includeTests = false, commit = false, idempotencyKey: key }: AfterRun,
): Promise<AfterRunResult> {
  const { changed, open } = await lastGateCaveats(client, run);
  if (open.length + changed.length > 0) {
    const whys = [
      ...(open.length === 0
        ? []
        : [
            `${open.join('. ')}. To accept this, pass --accept-unprotected or set accept_unprotected: true for the gate`,
          ]),
      ...(changed.length === 0
        ? []
        : [`the work also changes files that its gates depend on: ${changed.join(', ')}`]),
    ];
    const code = open.length > 0 ? 'apply.gate-unprotected' : 'apply.gate-files-changed';
    const reason = { code, why: whys.join('. And '), json, commit } as const;
    return reportNotApplied(context, client, run, reason);
  }
  try {
    const root = commit ? await committableRoot(context, client, run) : undefined;
    const request = includeTests ? { includeTests } : {};
    const applied = await client.apply(run, request, key === undefined ? undefined : applyKey(key));
    if (!json) context.out(describeResult(context, run, applied, root !== undefined));
    if (root !== undefined && applied.files > 0) {
      const made = await commitNow(context, client, run, root);
      if (!json) context.out(describeCommit(context, run, made));
    }
    return { code: EXIT.ok, applyError: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { data } = error;
    if (data.code === 'workspace.not-found') {
      if (!json) context.err('Nothing to apply: the agent worked directly in the project.\n');
      return { code: EXIT.ok, applyError: null };
    }
    if (json) return { code: exitCodeFor(data.code), applyError: errorFields(data) };
    if (data.code !== 'workspace.needs-approval') throw error; // for example a conflict: the caller reports it
    await reportNeedsApproval(context, client, run, { includeTests, commit });
    return { code: EXIT.unproven, applyError: errorFields(data) };
  }
}

/** Refuses before a file changes, if git could not commit the work. */
async function committableRoot(context: CliContext, client: Client, run: string): Promise<string> {
  const [{ project }, { files }] = [await client.run(run), await client.diff(run)];
  return requireCommittable(
    context,
    project,
    files.map(({ path }) => path),
  );
}

function describeResult(
  context: CliContext,
  run: string,
  applied: Applied,
  isCommitted: boolean,
): string {
  if (applied.files === 0) return `Nothing to apply: run ${run} changed no file.\n`;
  return formatApplied(context, applied) + (isCommitted ? '' : undoHint(context, applied));
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
  { includeTests, commit }: { readonly includeTests: boolean; readonly commit: boolean },
): Promise<void> {
  const { approvals } = await client.diff(run);
  const flags = `${approvalFlags(approvals)}${commit ? COMMIT : ''}`;
  context.err(
    `${paint(context, 'yellow', 'not applied')}: some of the changes need your approval.\n`,
  );
  const pending = approvals.filter(({ needs }) => !(includeTests && needs === 'tests'));
  context.err(printable(approvalLines(pending)));
  context.err(
    paint(
      context,
      'dim',
      `Review with: supervisor diff ${run}. Apply with: supervisor apply ${run}${flags}`,
    ),
  );
  context.err('\n');
}

type NotAppliedReason = {
  readonly code: ErrorCode;
  readonly why: string;
  readonly json: boolean;
  readonly hasWork?: boolean;
  readonly commit: boolean;
};

const COMMIT = ' --commit';

/** The command that it names works as it is: it has every flag that the work needs. */
async function reportNotApplied(
  context: CliContext,
  client: Client,
  run: string,
  { code, why, json, hasWork = true, commit }: NotAppliedReason,
): Promise<AfterRunResult> {
  const needed = hasWork ? approvalFlags((await client.diff(run)).approvals) : '';
  const flags = `${needed}${commit ? COMMIT : ''}`;
  const applyError = refusedApply(run, code, why, hasWork, flags);
  const result = { code: EXIT.unproven, applyError };
  if (json) return result;
  context.err(`${paint(context, 'yellow', 'not applied')}: ${why}.\n`);
  if (applyError.remedy !== null) context.err(`${paint(context, 'dim', applyError.remedy)}\n`);
  return result;
}

/** Without work there is nothing to review or to apply. */
function refusedApply(
  run: string,
  code: ErrorCode,
  why: string,
  hasWork: boolean,
  flag = '',
): ErrorFields {
  const review = `Review with: supervisor diff ${run}. Apply with: supervisor apply ${run}${flag}`;
  return simpleError(code, why, hasWork ? review : null);
}

/** Then the next lines say what was applied, or why not. */
export function isAppliedNext({ kind }: RunOutcome, { apply }: AfterRun): boolean {
  return apply && (kind === 'succeeded' || kind === 'unverified');
}
