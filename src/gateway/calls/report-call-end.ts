/** What a call that has ended means: its cost, how it stopped, and the facts that are reported and recorded. */
import type { Instant } from '../../base/clock.ts';
import { callCost, findPrice } from '../../prices/price.ts';
import { paidFactor } from '../budget/surcharge.ts';
import type { CallContext } from '../call-context.ts';
import type { CallAbout } from '../gateway-facts.ts';
import { classifyStop } from '../observe/stop-kind.ts';
import type { ModelAnswer, ModelRequest } from '../wires/wire.ts';
import { endOfCall, isWork } from './call-end.ts';
import type { EndedCall, IncomingCall, SentCall } from './call-stages.ts';
import type { RelayedResponse } from './relay-response.ts';

const STOP_CHARS_MAX = 100;

/** The call that ended. */
export type CallToEnd = {
  readonly incoming: IncomingCall;
  readonly request: ModelRequest;
  readonly about: CallAbout;
  readonly begunAt: Instant;
  /** Neither the gateway nor the agent should retry after this end. */
  readonly isFinalFailure: (end: RelayedResponse['end']) => boolean;
};

/** How it was answered, as far as that is known. */
export type CallAnswer = {
  /** Null when the provider never answered. */
  readonly status: number | null;
  readonly answer: ModelAnswer | null;
  /** The request that was answered. */
  readonly sent?: SentCall | undefined;
  readonly writtenTokens?: number;
};

export function reportCallEnd(
  context: CallContext,
  { incoming, request, about, begunAt, isFinalFailure }: CallToEnd,
  relayed: RelayedResponse,
  { status, answer, sent, writtenTokens = 0 }: CallAnswer,
): EndedCall {
  const { clock, prices, sizes, outages, unfinished, turns } = context;
  const { workModel, told, report, record } = context;
  const { bytes, firstByteAt } = relayed;
  const isAnswer = answer !== null && answer.error === null && (status ?? 0) < 400;
  const stop = isAnswer && incoming.route.operation === 'generate' ? classifyStop(answer) : null;
  const end = endOfCall(relayed, about, isAnswer ? answer : null);
  if (stop !== null && end !== 'disconnected') unfinished.take(about, stop);
  const usage = answer?.usage ?? null;
  const price = findPrice(about.model, prices);
  const factor = paidFactor(about.wire, sent?.factor ?? 1, usage?.tier, price);
  const costUsd = usage === null ? null : callCost(usage, price, factor);
  if (usage !== null) sizes.learn(about.model, usage.outputTokens);
  const isTurn = answer !== null && answer.stop !== null && answer.error === null;
  // A request that was refused or whose answer was cut proves nothing. The receipt comes before the end of its call,
  // so a reader of that end has every receipt.
  if (isTurn && sent !== undefined)
    for (const seen of told.look(about, sent.body))
      report({ kind: 'message-seen', call: about, ...seen });
  report({
    kind: 'call-ended',
    call: about,
    end,
    status,
    stop,
    stopWord: stop === null ? null : (answer?.stop?.slice(0, STOP_CHARS_MAX) ?? null),
    usage,
    costUsd,
    ms: clock.now() - begunAt,
    firstByteMs: firstByteAt === undefined ? null : firstByteAt - begunAt,
    requestBytes: incoming.body.length,
    responseBytes: bytes,
    decisive: unfinished.areTooMany || (isFinalFailure(end) && workModel.isDecidedBy(about)),
  });
  if (isWork(about) && isTurn) {
    outages.answered();
    const turn = turns.take(about, request, answer, price?.contextMax ?? null);
    report({ kind: 'turn', turn });
  }
  const { text, route } = incoming;
  record?.({
    at: begunAt,
    call: about,
    path: route.target,
    request: text,
    status,
    end,
    answer,
  });
  return { end, wasSent: true, status, answer, costUsd, writtenTokens, again: false };
}
