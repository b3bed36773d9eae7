/** One figure of the bench, and its bar. */
export type Figure = {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly yardstick: string;
  /** The bar: a lower or an upper bound; neither if the figure is only shown. */
  readonly atLeast?: number;
  readonly atMost?: number;
};

export function isMet({ value, atLeast = -Infinity, atMost = Infinity }: Figure): boolean {
  return value >= atLeast && value <= atMost;
}

export function line(figure: Figure): string {
  const { name, value, unit, yardstick, atLeast, atMost } = figure;
  const bar = atLeast !== undefined ? `≥ ${atLeast}` : atMost !== undefined ? `≤ ${atMost}` : '';
  const mark = bar === '' ? ' ' : isMet(figure) ? '✓' : '✗';
  return `${mark} ${name.padEnd(30)} ${value.toFixed(2).padStart(8)} ${unit.padEnd(3)} ${bar.padEnd(7)} ${yardstick}`;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
