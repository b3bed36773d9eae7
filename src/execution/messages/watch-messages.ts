/** Makes an attempt reachable for messages, and records the receipt of the message in its prompt. */
import { messageMark } from '../../messages/message-text.ts';
import type { PreparedAttempt } from '../prepare-attempt.ts';

/**
 * Disposal ends deliveries that are under way. Dispose of it after the last model call has ended, because that call may
 * bring the receipt.
 */
export function watchMessages(attempt: PreparedAttempt): AsyncDisposable {
  const { request, environment, ports } = attempt;
  const { messages } = environment;
  const over = new AbortController();
  const watches = new AsyncDisposableStack();
  const noted = noteReceipt(attempt, over.signal);
  watches.defer(() => noted);
  watches.defer(() => over.abort());
  if (messages !== null && ports.liveAttempts !== undefined)
    watches.use(ports.liveAttempts.open(request.run, request.key, messages));
  return watches;
}

async function noteReceipt(
  { request, input, environment, context }: PreparedAttempt,
  signal: AbortSignal,
): Promise<void> {
  const { receipts } = environment;
  if (input.message === undefined || receipts === null) return;
  const { id } = input.message;
  const told = { id, mark: messageMark(request.run, id), text: null };
  const receipt = await receipts.expect(told, signal);
  if (receipt !== null) await context.note({ kind: 'message-seen', message: id, ...receipt });
}
