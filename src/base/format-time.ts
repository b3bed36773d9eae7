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

/** A moment that a sentence names with `until` or `at`: today only the clock, otherwise with the date. */
export function formatMoment(at: number, now: number): string {
  return local(at).slice(0, 10) === local(now).slice(0, 10)
    ? local(at).slice(11, 16)
    : formatDate(at);
}

/**
 * From when to when something lasted: `02:14–02:31`, with the date in front unless it began today. The end has a date
 * only if that is a day or more later. `zone` is an IANA name; the default is the zone of this machine.
 */
export function formatSpan(from: number, to: number | null, now: number, zone?: string): string {
  const begin = local(from, zone);
  const isToday = begin.slice(0, 10) === local(now, zone).slice(0, 10);
  const start = begin.slice(isToday ? 11 : 0, 16);
  if (to === null) return `${start}–`;
  return `${start}–${local(to, zone).slice(to - from < DAY_MS ? 11 : 0, 16)}`;
}

/** For texts that are read later: it does not depend on the day. */
export function formatDate(at: number): string {
  return local(at).slice(0, 16);
}

const UTC_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z/g;

/** Recorded texts name times in UTC, because they are read anywhere. A screen shows them in local time. */
export function withLocalTimes(text: string, now: number): string {
  return text.replaceAll(UTC_TIME, (time) => formatMoment(Date.parse(time), now));
}

/** The time of a line in a list of events: today only the clock, otherwise with the date. */
export function formatClockTime(at: number, now: number): string {
  const [one, today] = [local(at), local(now)];
  return one.slice(0, 10) === today.slice(0, 10) ? one.slice(11) : one;
}

/** `2026-03-01 14:05:09`: the Swedish form is the ISO form, in local time. */
function local(at: number, timeZone?: string): string {
  return new Date(at).toLocaleString('sv-SE', timeZone === undefined ? {} : { timeZone });
}
