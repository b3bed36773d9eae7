/** The notifications about a run that did not arrive, in `why` and `report`. */
import { z } from 'zod';
import type { Undelivered } from '../reports/runs/undelivered.ts';
import { field, time, toIso } from './document.ts';

export const undelivered = field(
  z.array(
    z.strictObject({
      at: time,
      about: field(
        z.enum(['ended', 'asks', 'login', 'paused']).nullable(),
        'Null: not known any more.',
      ),
      notifier: field(z.string().nullable(), 'Of your settings. Null: the address of the run.'),
      result: z.string(),
    }),
  ),
  'Notifications about the run that did not arrive. Of equal failures, the last one.',
);

export function undeliveredOf(all: readonly Undelivered[]): z.infer<typeof undelivered> {
  return all.map(({ at, about, to, how }) => ({
    at: toIso(at),
    about,
    notifier: to,
    result: how,
  }));
}
