/** The changes that wait for an approval, with what a person needs to decide. */
import { formatDuration } from '../../base/format-duration.ts';
import { plural } from '../../base/text.ts';
import type { WorkDiff } from '../../protocol/api.ts';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import type { ApprovalView } from '../../protocol/views/approval-view.ts';
import type { WorkflowView } from '../../protocol/views/workflow-view.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

export type WaitingApproval = OpenQuestion & { readonly approval: ApprovalView };

export type ShownApproval = WaitingApproval & {
  /** Absent: only the names of the files are known. */
  readonly changes?: WorkDiff['files'];
  /** The other steps of its workflow. */
  readonly steps?: readonly Pick<WorkflowView['steps'][number], 'id' | 'state' | 'visits'>[];
};

const HASH_SHOWN = 12;
const NAMES_SHOWN = 10;
const COUNT_WIDTH = 10;

export function formatApprovals(context: CliContext, waiting: readonly ShownApproval[]): string {
  if (waiting.length === 0) return 'Nothing waits for an approval.\n';
  return waiting.map((one) => formatApproval(context, one)).join('\n');
}

function formatApproval(
  context: CliContext,
  { run, since, task, approval, changes, steps = [] }: ShownApproval,
): string {
  const { step, work, files, names, needs } = approval;
  const age = formatDuration(context.clock.now() - since);
  const [line = ''] = printable(task).split('\n', 1);
  const lines = [
    `${paint(context, 'cyan', run)}  ${paint(context, 'dim', `open for ${age}`)}  ${line.slice(0, 80)}`,
    `    step     ${printable(step)}`,
    ...(needs === undefined
      ? []
      : [`    risk     ${needs.tier}: ${needs.reasons.map(printable).join('; ')}`]),
    ...(work === ''
      ? []
      : [
          `    work     ${work.slice(0, HASH_SHOWN)}, ${plural(files, 'file')}`,
          ...describeFiles(changes ?? names.map((path) => ({ path })), files),
        ]),
    ...describeSteps(steps),
    ...(needs === undefined ? [] : [`    needs    ${describeNeeds(needs)}`]),
    ...describeTime(approval, context.clock.now()),
    paint(
      context,
      'dim',
      `    Look at it: supervisor diff ${run}. Then: supervisor approve ${run}${isNamed(needs) ? ' --as NAME' : ''}, supervisor comment ${run} TEXT, supervisor edit ${run}, or supervisor reject ${run} --reason TEXT`,
    ),
  ];
  return lines.map((text) => `${text}\n`).join('');
}

type Change = Partial<WorkDiff['files'][number]> & { readonly path: string };

/** `+12 -3  src/cart.js`, or only the name if the lines are not known. */
function describeFiles(changes: readonly Change[], files: number): readonly string[] {
  const shown = changes.slice(0, NAMES_SHOWN);
  const lines = shown.map(({ path, added, removed }) => {
    const count = added === undefined ? '' : added === null ? 'binary' : `+${added} -${removed}`;
    return `      ${count === '' ? '' : count.padEnd(COUNT_WIDTH)}${printable(path)}`;
  });
  return files > shown.length ? [...lines, `      and ${files - shown.length} more`] : lines;
}

/** What gates and reviewers said so far. */
function describeSteps(steps: NonNullable<ShownApproval['steps']>): readonly string[] {
  const begun = steps.filter(({ visits }) => visits > 0);
  if (begun.length === 0) return [];
  const words = begun.map(({ id, state, visits }) => {
    const often = visits === 1 ? '' : ` at visit ${visits}`;
    return `${printable(id)} ${state}${often}`;
  });
  return [`    steps    ${words.join(', ')}`];
}

function describeTime({ until, onTimeout, parked }: ApprovalView, now: number): readonly string[] {
  if (parked === true)
    return ['    time     its time is over, and it stays open until a person decides'];
  if (until === undefined) return [];
  const rest = formatDuration(Math.max(0, until - now));
  const then = onTimeout === 'deny' ? 'is rejected' : 'is parked: it stays open';
  return [`    time     ${rest} left; without a decision it ${then}`];
}

function isNamed(needs: ApprovalView['needs']): boolean {
  return needs?.tier === 'high' || needs?.tier === 'critical';
}

function describeNeeds(needs: NonNullable<ApprovalView['needs']>): string {
  const { peopleMin, approvers, approvedBy } = needs;
  const people = peopleMin === 1 ? 'one person' : `${peopleMin} different people`;
  const from = approvers.length === 0 ? '' : ` of ${approvers.join(', ')}`;
  const so = approvedBy.length === 0 ? '' : `; approved by ${approvedBy.join(', ')}`;
  return `${isNamed(needs) ? people.replace('person', 'approver').replace('people', 'approvers') : people}${from}${so}`;
}
