/** Sends a message from one agent to its parent or its root: it becomes a signal in the other's stream. */
import type { RunId } from '../../base/ids.ts';
import { parseRunId } from '../../base/ids.ts';
import type { CommandContext, CommandRequest, Performer } from '../../engine/performer.ts';
import type { Signal } from '../../protocol/signal.ts';
import { MESSAGE_MAX } from '../../protocol/long-lived-agent.ts';
import type { MessageDeliveryPorts } from './deliver-messages.ts';
import { deliver } from './deliver-messages.ts';
import type { MessageResult } from '../../protocol/commands.ts';

export type MessagePorts = MessageDeliveryPorts & {
  /** The parent of an agent; null: it has none. Undefined: there is no such agent. */
  readonly parentOf: (run: RunId) => Promise<string | null | undefined>;
};

/** A bound against cycles. No intended tree is deeper. */
const DEPTH_MAX = 100;

export function messagePerformer(ports: MessagePorts): Performer<'send-message'> {
  return {
    command: 'send-message',
    perform: (request, context) => sendMessage(request, context, ports),
  };
}

async function sendMessage(
  { input }: CommandRequest<'send-message'>,
  { cancelSignal }: CommandContext<'send-message'>,
  ports: MessagePorts,
): Promise<MessageResult> {
  const { to, parent, from, text } = input;
  const above = parent === null ? undefined : parseRunId(parent);
  if (above === undefined) return { kind: 'undeliverable', why: 'it has no parent' };
  const run = to === 'parent' ? above : await rootAbove(above, ports);
  if (run === undefined) return { kind: 'undeliverable', why: 'there is no root' };
  if (to === 'root' && run === above)
    return { kind: 'undeliverable', why: 'its parent is the root' };
  const message: Signal = { kind: 'message', from, text: text.slice(0, MESSAGE_MAX) };
  const why = await deliver(ports, run, message, cancelSignal);
  return why === undefined ? { kind: 'sent', run } : { kind: 'undeliverable', why };
}

async function rootAbove(run: RunId, { parentOf }: MessagePorts): Promise<RunId | undefined> {
  let root = run;
  for (let depth = 0; depth < DEPTH_MAX; depth += 1) {
    const parent = await parentOf(root);
    if (parent === undefined) return undefined;
    if (parent === null) return root;
    const above = parseRunId(parent);
    if (above === undefined) return undefined;
    root = above;
  }
  return undefined;
}
