/** Makes rate limits hold across a restart: reads the starts of the last window back from the journal. */
import type { Clock, Instant } from '../../base/clock.ts';
import { at } from '../../base/clock.ts';
import type { Journal } from '../../store/journal.ts';
import type { LimitPool } from '../limits.ts';

const PAGE = 1000;
/** If the clock was set back, no start looks old. This bound ends the reading all the same. */
const READ_BACK_PAGES_MAX = 200;

export async function restoreRateLimits(
  limits: LimitPool,
  { journal, clock }: { readonly journal: Journal; readonly clock: Clock },
): Promise<void> {
  const since: Instant = at(clock.now() - limits.windowMs);
  let before = Number.MAX_SAFE_INTEGER;
  for (let pages = 0; pages < READ_BACK_PAGES_MAX; pages += 1) {
    if (limits.windowMs === 0) return;
    const page = await journal.readBack(before, PAGE);
    for (const event of page) {
      if (event.type === 'command.begun' && event.at >= since)
        limits.countStart(event.payload.limits, at(event.at), clock.now());
    }
    const oldest = page.at(-1);
    if (oldest === undefined || page.length < PAGE || oldest.at < since) return;
    before = oldest.id;
  }
}
