/** One execution of a command as it starts. */
import type { CommandRequest } from '../../../src/engine/performer.ts';
import type { FactReader } from './fact-reader.ts';
import type { Process } from './record.ts';
import type { WorldClock } from './world-clock.ts';

type Birth = Pick<Process, 'pid' | 'owner' | 'command' | 'bornOrder' | 'endless'> & {
  /** The journal's record of it at this moment. */
  readonly record: ReturnType<FactReader['onRecord']>;
};

const DEFAULT_GRACE_MS = 5000;

export function spawnProcess(
  clock: WorldClock,
  { run, key, input }: CommandRequest,
  { record, ...start }: Birth,
): Process {
  const startedMs = clock.elapsedMs;
  return {
    ...start,
    run,
    key,
    wasOnRecord: record !== undefined,
    limits: record?.limits ?? [],
    startedMs,
    begunMs: startedMs - (clock.now() - (record?.at ?? clock.now())),
    era: clock.era,
    diedOrder: null,
    diedMs: null,
    graceMs: 'graceMs' in input ? input.graceMs : DEFAULT_GRACE_MS,
  };
}
