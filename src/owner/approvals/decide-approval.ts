/** Takes the decisions of people about approvals. Only what is checked here reaches the record of a run. */
import { objectionTo } from '../../approvals/approval-rules.ts';
import { checkSecret } from '../../approvers/approver-store.ts';
import type { Instant } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { shellWord } from '../../base/shell-words.ts';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import type { ApprovalDecision, ApprovalNeeds, EditedWork } from '../../protocol/approval.ts';
import type { Approver } from '../../protocol/approver.ts';
import type { Signal } from '../../protocol/signal.ts';
import type { ApprovalView, PersonDecision } from '../../protocol/views/approval-view.ts';

export type DecidePorts = {
  /** The home folder of Supervisor. */
  readonly home: string;
  readonly now: () => Instant;
  readonly questions: (run: RunId) => Promise<readonly OpenQuestion[]>;
  /** Takes what the person has changed. `work`: the content that they began with. */
  readonly takeEdit: (run: RunId, work: string) => Promise<EditedWork>;
  readonly signal: (run: RunId, signal: Signal) => Promise<void>;
};

/** The first decision about a question stands: the engine refuses the answer to a question that is no longer open. */
export async function decideApproval(
  run: RunId,
  request: PersonDecision,
  { home, now, questions, takeEdit, signal }: DecidePorts,
): Promise<void> {
  const { decision, text = '' } = request;
  const check = (name: string, secret: string): Promise<Approver> =>
    checkSecret(home, name, secret, now());
  if (decision === 'edit') {
    const { key, work } = requireEditable(run, await questions(run));
    const made = await decisionOf(request, work, check);
    refuseObjection(run, undefined, work, made);
    const edited = await takeEdit(run, work);
    return signal(run, {
      ...{ kind: 'answer', key, answer: decision },
      decision: { ...made, edited },
    });
  }
  const open = requireApproval(run, await questions(run));
  const needsReason = decision === 'reject' || decision === 'send-back';
  if (needsReason && text.trim() === '') throw needsText(run, decision);
  const made = await decisionOf(request, open.approval.work, check);
  // Only an approval depends on who gives it.
  refuseObjection(
    run,
    decision === 'approve' ? open.approval.needs : undefined,
    open.approval.work,
    made,
  );
  const answer = decision === 'approve' ? decision : `${decision}: ${text.trim()}`;
  await signal(run, { kind: 'answer', key: open.key, answer, decision: made });
}

type OpenApproval = OpenQuestion & { readonly approval: ApprovalView };

/** The first question whose work a person may change, and the content of that work. */
export function requireEditable(
  run: RunId,
  questions: readonly OpenQuestion[],
): OpenQuestion & { readonly work: string } {
  for (const one of questions) {
    const work = one.approval?.work ?? one.editable;
    if (work !== undefined) return { ...one, work };
  }
  throw nothingToEdit(run);
}

function requireApproval(run: RunId, questions: readonly OpenQuestion[]): OpenApproval {
  const open = questions.find((one): one is OpenApproval => one.approval !== undefined);
  if (open === undefined) throw nothingToApprove(run);
  return open;
}

async function decisionOf(
  { as, secret = '', work, channel = 'api' }: PersonDecision,
  current: string,
  check: (name: string, secret: string) => Promise<Approver>,
): Promise<ApprovalDecision> {
  const approver = as === undefined ? undefined : await check(as, secret);
  // A person may give the first characters of the hash.
  const isCurrent = work === undefined || current.startsWith(work);
  return {
    work: isCurrent ? current : work,
    by: approver?.name ?? null,
    groups: [...(approver?.groups ?? [])],
    channel,
  };
}

const HINTS = {
  'work-moved': (run: string) => `Look at the new work with: supervisor diff ${run}`,
  'needs-approver': (run: string) =>
    `Approve as one of the approvers: supervisor approve ${run} --as NAME. Add one with: supervisor approver add NAME`,
  'wrong-approver': (run: string) => `Let one of them run: supervisor approve ${run} --as NAME`,
  'approved-before': (run: string) => `Let another person run: supervisor approve ${run} --as NAME`,
} as const;

/** `needs`: of an approval. */
function refuseObjection(
  run: RunId,
  needs: ApprovalNeeds | undefined,
  work: string,
  made: ApprovalDecision,
): void {
  const objection = objectionTo(needs, work, made);
  if (objection !== undefined) throw refused(run, objection.kind, objection.message);
}

function refused(run: RunId, kind: keyof typeof HINTS, message: string): Refusal {
  const code = kind === 'work-moved' ? 'approval.work-moved' : 'approval.not-allowed';
  return new Refusal({ code, message, hint: HINTS[kind](run) });
}

function nothingToEdit(run: RunId): Refusal {
  return new Refusal({
    code: 'run.asks-nothing',
    message: `Run ${run} asks nothing about work that you could change.`,
    hint: 'See what runs ask with: supervisor inbox',
  });
}

function nothingToApprove(run: RunId): Refusal {
  return new Refusal({
    code: 'run.asks-nothing',
    message: `Run ${run} does not wait for an approval.`,
    hint: 'See what does with: supervisor approvals',
  });
}

function needsText(run: RunId, decision: string): Refusal {
  const [command, example] =
    decision === 'reject'
      ? [`reject ${run} --reason`, 'the interface breaks old clients']
      : [`comment ${run}`, 'rename total to sum'];
  return new Refusal({
    code: 'usage.invalid',
    message: 'Say why, so that the work can be corrected.',
    hint: `For example: supervisor ${command} ${shellWord(example)}`,
  });
}
