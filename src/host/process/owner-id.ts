/**
 * The identity of one start of an owner. Two owners of one home never share it, so neither kills what the other
 * started.
 */
import { newRunId } from '../../base/ids.ts';
import { systemRandom } from '../machine/system-random.ts';

/** Always real randomness: two owners with the same seed would otherwise share an id. */
export function newOwnerId(): string {
  return newRunId(systemRandom);
}
