/** The series of a stacked chart: each one on top of those before it. */
export function stack(series: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const top: number[] = [];
  return series.map((values) =>
    values.map((value, index) => {
      top[index] = (top[index] ?? 0) + value;
      return top[index];
    }),
  );
}
