/** Whether a call may go out: it waits for its slot, reserves what it may cost, and settles what it did. */
import type { ServerResponse } from 'node:http';
import type { CallCharge } from './budget.ts';
import type { BudgetSpent } from './call-budget.ts';
import type { Desk } from './desk.ts';
import { Exchange } from './exchange.ts';
import type { Ended, Incoming } from './exchange.ts';
import { costOf, priceOf } from './prices.ts';
import type { ModelRequest } from './wire.ts';

export async function forwardCall(
  desk: Desk,
  incoming: Incoming,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  await desk.mayCall(signal); // before it takes a slot that others could use
  using slot = await desk.slots.take(signal);
  if (slot === undefined) return;
  const exchange = new Exchange(desk, incoming, response, signal);
  if (incoming.route.does !== 'generate') {
    while ((await exchange.run()).again); // counting and listing cost nothing
    return;
  }
  const estimate = estimateOf(desk, incoming.text.length, exchange.request);
  for (let again = true; again;) {
    const admitted = await desk.budget.reserve(exchange.number, estimate, signal);
    if (admitted.kind === 'called-off') return;
    if (admitted.kind === 'exhausted') return refuse(desk, incoming, exchange, response, admitted);
    let cost: CallCharge | null = estimate; // should this end in a defect, money may have been spent
    try {
      const ended = await exchange.run();
      cost = costAsPaid(ended, estimate);
      again = ended.again;
    } finally {
      admitted.settle(cost);
      desk.tell({ kind: 'call-settled', call: exchange.about, cost });
    }
  }
}

const CHARS_PER_TOKEN = 4;

function estimateOf(desk: Desk, chars: number, request: ModelRequest): CallCharge {
  const { model, outputTokensMax } = request;
  const inputTokens = Math.ceil(chars / CHARS_PER_TOKEN);
  const outputTokens = desk.sizes.expect(model, outputTokensMax);
  const usage = { inputTokens, outputTokens, cachedTokens: 0, cacheWriteTokens: 0 };
  const usd = costOf(usage, priceOf(model, desk.prices));
  const tokens = inputTokens + outputTokens;
  return { tokens, usd: desk.unpriced ? (usd ?? 0) : usd, inputTokens, outputTokens };
}

/** A refusal is free, an answer costs what it says, and one that never said so costs what was expected. */
function costAsPaid({ status, answer, costUsd }: Ended, estimate: CallCharge): CallCharge | null {
  if (status === null) return null;
  if (status >= 400) return { tokens: 0, usd: 0, inputTokens: 0, outputTokens: 0 };
  const usage = answer?.usage ?? null;
  if (usage === null) return estimate;
  const { inputTokens, outputTokens } = usage;
  return { tokens: inputTokens + outputTokens, usd: costUsd, inputTokens, outputTokens };
}

function refuse(
  desk: Desk,
  { route }: Incoming,
  { about }: Exchange,
  response: ServerResponse,
  { scope, limit, because, spent }: BudgetSpent,
): void {
  desk.tell({ kind: 'budget-exhausted', call: about, scope, limit, because, spent });
  const why =
    because === 'spent'
      ? `The ${limit} budget of this ${scope} is spent.`
      : `The price of ${about.model} is not known, and this ${scope} has a budget in usd.`;
  const body = route.wire.refusal(400, 'budget_exhausted', `${why} A person decides what next.`);
  response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
