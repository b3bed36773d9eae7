/** Agents that try to spend more than a dollar, and a provider that charges by its own count. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../src/base/clock.ts';
import { NO_CAPS } from '../../src/gateway/budget/budget-ledger.ts';
import type { GatewayOptions } from '../../src/gateway/gateway.ts';
import { BudgetPool } from '../../src/gateway/budget/budget-pool.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { startBillingProvider } from './billing-provider.ts';
import type { BillingOptions } from './billing-provider.ts';
import { eventually } from './eventually.ts';
import { gatewayHarness, TOKEN } from './gateway-harness.ts';

const CAP_USD = 1;

export type Post = (
  path: string,
  body: object | string,
  more?: { readonly signal?: AbortSignal; readonly headers?: Record<string, string> },
) => Promise<Response | undefined>;

/** The agent continues, whatever the response is. */
type Agent = (post: Post, calls: () => number, base: string) => Promise<unknown>;

export function times(count: number, ask: (nth: number) => Promise<unknown>): Promise<unknown> {
  return Array.from({ length: count }).reduce<Promise<unknown>>(
    (before, _one, nth) => before.then(() => ask(nth)),
    Promise.resolve(),
  );
}

export const read = async (answer: Promise<Response | undefined>): Promise<string> =>
  (await (await answer)?.text().catch(() => '')) ?? '';

/** Reads the first chunk of the answer and disconnects. */
export async function peek(post: Post, path: string, body: object): Promise<void> {
  const leaves = new AbortController();
  const answer = await post(path, body, { signal: leaves.signal });
  await answer?.body
    ?.getReader()
    .read()
    .catch(() => undefined);
  leaves.abort();
}

/** Disconnects as soon as the request has arrived, before any response. */
export async function leaveEarly(
  post: Post,
  calls: () => number,
  path: string,
  body: object,
): Promise<void> {
  const leaves = new AbortController();
  const before = calls();
  const answer = post(path, body, { signal: leaves.signal });
  let isAnswered = false;
  void answer.then(() => (isAnswered = true));
  await eventually('it is under way', () => calls() > before || isAnswered);
  leaves.abort();
  await answer;
}

export type HostileRow = readonly [
  does: string,
  agent: Agent,
  options?: BillingOptions & { readonly gateway?: Partial<GatewayOptions> },
];

/**
 * One test for each agent: the provider bills no more than the cap, and the ledger counts all of
 * it.
 */
export function testHostile(title: string, rows: readonly HostileRow[]): void {
  describe(title, () => {
    for (const [does, agent, options = {}] of rows) test(does, () => overspend(agent, options));
  });
}

async function overspend(agent: Agent, options: NonNullable<HostileRow[2]>): Promise<void> {
  await using provider = await startBillingProvider(options);
  const budget = new BudgetPool('run', { ...NO_CAPS, usd: CAP_USD }, at(0));
  const harness = await gatewayHarness(provider.url, {
    pools: [budget],
    clock: systemClock,
    outage: { patienceMs: 500, replaceable: false },
    ...options.gateway,
  });
  const base = harness.gateway.url ?? '';
  const post: Post = (path, body, { signal, headers = {} } = {}) =>
    fetch(base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': TOKEN, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal !== undefined && { signal }),
    }).catch(() => undefined);
  await agent(post, provider.calls, base);
  await harness.gateway.close();
  const billed = provider.billed();
  assert.ok(billed <= CAP_USD, `$${billed.toFixed(4)} billed in ${provider.calls()} calls`);
  const { spent } = budget.ledger;
  // An endless answer that is cut off may have written more than arrived here.
  const unseenUsd = options.answers === 'endless' ? 0.2 : 1e-9;
  assert.ok(spent.usd >= billed - unseenUsd, `$${spent.usd} counted of $${billed}`);
  assert.equal(spent.calls >= provider.calls(), true, 'each call that left counts');
}
