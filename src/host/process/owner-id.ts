/** The identity of one start of an owner. Two owners of one home never share it, so neither ends what the other started. */
import { newRunId } from '../../base/ids.ts';
import { systemRandom } from '../machine/system-random.ts';

/** Always real chance: two owners with the same seed would otherwise be one. */
export function newOwnerId(): string {
  return newRunId(systemRandom);
}
