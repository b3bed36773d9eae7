/** Times for people, in one form: relative within a day, otherwise the local date and time. */
import { formatDuration } from './format-duration.ts';

const SOON_MS = 5000;
const DAY_MS = 24 * 3_600_000;

/** `5m12s ago`, `in 3h05m`, or `2026-03-01 14:05` in the zone of this machine. */
export function formatTime(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < SOON_MS) return 'just now';
  if (distance >= DAY_MS) return formatDate(at);
  return at < now ? `${formatDuration(distance)} ago` : `in ${formatDuration(distance)}`;
}

/** For texts that are stored and read later: never relative. */
export function formatDate(at: number): string {
  return local(at).slice(0, 16);
}

/** The time of a line in a list of events: today only the clock, otherwise with the date. */
export function formatClockTime(at: number, now: number): string {
  const [one, today] = [local(at), local(now)];
  return one.slice(0, 10) === today.slice(0, 10) ? one.slice(11) : one;
}

/** `2026-03-01 14:05:09`: the Swedish form is the ISO form, in local time. */
function local(at: number): string {
  return new Date(at).toLocaleString('sv-SE');
}
