/** Extra runs that evict the data of a run from every bounded cache. */
import { systemClock } from '../../src/host/machine/system-clock.ts';
import type { NewRunEvent } from '../../src/protocol/event.ts';
import { runStream } from '../../src/protocol/streams.ts';
import type { Journal } from '../../src/store/journal.ts';
import { agentTestSubmission } from '../support/drive-agent.ts';
import { begins, ended, ends, submitted } from '../support/run-history-fixture.ts';

/** More runs than any of our caches holds. */
const OTHERS = 1100;
/** More ended agents than are shown. */
const BODIES = 201;

export async function fillLeavingLittle(journal: Journal): Promise<void> {
  const facts = [
    submitted(),
    begins('check-availability-1', 'check-availability'),
    ends('check-availability-1', { firstIdentity: 'somebody' }),
  ];
  for (let count = 0; count < OTHERS; count += 1)
    await journal.append(runStream(`other${count}`), 0, facts, systemClock.now());
  const life: NewRunEvent = {
    type: 'run.submitted',
    payload: agentTestSubmission({ name: 'other' }),
  };
  for (let count = 0; count < BODIES; count += 1)
    await journal.append(
      runStream(`body${count}`),
      0,
      [life, ended('cancelled', 'late')],
      systemClock.now(),
    );
}
