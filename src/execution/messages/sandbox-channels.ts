/** The ways in which a message reaches an agent that works in a sandbox. */
import type { MessageWay } from '../../adapters/message-way.ts';
import type { LetterBox } from '../../host/files/letter-box.ts';
import type { DeliverMessageResult } from '../../protocol/run-message.ts';
import type { MessageChannel } from './message-channel.ts';
import type { Receipt, Receipts } from './receipts.ts';

/** The gateway inserts the text into the next request that follows a tool call. */
export function gatewayChannel(receipts: Receipts): MessageChannel {
  return {
    name: 'gateway',
    deliver: async ({ id, mark, text }, onSent, signal) => {
      const receipt = receipts.expect({ id, mark, text }, signal);
      await onSent();
      return resultOf(await receipt);
    },
  };
}

/** A hook of the CLI reads the text from the mailbox after a tool call, once. */
export function mailboxChannel(
  { channel, letter }: Exclude<MessageWay, { channel: 'gateway' }>,
  mailbox: LetterBox,
  receipts: Receipts,
): MessageChannel {
  return {
    name: channel,
    deliver: async ({ id, mark, text }, onSent, signal) => {
      const name = `${id}.letter`;
      const receipt = receipts.expect({ id, mark, text: null }, signal);
      // An attempt that can't be told must not fail for it.
      const isPut = await mailbox.put(name, letter(text)).then(
        () => true,
        () => false,
      );
      if (!isPut) return { kind: 'undelivered', why: 'its mailbox could not be written' };
      await onSent();
      const result = resultOf(await receipt);
      await mailbox.remove(name);
      return result;
    },
  };
}

function resultOf(receipt: Receipt | null): DeliverMessageResult {
  if (receipt !== null) return { kind: 'seen', ...receipt };
  return { kind: 'undelivered', why: 'the attempt ended before the agent had read it' };
}
