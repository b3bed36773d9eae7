/** Finds when a limit ends, in the messages of providers and CLIs. */

const UNITS_MS: readonly (readonly [RegExp, number])[] = [
  [/^d(?:ays?)?$/, 86_400_000],
  [/^h(?:ours?|rs?)?$/, 3_600_000],
  [/^m(?:in(?:ute)?s?)?$/, 60_000],
  [/^s(?:ec(?:ond)?s?)?$/, 1000],
  [/^ms|milliseconds?$/, 1],
];

const AMOUNT = String.raw`\d{1,9}(?:\.\d{1,6})? ?(?:days?|d|hours?|hrs?|h|minutes?|mins?|milliseconds?|ms|m|seconds?|secs?|s)`;
const AFTER = new RegExp(
  String.raw`(?:(?:try again|retry|retrying|resets?|available|wait)(?:ing)?(?: again)?(?: in| after)?|retry-after:?|"retryDelay":"|reset after) ?(?:about )?((?:${AMOUNT}[ ,]{0,2}(?:and )?){1,4})(?![A-Za-z])`,
  'i',
);
const EPOCH = /\blimit reached\|(\d{10})\b/;
const CLOCK =
  /(?:resets?|try again)(?: at)? (?:(?<month>[A-Z][a-z]{2})[a-z]* (?<day>\d{1,2})(?:st|nd|rd|th)?,?(?: (?<year>\d{4}),?)?(?: at)? )?(?<hour>\d{1,2})(?::(?<minute>\d\d))? ?(?<half>am|pm)(?: \((?<zone>[A-Za-z+-][\w+:/-]{0,50})\)| (?<bare>UTC|GMT|Z)\b(?![+-]))?/i;
/** As people write it; the machine's own list of zones has no such names. */
const OFFSET = /^(?:UTC|GMT)?(?<sign>[+-])(?<hours>\d{1,2})(?::?(?<minutes>\d\d))?$/i;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAY_MS = 86_400_000;

/**
 * `at` is the time of the message, `zone` the zone of a time of day without one. Null: the message
 * has no time.
 */
export function findResetTime(message: string, at: number, zone: string): number | null {
  const [, epoch] = EPOCH.exec(message) ?? [];
  if (epoch !== undefined) return Number(epoch) * 1000;
  const [, amounts] = AFTER.exec(message) ?? [];
  if (amounts !== undefined) return at + milliseconds(amounts);
  const clock = CLOCK.exec(message)?.groups;
  return clock === undefined ? null : nextTime(clock, at, zone);
}

function milliseconds(amounts: string): number {
  let sum = 0;
  for (const [, amount, unit = ''] of amounts.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+)/gi)) {
    const [, size = 0] = UNITS_MS.find(([name]) => name.test(unit.toLowerCase())) ?? [];
    sum += Number(amount) * size;
  }
  return Math.ceil(sum);
}

/** The first such time of day, on that day if one is named, after `at`. */
function nextTime(
  clock: Readonly<Record<string, string | undefined>>,
  at: number,
  zone: string,
): number | null {
  const hour = (Number(clock['hour']) % 12) + (clock['half']?.toLowerCase() === 'pm' ? 12 : 0);
  const minute = Number(clock['minute'] ?? 0);
  const there = zoneNamed(clock['zone'] ?? (clock['bare'] === undefined ? zone : 'UTC'));
  const today = dateIn(there, at);
  if (today === undefined) return null;
  const month = MONTHS.indexOf(clock['month']?.toLowerCase() ?? '');
  if (month !== -1) {
    const year = Number(clock['year'] ?? today.year);
    const instant = instantOf(there, Date.UTC(year, month, Number(clock['day']), hour, minute));
    if (clock['year'] !== undefined || instant > at) return instant;
    return instantOf(there, Date.UTC(year + 1, month, Number(clock['day']), hour, minute));
  }
  const wall = Date.UTC(today.year, today.month - 1, today.day, hour, minute);
  const instant = instantOf(there, wall);
  return instant > at ? instant : instantOf(there, wall + DAY_MS);
}

function zoneNamed(name: string): string {
  const { sign, hours = '', minutes = '00' } = OFFSET.exec(name)?.groups ?? {};
  return sign === undefined ? name : `${sign}${hours.padStart(2, '0')}:${minutes}`;
}

type Parts = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly wall: number;
};

/** The local time of a zone. Undefined: there is no such zone. */
function dateIn(zone: string, at: number): Parts | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  } catch {
    return undefined; // the name comes from a message, and may not be a zone
  }
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const [year, month, day] = [part('year'), part('month'), part('day')];
  return { year, month, day, wall: Date.UTC(year, month - 1, day, part('hour'), part('minute')) };
}

/** The instant at which clocks in that zone show `wall` (written as if it were UTC). */
function instantOf(zone: string, wall: number): number {
  const offset = (dateIn(zone, wall)?.wall ?? wall) - wall;
  const guess = wall - offset;
  // Once more, for days on which the clocks change.
  return guess - ((dateIn(zone, guess)?.wall ?? wall) - wall);
}
