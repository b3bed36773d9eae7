/** What `supervisor` alone prints: what it is, the commands of the first hour, and what there is to do now. */
import { isRefusal } from '../../base/errors.ts';
import { plural } from '../../base/text.ts';
import { findOwner } from '../../client/connect.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { runStatus } from '../../protocol/views/run-status.ts';
import type { CliContext } from '../cli-context.ts';
import { paint } from '../cli-context.ts';
import { stateHome } from '../connect-owner.ts';
import { describeUnfinished, findUnfinished } from './needs-attention.ts';
import { describeUnapplied, findUnapplied } from '../apply/unapplied-work.ts';

/** A person waits at the prompt. */
const ANSWER_MS_MAX = 2000;
/** More active runs than any machine has. */
const ACTIVE_MAX = 10_000;

const FIRST_HOUR: readonly (readonly [command: string, what: string])[] = [
  ['supervisor init', 'find agents and tests, and try them'],
  ['supervisor run "fix the failing test"', 'let an agent work in a copy'],
  ['supervisor status', 'see what runs, and what needs you'],
  ['supervisor diff', 'review the work'],
  ['supervisor apply', 'apply it to your files'],
];

const WHAT_IT_IS = [
  'Supervisor runs AI coding agents unattended: in a sandbox, checked by your',
  'tests, with automatic fallback and resume.',
];

/** The width that the lines are made for. A narrower terminal breaks them elsewhere. */
const COLUMNS = 80;

/** Starts no owner. */
export async function showOverview(context: CliContext): Promise<void> {
  const width = Math.max(...FIRST_HOUR.map(([command]) => command.length));
  const { isTty, width: columns } = context.terminal;
  const isNarrow = isTty && columns < COLUMNS;
  const lines = [
    ...(isNarrow ? [WHAT_IT_IS.join(' ')] : WHAT_IT_IS),
    '',
    paint(context, 'bold', 'In your repository:'),
    ...FIRST_HOUR.map(([command, what]) =>
      isNarrow ? `  ${command}\n      ${what}` : `  ${command.padEnd(width)}  ${what}`,
    ),
    '',
    ...(await describeNow(context)),
    '',
    'What this machine lacks: supervisor doctor',
    'All commands: supervisor help',
  ];
  context.out(`${lines.join('\n')}\n`);
}

/** An owner that does not answer is no reason to fail here: the next command says what is wrong. */
async function describeNow(context: CliContext): Promise<readonly string[]> {
  try {
    const found = await findOwner(stateHome(context), ANSWER_MS_MAX);
    if (found === undefined) return [describeActive([])];
    const active = await found.client.runs({ ended: false, limit: ACTIVE_MAX });
    const now = context.clock.now();
    const ended = [
      describeUnfinished(context, await findUnfinished(found.client, now)),
      describeUnapplied(context, await findUnapplied(found.client, now)),
    ];
    const texts = ended.map((text) => text.trimEnd()).filter((text) => text !== '');
    return [describeActive(active), ...texts];
  } catch (error) {
    if (isRefusal(error)) return [describeActive([])];
    throw error;
  }
}

export function describeActive(runs: readonly RunView[]): string {
  if (runs.length === 0) return 'No run is active.';
  const asking = runs.filter((view) => runStatus(view) === 'awaiting_input').length;
  const active = `${plural(runs.length, 'run')} ${runs.length === 1 ? 'is' : 'are'} active`;
  if (asking === 0) return `${active}: supervisor status`;
  return `${active}, and ${asking} ${asking === 1 ? 'needs' : 'need'} your answer: supervisor inbox`;
}
