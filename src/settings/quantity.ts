/** Durations and sizes in configuration files: a whole number with a unit. */

export const DURATION_UNITS_MS = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
} as const;
export const SIZE_UNITS_BYTES = {
  B: 1,
  kB: 1000,
  KB: 1000,
  MB: 1_000_000,
  GB: 1_000_000_000,
} as const;

/** `500ms`, `10s`, `5m`, `12h`, `1d`, or whole seconds. */
export function parseDurationMs(written: string | number): number | undefined {
  return parseQuantity(written, DURATION_UNITS_MS, DURATION_UNITS_MS.s);
}

/** `512kB`, `10MB`, `1GB`, or bytes. A kB is 1000 bytes. */
export function parseSizeBytes(written: string | number): number | undefined {
  return parseQuantity(written, SIZE_UNITS_BYTES, SIZE_UNITS_BYTES.B);
}

export type Units = Readonly<Record<string, number>>;

/** At most nine digits, so that the largest quantity is exact in the smallest unit. */
export function quantityPattern(units: Units): string {
  return `^[0-9]{1,9}(${Object.keys(units).join('|')})$`;
}

export function parseQuantity(
  written: string | number,
  units: Units,
  plainUnit: number,
): number | undefined {
  if (typeof written === 'number') {
    return Number.isSafeInteger(written) && written >= 0 ? written * plainUnit : undefined;
  }
  const [, unit] = new RegExp(quantityPattern(units)).exec(written) ?? [];
  return unit === undefined
    ? undefined
    : Number.parseInt(written, 10) * (units[unit] ?? Number.NaN);
}
