/** What complete-task is about to do. */
import { plural } from '../../base/text.ts';
import type { WorkDiff } from '../../protocol/api.ts';
import { runStatus } from '../../protocol/views/run-status.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import type { TaskWork } from '../tasks/task-work.ts';

export type CompletionPreview = {
  readonly view: RunView;
  readonly work: TaskWork;
  readonly branch: string;
  readonly message: string;
  readonly diff: Pick<WorkDiff, 'files' | 'approvals'>;
  /** The branch that is checked out. */
  readonly target: string | undefined;
  readonly merge: boolean;
  readonly pullRequest: boolean;
};

const FILES_SHOWN_MAX = 20;
const LINES_SHOWN_MAX = 20;
const TITLE_WIDTH = 8;

export function formatCompletion(
  context: CliContext,
  { view, work, branch, message, diff, target, merge, pullRequest }: CompletionPreview,
): string {
  const [task = ''] = view.task.split('\n', 1);
  const has = work.kind === 'branch' ? `${branch} at ${work.tip.slice(0, 12)}` : `${branch} (new)`;
  const opens = work.kind === 'asks' ? (work.approval.commit?.pullRequest ?? null) : null;
  const rows: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['task', [`${view.id}  ${task}`]],
    ['state', [runStatus(view).replaceAll('_', ' ')]],
    ['branch', [has]],
    ['commit', atMost(message.trim().split('\n'), LINES_SHOWN_MAX, 'more line')],
    ['files', atMost(diff.files.map(describeFile), FILES_SHOWN_MAX, 'more file')],
    ['care', atMost(diff.approvals.map(describeCare), FILES_SHOWN_MAX, 'more file')],
    ...(merge ? [['merge', [`into ${target ?? 'no branch: none is checked out'}`]] as const] : []),
    ...(pullRequest || opens !== null
      ? [['pull', [`request with gh: ${opens ?? message.split('\n', 1)[0] ?? ''}`]] as const]
      : []),
  ];
  return rows
    .flatMap(([title, lines]) =>
      lines.map((line, place) => {
        const head = (place === 0 ? title : '').padEnd(TITLE_WIDTH);
        return `${paint(context, 'dim', head)}${printable(line)}`.trimEnd();
      }),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function describeFile({ path, added, removed }: WorkDiff['files'][number]): string {
  const size = added === null ? 'binary' : `+${added} -${removed ?? 0}`;
  return `${size.padEnd(10)} ${path.replaceAll('\n', ' ')}`;
}

const CARE: Readonly<Record<WorkDiff['approvals'][number]['needs'], string>> = {
  executing: 'runs by itself',
  settings: 'is a setting of Supervisor',
  tests: 'is a test that was there before',
};

function describeCare({ path, needs }: WorkDiff['approvals'][number]): string {
  return `${path.replaceAll('\n', ' ')} ${CARE[needs]}`;
}

function atMost(lines: readonly string[], max: number, word: string): readonly string[] {
  const left = lines.length - max;
  return left <= 0 ? lines : [...lines.slice(0, max), `and ${plural(left, word)}`];
}
