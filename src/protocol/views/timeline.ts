/** A run as bars on a time axis: one for each command that takes time. A command that is open has no end yet. */
import type { CommandBegun, CommandEnded } from '../commands.ts';
import type { RunEvent } from '../event.ts';

/** `limit`: a provider's limit ended it. `lost`: its owner died. `plain`: it is neither good nor bad. */
type BarMark = 'open' | 'good' | 'bad' | 'limit' | 'lost' | 'plain';

export type TimelineBar = {
  readonly key: string;
  readonly command: BarCommand;
  /** What it works with: an agent, a gate, the task of a step. */
  readonly label: string;
  readonly begunAt: number;
  readonly endedAt: number | null;
  readonly mark: BarMark;
  /** How it ended, in a few words. Empty: the mark says it all. */
  readonly note: string;
  /** The run that it started. */
  readonly run?: string;
};

const SHOWN = ['setup', 'baseline', 'attempt', 'gate', 'run', 'wait', 'ask'] as const;
type BarCommand = (typeof SHOWN)[number];

export function foldTimeline(
  bars: readonly TimelineBar[],
  event: RunEvent,
): readonly TimelineBar[] {
  if (event.type === 'command.begun') {
    const bar = barOf(event.payload, event.at);
    return bar === undefined ? bars : [...bars, bar];
  }
  if (event.type !== 'command.ended') return bars;
  const { key } = event.payload;
  const at = bars.findLastIndex((bar) => bar.key === key && bar.endedAt === null);
  const bar = bars[at];
  if (bar === undefined) return bars;
  return bars.with(at, { ...bar, endedAt: event.at, ...endOf(event.payload) });
}

function barOf(begun: CommandBegun, at: number): TimelineBar | undefined {
  const command = SHOWN.find((one) => one === begun.command);
  if (command === undefined) return undefined;
  const run = begun.command === 'run' ? { run: begun.input.run } : {};
  const head = { key: begun.key, command, label: labelOf(begun), ...run };
  return { ...head, begunAt: at, endedAt: null, mark: 'open', note: '' };
}

function labelOf(begun: CommandBegun): string {
  if (begun.command === 'attempt') return begun.input.agent.id;
  if (begun.command === 'gate') return begun.input.name;
  if (begun.command === 'wait') return begun.input.why;
  if (begun.command === 'run') return begun.key;
  return begun.command === 'ask' ? 'a person' : begun.command;
}

type BarEnd = Pick<TimelineBar, 'mark' | 'note'>;

function endOf(ended: CommandEnded): BarEnd {
  if (ended.end.kind === 'interrupted') return { mark: 'lost', note: 'its owner ended' };
  if (ended.end.kind === 'defect') return { mark: 'bad', note: ended.end.message };
  if (ended.command === 'attempt') {
    const { result } = ended.end;
    if (result.kind !== 'failed')
      return { mark: result.kind === 'completed' ? 'good' : 'plain', note: result.kind };
    const isLimit = result.failure?.type === 'rate_limit';
    return { mark: isLimit ? 'limit' : 'bad', note: result.reason.replaceAll('_', ' ') };
  }
  if (ended.command === 'gate') {
    const { kind } = ended.end.result;
    return { mark: kind === 'passed' ? 'good' : 'bad', note: kind };
  }
  return { mark: 'plain', note: '' };
}
