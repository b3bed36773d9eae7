/** Times, sums and names as the page shows them. */
import { formatDuration } from '../../../src/base/format-duration.ts';
import { ownSpending } from '../../../src/protocol/views/own-spending.ts';
import type { RunView } from '../../../src/protocol/views/run-view.ts';

const HOURS = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

export function clock(at: number): string {
  return new Date(at).toLocaleTimeString([], { ...HOURS, second: '2-digit' });
}

/** The date too, unless it is today. */
export function moment(at: number, now: number): string {
  const time = new Date(at).toLocaleTimeString([], HOURS);
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return isToday
    ? time
    : `${new Date(at).toLocaleDateString([], { month: 'short', day: 'numeric' })} ${time}`;
}

export function ago(at: number, now: number): string {
  return formatDuration(Math.max(0, now - at));
}

export function cost({ budget }: Pick<RunView, 'budget'>): string {
  const { usd, tokens } = ownSpending(budget);
  const money = usd === 0 ? '' : `$${usd < 0.1 ? usd.toFixed(3) : usd.toFixed(2)}`;
  return [money, tokens === 0 ? '' : `${shortNumber(tokens)} tok`].filter(Boolean).join(' ');
}

export function shortNumber(value: number): string {
  if (value < 1000) return String(value);
  return value < 1_000_000 ? `${Math.round(value / 1000)}k` : `${(value / 1_000_000).toFixed(1)}M`;
}

/** The folder of a project. */
export function projectName(project: string): string {
  return project.split('/').findLast((part) => part !== '') ?? project;
}

export function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}

const UNSAFE =
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/g;

/** Characters that control a terminal or hide text, made visible. Line ends and tabs stay. */
export function visible(text: string): string {
  return text.replaceAll(UNSAFE, (one) => {
    const code = (one.codePointAt(0) ?? 0).toString(16);
    return one === '\r' ? '' : `\\x${code.padStart(2, '0')}`;
  });
}

/** Such as `1 file` or `3 files`. */
export function countOf(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
