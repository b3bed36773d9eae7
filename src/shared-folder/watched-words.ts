import { formatDuration } from '../base/format-duration.ts';
import type { WatchedMessage } from '../protocol/contracts/watched-message.ts';

/** The message as the agent reads it: with its number, what wrote it, and its age. */
export function describeWatchedMessage(message: WatchedMessage, now: number): string {
  const { seq, role_id: role, text, written_at: at } = message;
  const age = formatDuration(Math.max(0, now - Date.parse(at)));
  return `${text} (message ${seq} to ${role}, from the watch over its reports, ${age} ago)`;
}
