/** A gateway in front of any upstream, and an agent that sends it plain requests. */
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isCostCapped } from '../../src/gateway/budget/budget-ledger.ts';
import type { BudgetRecord } from '../../src/gateway/budget/call-budget.ts';
import { localBudget } from '../../src/gateway/budget/call-budget.ts';
import type { GatewayFact } from '../../src/gateway/gateway-facts.ts';
import { Gateway } from '../../src/gateway/gateway.ts';
import type { GatewayOptions } from '../../src/gateway/gateway.ts';
import type { BudgetPool } from '../../src/gateway/budget/budget-pool.ts';
import type { WireName } from '../../src/gateway/wires/wire.ts';
import { ManualClock } from '../../src/testing/fakes/manual-clock.ts';
import { questionOn } from '../../src/testing/model-server/ask-model.ts';
import type { ModelServerOptions } from '../../src/testing/model-server/model-server.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';

/** The token that the agent has. */
export const TOKEN = 'run-token-0123456789abcdef';
/** The key that the provider expects. */
export const SECRET = 'sk-real-0123456789abcdef-real';
export const WIRES: readonly WireName[] = [
  'anthropic',
  'openai-responses',
  'openai-chat',
  'gemini',
];

export type GatewayHarness = AsyncDisposable & {
  readonly gateway: Gateway;
  readonly facts: GatewayFact[];
  readonly clock: ManualClock;
  ask(wire: WireName, stream?: boolean, more?: Ask): Promise<Response>;
};
type Ask = {
  readonly headers?: Record<string, string>;
  readonly token?: string;
  readonly body?: object;
  readonly signal?: AbortSignal;
};

export type GatewayHarnessOptions = Partial<GatewayOptions> & {
  readonly pools?: readonly BudgetPool[];
  readonly onReserve?: NonNullable<BudgetRecord['reserved']>;
};

export async function gatewayHarness(
  base: string,
  options: GatewayHarnessOptions = {},
): Promise<GatewayHarness> {
  const { pools = [], onReserve, ...given } = options;
  const facts: GatewayFact[] = [];
  const clock = new ManualClock();
  const upstream = { base, credential: { kind: 'key', value: SECRET } as const };
  const gateway = await Gateway.start({
    listen: { port: 0 },
    token: TOKEN,
    upstreams: Object.fromEntries(WIRES.map((wire) => [wire, upstream])),
    clock,
    onFact: (fact) => facts.push(fact),
    budget: localBudget(pools, given.clock ?? clock, { reserved: onReserve }),
    costCapped: pools.some(({ ledger }) => isCostCapped(ledger.caps)),
    ...given,
  });
  return {
    gateway,
    facts,
    clock,
    ask: (wire, stream, more) => askAt(gateway.url ?? '', wire, stream, more),
    [Symbol.asyncDispose]: () => gateway.close(),
  };
}

/** One plain request, as an agent with this token or key sends it. */
export function askAt(
  base: string,
  wire: WireName,
  stream = true,
  { headers = {}, token = TOKEN, body = {}, signal }: Ask = {},
): Promise<Response> {
  const question = questionOn(wire, 'hello', { stream });
  const given = JSON.stringify(question.headers).replaceAll('sk-test-0123456789', token);
  return fetch(base + question.path, {
    method: 'POST',
    headers: { ...(JSON.parse(given) as Record<string, string>), ...headers },
    body: JSON.stringify({ ...question.body, ...body }),
    ...(signal !== undefined && { signal }),
  });
}

/** Starts an upstream with this handler. */
export async function serve(
  listener: RequestListener,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A strict provider that accepts only the real key. */
export function strictModel(options: Partial<ModelServerOptions> = {}): Promise<ModelServer> {
  const script = { steps: [{ text: 'Hello yourself.' }] };
  return ModelServer.start({ script, keys: [SECRET], ...options });
}

export function factsOf<Kind extends GatewayFact['kind']>(
  { facts }: { readonly facts: readonly GatewayFact[] },
  kind: Kind,
): readonly Extract<GatewayFact, { kind: Kind }>[] {
  return facts.filter((fact): fact is Extract<GatewayFact, { kind: Kind }> => fact.kind === kind);
}
