/** The gateway of one attempt: the only way to a model, with a token in place of the key. */
import { join } from 'node:path';
import { Refusal } from '../base/errors.ts';
import type { Luck } from '../base/luck.ts';
import { drawInt } from '../base/luck.ts';
import type { Clock } from '../base/clock.ts';
import type { CallSlots } from '../gateway/call-slots.ts';
import { Gateway } from '../gateway/gateway.ts';
import type { Upstreams } from '../gateway/upstreams.ts';
import { missingKeys } from '../gateway/upstreams.ts';
import type { Settings } from '../protocol/settings.ts';
import type { ModelCall } from './evidence.ts';
import type { CallsSeen } from './model-calls.ts';
import { followCalls, isGivenUp } from './model-calls.ts';

export type ModelGateway = AsyncDisposable & {
  readonly socket: string;
  readonly token: string;
  readonly calls: () => readonly ModelCall[];
  readonly hopeless: AbortSignal;
};

export type GatewayWish = {
  readonly cli: string;
  readonly model: string | null;
  readonly settings: Settings['gateway'];
  readonly upstreams: Upstreams;
  readonly slots: CallSlots;
};

export type GatewayPlace = {
  readonly clock: Clock;
  readonly luck: Luck;
  /** Private to us, and short: the path of a socket may have some hundred bytes. */
  readonly socketDir: string;
  /** Tells our sockets from those of another owner in the same folder. */
  readonly homeId: string;
};

const TOKEN_DIGITS = 48;
const NAME_DIGITS = 6;
const MARK_DIGITS = 4;

export async function openGateway(wish: GatewayWish, ports: GatewayPlace): Promise<ModelGateway> {
  const { clock, luck, socketDir, homeId } = ports;
  const { cli, model, settings, upstreams, slots } = wish;
  const missing = missingKeys(cli, upstreams);
  if (missing.length > 0) throw noKey(cli, missing);
  const token = `sv-${digits(luck, TOKEN_DIGITS)}`;
  const socket = join(socketDir, `${markOf(homeId)}${digits(luck, NAME_DIGITS)}.s`);
  const hopeless = new AbortController();
  let seen: CallsSeen = new Map();
  const gateway = await Gateway.start({
    // Its folder is closed to everybody, and inside it is shown to one user whose number we don't share.
    listen: { socket, mode: 0o666 },
    token,
    upstreams,
    clock,
    onFact: (fact) => {
      seen = followCalls(seen, fact);
      const isDecided = fact.kind === 'provider-refused' && fact.decisive;
      if (isDecided || isGivenUp(seen)) hopeless.abort();
    },
    ...(model === null ? {} : { model }),
    limitPatienceMs: settings.limitPatienceMs,
    slots,
    prices: settings.prices,
    bounds: {
      firstByteMs: settings.firstByteMs,
      silenceMs: settings.silenceMs,
      requestBytesMax: settings.requestBytesMax,
    },
  });
  return {
    socket,
    token,
    calls: () => [...seen.values()],
    hopeless: hopeless.signal,
    [Symbol.asyncDispose]: () => gateway.close(),
  };
}

/** By which the sockets of one owner's gateways are known. */
export function gatewaySocketOf(homeId: string): RegExp {
  return new RegExp(`^${markOf(homeId)}[0-9a-f]{${NAME_DIGITS}}\\.s$`);
}

function markOf(homeId: string): string {
  return homeId.slice(0, MARK_DIGITS);
}

function digits(luck: Luck, count: number): string {
  return Array.from({ length: count }, () => drawInt(luck, 0, 15).toString(16)).join('');
}

function noKey(cli: string, missing: readonly string[]): Refusal {
  return new Refusal({
    code: 'agent.no-key',
    message: `${cli} can reach no model: the owner was started without ${missing.join(' or ')}.`,
    hint: 'Set it, end the owner with: supervisor owner stop, and submit the task again.',
  });
}
