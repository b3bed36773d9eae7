/**
 * Decides whether a call may be sent. The call waits for its slot, reserves the most that it may cost, and settles
 * its actual cost.
 */
import { defined } from '../../base/defined.ts';
import type { ServerResponse } from 'node:http';
import type { CallCharge, CallEstimate } from '../budget/budget-ledger.ts';
import type { BudgetEnd, ReservedCall } from '../budget/call-budget.ts';
import { worstCaseEstimate, expectedEstimate } from '../budget/call-cost-bound.ts';
import type { PricedRequest } from '../budget/call-cost-bound.ts';
import { describeExhausted, leastRaise } from '../budget/describe-exhausted.ts';
import type { CallContext } from '../call-context.ts';
import { Exchange } from './exchange.ts';
import type { EndedCall, IncomingCall, SentCall } from './call-stages.ts';
import { hasOddLimit, namedOutputMax, withOutputMax } from '../budget/limit-output.ts';
import { limitThinking, withUsage } from '../budget/limit-output.ts';
import { repairRequest } from './repair-request.ts';
import { findPrice } from '../../prices/price.ts';
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
  context: CallContext,
  incoming: IncomingCall,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  using reply = new AgentReply(response, replyForm(incoming), context.clock);
  await context.mayCall(signal); // before it takes a slot that other calls could use
  using own = await context.ownSlots.take(signal);
  using slot = own === undefined ? undefined : await context.slots.take(signal);
  if (slot === undefined) return;
  using held = new DisposableStack();
  held.use(watchReader(response, context.clock, () => slot[Symbol.dispose]()));
  const exchange = new Exchange(context, incoming, reply, signal);
  const { operation } = incoming.route;
  if (operation === 'models') return await runFree(exchange, Buffer.alloc(0));
  const isCounted = operation === 'count';
  // The attempt is being ended. Until it has ended, each further call would cost as much as the previous ones.
  if (!isCounted && context.unfinished.areTooMany)
    return answerRefusal(incoming, reply, 'no_progress', `${NO_PROGRESS} This attempt is over.`);
  const capped = !isCounted && context.costCapped;
  const terms = { allowed: context.serverTools, capped };
  const { name: wire } = incoming.route.wire;
  const screened = screenRequest(wire, repairRequest(wire, incoming.parsed), terms);
  if (screened.kind === 'refused') return refuse(context, incoming, exchange, reply, screened);
  const { removed, body: asked } = screened;
  if (removed.length > 0)
    context.report({ kind: 'request-reduced', call: exchange.about, removed });
  if (isCounted) return await runFree(exchange, serialize(asked));
  const body = withMessages(context, incoming, exchange, asked);
  const price = findPrice(exchange.request.model, context.prices);
  const surcharge = requestSurcharge(wire, body, price);
  if (surcharge.kind === 'unknown' && capped)
    return refuse(context, incoming, exchange, reply, notBounded(surcharge.field));
  const factor = surcharge.kind === 'known' ? surcharge.factor : 1;
  const { usesServerTools } = screened;
  const call = {
    ...describeCall(incoming, exchange, body),
    price,
    factor,
    usesServerTools,
    namesRemote: namesRemote(body),
  };
  await runPaid(context, incoming, exchange, reply, signal, call, capped);
}

/**
 * The body with the messages that the agent is told in this way. Requests on a login are never changed, nor those that
 * JSON would write differently.
 */
function withMessages(
  { told }: CallContext,
  { route, upstream, parsed, text }: IncomingCall,
  exchange: Exchange,
  body: RequestBody,
): RequestBody {
  const isOnLogin = upstream.credential.kind !== 'key' || upstream.without !== undefined;
  if (!told.inserts || route.operation !== 'generate' || isOnLogin) return body;
  if (exchange.request.tools.length === 0 || JSON.stringify(parsed) !== text) return body;
  return told.insert(exchange.about, route.wire.conversationKey, body);
}

/** Counting and listing cost nothing. */
async function runFree(exchange: Exchange, body: Buffer): Promise<void> {
  const sent: SentCall = { body, factor: 1, outputTokensMax: undefined };
  while ((await exchange.run(sent)).again);
}

/** If no budget lowered the limit of an answer, the answer may be longer than the estimate from its text. */
const ESTIMATE_MARGIN = 1.5;

