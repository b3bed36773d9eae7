/** Makes a running attempt reachable for messages, and waits for the receipt of the message in its prompt. */
import { messageMark } from '../../messages/message-text.ts';
import type { PreparedAttempt } from '../prepare-attempt.ts';

/** Dispose of it when the agent has ended: deliveries that are under way end with it. */
export function watchMessages(attempt: PreparedAttempt): Disposable {
  const { request, input, environment, context, ports } = attempt;
  const { messages, receipts } = environment;
  const over = new AbortController();
  const watches = new DisposableStack();
  watches.defer(() => over.abort());
  if (messages !== null && ports.liveAttempts !== undefined)
    watches.use(ports.liveAttempts.open(request.run, request.key, messages));
  if (input.message !== undefined && receipts !== null) {
    const { id } = input.message;
    const told = { id, mark: messageMark(request.run, id), text: null };
    const noteReceipt = async (): Promise<void> => {
      const receipt = await receipts.expect(told, over.signal);
      if (receipt !== null) await context.note({ kind: 'message-seen', message: id, ...receipt });
    };
    void noteReceipt(); // neither of the two rejects
  }
  return watches;
}
