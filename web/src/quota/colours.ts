/** The variables of the colours of series, in their order. */
export const COLOURS = [
  'series-1',
  'series-2',
  'series-3',
  'series-4',
  'series-5',
  'series-6',
] as const;
