/** Whether a call may go out: it waits for its slot, reserves what it may cost, and settles what it did. */
import type { ServerResponse } from 'node:http';
import type { CallCharge } from '../budget/budget-ledger.ts';
import type { BudgetEnd, ReservedCall } from '../budget/call-budget.ts';
import { worstCaseEstimate, expectedEstimate } from '../budget/call-cost-bound.ts';
import type { PricedRequest } from '../budget/call-cost-bound.ts';
import type { CallContext } from '../call-context.ts';
import { Exchange } from './exchange.ts';
import type { EndedCall, IncomingCall, SentCall } from './exchange.ts';
import { hasOddLimit, namedOutputMax, withOutputMax } from '../budget/limit-output.ts';
import { withThoughtWithin, withUsage } from '../budget/limit-output.ts';
import { repairRequest } from './repair-request.ts';
import { findPrice } from '../budget/prices.ts';
import { AgentReply, replyForm } from './agent-reply.ts';
import { namesRemote } from '../screen/remote-content.ts';
import { screenRequest } from '../screen/screen-request.ts';
import { notBounded } from '../screen/screen.ts';
import type { RequestBody } from '../screen/screen.ts';
import { settledCost } from '../budget/settled-cost.ts';
import { watchReader } from './slow-reader.ts';
import { classifyStop } from '../observe/stop-kind.ts';
import { requestSurcharge } from '../budget/surcharge.ts';
import { UNFINISHED_MAX } from '../observe/unfinished-answers.ts';

const NO_PROGRESS = `The last ${UNFINISHED_MAX} answers ended without a tool call and without a normal stop.`;

export async function forwardCall(
  desk: CallContext,
  incoming: IncomingCall,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  using reply = new AgentReply(response, replyForm(incoming), desk.clock);
  await desk.mayCall(signal); // before it takes a slot that others could use
  using own = await desk.ownSlots.take(signal);
  using slot = own === undefined ? undefined : await desk.slots.take(signal);
  if (slot === undefined) return;
  using held = new DisposableStack();
  held.use(watchReader(response, desk.clock, () => slot[Symbol.dispose]()));
  const exchange = new Exchange(desk, incoming, reply, signal);
  const { does } = incoming.route;
  if (does === 'models') return runFree(exchange, Buffer.alloc(0));
  const isCounted = does === 'count';
  // The attempt is being ended; until it is, each further call would cost as much as the ones before.
  if (!isCounted && desk.unfinished.areTooMany)
    return answerRefusal(incoming, reply, 'no_progress', `${NO_PROGRESS} This attempt is over.`);
  const capped = !isCounted && desk.costCapped;
  const terms = { allowed: desk.serverTools, capped };
  const { name: wire } = incoming.route.wire;
  const screened = screenRequest(wire, repairRequest(wire, incoming.parsed), terms);
  if (screened.kind === 'refused') return refuse(desk, incoming, exchange, reply, screened);
  const { removed, body } = screened;
  if (removed.length > 0) desk.tell({ kind: 'request-reduced', call: exchange.about, removed });
  if (isCounted) return runFree(exchange, written(body));
  const price = findPrice(exchange.request.model, desk.prices);
  const surcharge = requestSurcharge(wire, body, price);
  if (surcharge.kind === 'unknown' && capped)
    return refuse(desk, incoming, exchange, reply, notBounded(surcharge.field));
  const factor = surcharge.kind === 'known' ? surcharge.factor : 1;
  const { usesServerTools } = screened;
  const call = {
    ...costlyCall(incoming, exchange, body),
    price,
    factor,
    usesServerTools,
    namesRemote: namesRemote(body),
  };
  await runPaid(desk, incoming, exchange, reply, signal, call, capped);
}

/** Counting and listing cost nothing. */
async function runFree(exchange: Exchange, body: Buffer): Promise<void> {
  const sent: SentCall = { body, factor: 1, outputTokensMax: undefined };
  while ((await exchange.run(sent)).again);
}

/** An answer whose limit nobody lowered may be longer than a guess from its text says. */
const GUESS_ROOM = 1.5;

