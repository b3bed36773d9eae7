const UNITS = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** `1.2M`: a count in a few characters. */
export function shortCount(count: number): string {
  const unit = UNITS.find(([size]) => count >= size);
  if (unit === undefined) return String(count);
  const [size, letter] = unit;
  const value = count / size;
  return `${value.toFixed(value < 10 ? 1 : 0)}${letter}`;
}
