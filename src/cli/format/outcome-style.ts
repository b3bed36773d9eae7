import type { RunOutcome } from '../../protocol/outcome.ts';

/** The color of an outcome. Work that nothing has checked is not good yet. */
export function outcomeStyle(kind: RunOutcome['kind']): 'green' | 'yellow' | 'red' {
  if (kind === 'succeeded') return 'green';
  return kind === 'unverified' ? 'yellow' : 'red';
}