async function runPaid(
  desk: CallContext,
  incoming: IncomingCall,
  exchange: Exchange,
  reply: AgentReply,
  signal: AbortSignal,
  call: PricedRequest,
  capped: boolean,
): Promise<void> {
  const { about } = exchange;
  for (let again = true; again;) {
    const wish = capped
      ? worstCaseEstimate(call, desk.inputs, desk.sizes)
      : expectedEstimate(call, desk.sizes);
    const allowed = desk.unpriced && wish.usd === null ? { input: 0, outputToken: 0 } : wish.usd;
    const granted = await desk.budget.reserve(exchange.number, { ...wish, usd: allowed }, signal);
    if (granted.kind === 'called-off') return;
    if (granted.kind === 'exhausted') {
      const { because, scope } = granted;
      // The CLIs do without an answer on the side; the work itself waits for a person.
      if (because === 'price-unknown' && about.kind === 'side')
        return refuse(desk, incoming, exchange, reply, noPrice(about.model, scope));
      const message = tellExhausted(desk, exchange, granted, because);
      const code = because === 'spent' ? 'budget_exhausted' : 'price_unknown';
      return answerRefusal(incoming, reply, code, `${message}. A person decides what next.`);
    }
    let cost: CallCharge | null = granted.cost; // should this end in a defect, money may have been spent
    let ended: EndedCall | undefined;
    try {
      ended = await exchange.run(sentFor(call, granted, capped));
      cost = settledCost(ended, wish, granted.cost);
      if (ended.answer?.usage) desk.inputs.learn(call, ended.answer.usage);
      again = ended.again;
    } finally {
      granted.settle(cost);
      desk.tell({ kind: 'call-settled', call: about, cost });
    }
    const { lowered } = granted;
    const isCut = ended.answer !== null && classifyStop(ended.answer) === 'length';
    const isShort = ended.end === 'over-budget' || isCut;
    if (lowered !== undefined && isShort) tellExhausted(desk, exchange, lowered, 'spent');
  }
}

function costlyCall(
  { route, upstream }: IncomingCall,
  { request: { model } }: Exchange,
  body: RequestBody,
): Omit<PricedRequest, 'price' | 'factor' | 'usesServerTools' | 'namesRemote'> {
  const { name: wire, conversationKey } = route.wire;
  const asked = withUsage(wire, body);
  return {
    wire,
    conversationKey,
    target: route.target,
    body: asked,
    text: JSON.stringify(asked),
    model,
    // The address of a ChatGPT plan refuses a request that limits its answer, and so does compaction.
    limits:
      upstream.without !== undefined
        ? 'on-a-plan'
        : route.does === 'compact'
          ? 'never'
          : 'in-request',
  };
}

/** The request with room for as much output as was reserved, and no more. */
function sentFor(call: PricedRequest, { cost, lowered }: ReservedCall, capped: boolean): SentCall {
  const { wire, body, factor, limits } = call;
  if (!capped || limits === 'on-a-plan')
    return { body: Buffer.from(call.text), factor, outputTokensMax: undefined };
  const named = namedOutputMax(wire, body);
  const isEnough =
    named === undefined
      ? lowered === undefined && !hasOddLimit(wire, body)
      : named <= cost.outputTokens;
  const limited =
    isEnough || limits === 'never' ? body : withOutputMax(wire, body, cost.outputTokens);
  const thoughtMax = Math.min(named ?? cost.outputTokens, cost.outputTokens);
  const room = lowered === undefined ? GUESS_ROOM : 1;
  const thinking = withThoughtWithin(wire, limited, thoughtMax);
  return { body: written(thinking), factor, outputTokensMax: cost.outputTokens * room };
}

/** Written anew, so that the provider reads what was read here: a key that stands twice is gone. */
function written(body: RequestBody): Buffer {
  return Buffer.from(JSON.stringify(body));
}

function tellExhausted(
  desk: CallContext,
  { about }: Exchange,
  { scope, limit, spent, usdCap }: BudgetEnd,
  because: 'spent' | 'price-unknown',
): string {
  const message =
    because === 'price-unknown'
      ? noPrice(about.model, scope).message
      : spentWords(scope, limit, spent.usd, usdCap);
  desk.tell({ kind: 'budget-exhausted', call: about, scope, limit, because, spent, message });
  return message;
}

function noPrice(
  model: string,
  scope: string,
): { readonly code: string; readonly message: string } {
  return {
    code: 'price_unknown',
    message: `The price of ${model} is not known, and this ${scope} has a budget in usd: add ${model} to gateway.prices`,
  };
}

function spentWords(scope: string, limit: string, spent: number, cap: number | null): string {
  if (limit !== 'usd' || cap === null || spent >= cap)
    return `The ${limit} budget of this ${scope} is spent`;
  return `The usd budget of this ${scope} is spent: the $${(cap - spent).toFixed(4)} that is left does not pay for this call`;
}

function refuse(
  desk: CallContext,
  incoming: IncomingCall,
  { about }: Exchange,
  reply: AgentReply,
  { code, message }: { readonly code: string; readonly message: string },
): void {
  desk.tell({ kind: 'request-refused', call: about, code, message });
  answerRefusal(incoming, reply, code, message);
}

function answerRefusal(
  { route }: IncomingCall,
  reply: AgentReply,
  code: string,
  message: string,
): void {
  reply.refuse(400, route.wire.refusal(400, code, message));
}
