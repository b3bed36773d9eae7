/** A duration as a setting or an option is written: one whole number with the largest unit that fits exactly. */
const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1000, 's'],
] as const;

export function writeDuration(ms: number): string {
  const [size, unit] = UNITS.find(([one]) => ms >= one && ms % one === 0) ?? [1, 'ms'];
  return `${Math.round(ms / size)}${unit}`;
}
