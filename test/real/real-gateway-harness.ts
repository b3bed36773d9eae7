/** The gateway of a real CLI, in front of a strict model server that accepts only the real key. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import type { GatewayFact } from '../../src/gateway/gateway-facts.ts';
import { Gateway } from '../../src/gateway/gateway.ts';
import type { GatewayOptions } from '../../src/gateway/gateway.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import type { ModelServerOptions } from '../../src/testing/model-server/model-server.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import type { CliName } from './clis.ts';
import { commandOf, KEY, RECIPES } from './clis.ts';

/**
 * The recipes put `KEY` where a key goes. Here that is the token of the run, and this is the key.
 */
export const SECRET = 'sk-real-only-outside-0123456789';
export const TIMEOUT_MS = 120_000;

export function isMissing(t: TestContext, cli: CliName): boolean {
  if (commandOf(cli) !== undefined) return false;
  const words = `missing: ${cli}; install with npm ci --prefix test/real`;
  if (process.env['CI'] !== undefined) assert.fail(words);
  t.skip(words);
  return true;
}

type Rig = AsyncDisposable & {
  readonly server: ModelServer;
  readonly gateway: Gateway;
  readonly facts: readonly GatewayFact[];
};

export async function realGatewayHarness(
  cli: CliName,
  model: ModelServerOptions,
  options: Partial<GatewayOptions> = {},
  onFact: (fact: GatewayFact) => void = () => undefined,
): Promise<Rig> {
  const server = await ModelServer.start({ keys: [SECRET], ...model });
  const facts: GatewayFact[] = [];
  const upstream = { base: server.url, credential: { kind: 'key', value: SECRET } as const };
  const gateway = await Gateway.start({
    listen: { port: 0 },
    token: KEY,
    upstreams: { [RECIPES[cli].wire]: upstream },
    clock: systemClock,
    onFact: (fact) => {
      facts.push(fact);
      onFact(fact);
    },
    ...options,
  });
  return {
    server,
    gateway,
    facts,
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await server.close();
    },
  };
}

export function urlOf({ gateway }: Rig): string {
  return gateway.url ?? '';
}
