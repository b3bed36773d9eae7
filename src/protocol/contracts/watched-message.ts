/** A message of a watcher to an agent elsewhere, as a file in a shared folder. */
import { z } from 'zod';
import { DETECTORS } from './steering-contract.ts';

export const WatchedMessage = z.object({
  _schema: z.literal('supervisor:steering'),
  _version: z.string().max(20).catch('1.0'),
  seq: z.number().int().min(1).max(1e9),
  role_id: z.string().max(64),
  detector: z.enum(DETECTORS),
  /** At most three sentences. */
  text: z.string().min(1).max(2000),
  written_at: z.iso.datetime(),
  /** The report that it is about. */
  about: z.object({ timestamp: z.string().max(50), turn: z.number().int().min(0) }),
});
export type WatchedMessage = z.infer<typeof WatchedMessage>;

/** Undefined if the text is no such message. */
export function readWatchedMessage(text: string): WatchedMessage | undefined {
  try {
    return WatchedMessage.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // no JSON
  }
}