async function runPaid(
  context: CallContext,
  incoming: IncomingCall,
  exchange: Exchange,
  reply: AgentReply,
  signal: AbortSignal,
  call: PricedRequest,
  capped: boolean,
): Promise<void> {
  const { about } = exchange;
  for (let again = true; again;) {
    const estimate = capped
      ? worstCaseEstimate(call, context.inputs, context.sizes)
      : expectedEstimate(call, context.sizes);
    const allowed =
      context.unpriced && estimate.usd === null ? { ...estimate, uncounted: true } : estimate;
    const reservation = await context.budget.reserve(exchange.number, allowed, signal);
    if (reservation.kind === 'called-off') return;
    if (reservation.kind === 'exhausted') {
      const { because, scope } = reservation;
      // CLIs cope without the answer to a side call. The work itself waits for a person.
      if (because === 'price-unknown' && about.kind === 'side')
        return refuse(context, incoming, exchange, reply, noPrice(about.model, scope));
      const message = reportExhausted(context, exchange, { ...reservation, estimate });
      const code = because === 'spent' ? 'budget_exhausted' : 'price_unknown';
      return answerRefusal(incoming, reply, code, `${message}. A person decides what next.`);
    }
    let cost: CallCharge | null = reservation.cost; // if a defect follows, money may have been spent
    let ended: EndedCall | undefined;
    try {
      ended = await exchange.run(buildSentCall(call, reservation, capped));
      cost = settledCost(ended, estimate, reservation.cost);
      if (ended.answer?.usage) context.inputs.learn(call, ended.answer.usage);
      again = ended.again;
    } finally {
      reservation.settle(cost);
      context.report({ kind: 'call-settled', call: about, cost });
    }
    const { lowered } = reservation;
    const isCut = ended.answer !== null && classifyStop(ended.answer) === 'length';
    const isShort = ended.end === 'over-budget' || isCut;
    if (lowered !== undefined && isShort)
      reportExhausted(context, exchange, { ...lowered, because: 'spent', estimate: null });
  }
}

function describeCall(
  { route, upstream }: IncomingCall,
  { request: { model } }: Exchange,
  body: RequestBody,
): Omit<PricedRequest, 'price' | 'factor' | 'usesServerTools' | 'namesRemote'> {
  const { name: wire, conversationKey } = route.wire;
  const withUsageOption = withUsage(wire, body);
  return {
    wire,
    conversationKey,
    target: route.target,
    body: withUsageOption,
    text: JSON.stringify(withUsageOption),
    model,
    // The endpoint of a ChatGPT plan rejects a request that limits its output, and so does compaction.
    limits:
      upstream.without !== undefined
        ? 'on-a-plan'
        : route.operation === 'compact'
          ? 'never'
          : 'in-request',
  };
}

/** The request with an output limit of what was reserved, and no more. */
function buildSentCall(
  call: PricedRequest,
  { cost, lowered }: ReservedCall,
  capped: boolean,
): SentCall {
  const { wire, body, factor, limits } = call;
  if (!capped || limits === 'on-a-plan')
    return { body: Buffer.from(call.text), factor, outputTokensMax: undefined };
  const namedMax = namedOutputMax(wire, body);
  const isEnough =
    namedMax === undefined
      ? lowered === undefined && !hasOddLimit(wire, body)
      : namedMax <= cost.outputTokens;
  const limited =
    isEnough || limits === 'never' ? body : withOutputMax(wire, body, cost.outputTokens);
  const thinkingMax = Math.min(namedMax ?? cost.outputTokens, cost.outputTokens);
  const margin = lowered === undefined ? ESTIMATE_MARGIN : 1;
  const thinking = limitThinking(wire, limited, thinkingMax);
  return { body: serialize(thinking), factor, outputTokensMax: cost.outputTokens * margin };
}

/**
 * Serializes the parsed body again, so that the provider reads exactly what was checked here: duplicate keys are
 * gone.
 */
function serialize(body: RequestBody): Buffer {
  return Buffer.from(JSON.stringify(body));
}

function reportExhausted(
  context: CallContext,
  { about }: Exchange,
  end: BudgetEnd & {
    readonly because: 'spent' | 'price-unknown';
    /** Null: the call was sent, and its answer was cut off. */
    readonly estimate: CallEstimate | null;
  },
): string {
  const { scope, limit, spent, because } = end;
  const message =
    because === 'price-unknown'
      ? noPrice(about.model, scope).message
      : describeExhausted(end, end.estimate);
  const needs = end.estimate === null ? undefined : leastRaise(end, end.estimate);
  const details = { call: about, scope, limit, because, spent, ...defined({ needs }) };
  context.report({ kind: 'budget-exhausted', ...details, message });
  return message;
}

function noPrice(
  model: string,
  scope: string,
): { readonly code: string; readonly message: string } {
  return {
    code: 'price_unknown',
    message: `The price of ${model} is unknown, and this ${scope} has a budget in US dollars`,
  };
}

function refuse(
  context: CallContext,
  incoming: IncomingCall,
  { about }: Exchange,
  reply: AgentReply,
  { code, message }: { readonly code: string; readonly message: string },
): void {
  context.report({ kind: 'request-refused', call: about, code, message });
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
