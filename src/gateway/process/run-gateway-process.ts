/** What runs in the process of a gateway. It knows nothing until its owner has told it over the channel. */
import { Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { describeError } from '../../base/errors.ts';
import type { FromGateway } from '../../protocol/gateway-message.ts';
import { fitFact } from '../channel/fit-fact.ts';
import { encodeFrame, encodeMessage } from '../channel/frames.ts';
import { GatewaySide } from '../channel/gateway-side.ts';
import type { GatewayTerms, ToGateway } from '../channel/messages.ts';
import { FRAME_BYTES_MAX, fromFact } from '../channel/messages.ts';
import { readChannelFrames } from '../channel/read-frames.ts';
import type { ProxyNetwork } from '../network/connect-proxy.ts';
import { ConnectProxy } from '../network/connect-proxy.ts';
import { Gateway } from '../gateway.ts';
import { recordCalls } from '../observe/record-calls.ts';
import type { Recording } from '../observe/record-calls.ts';

export type GatewayProcessPorts = {
  readonly clock: Clock;
  readonly network: ProxyNetwork;
  /** Takes these secrets, and whatever looks like one, out of a text. */
  readonly redactorOf: (secrets: readonly string[]) => (text: string) => Promise<string>;
};

type Running = { readonly close: () => Promise<Recording | undefined> };

const CHANNEL_FD = 3;
const RECORD_FRAME_BYTES = 65_536;
const CAUSE_CHARS_MAX = 2000;

/** Resolves when the owner is gone, or has had its gateway closed. */
export async function runGatewayProcess(ports: GatewayProcessPorts): Promise<void> {
  const channel = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
  channel.on('error', () => process.exit(1)); // the owner is gone, and with it whatever this was for
  const send = (message: FromGateway): void => void channel.write(encodeMessage(message));
  const side = new GatewaySide(send);
  let running: Running | undefined;
  send({ kind: 'ready' });
  await readChannelFrames(channel, { bytesMax: FRAME_BYTES_MAX.toGateway }, async ({ bytes }) => {
    const message = JSON.parse(bytes.toString('utf8')) as ToGateway;
    switch (message.kind) {
      case 'start':
        // Not awaited: the owner's answers come in by the same channel.
        void (async () => {
          running = await open(message.terms, side, channel, send, ports);
          send({ kind: 'listening' });
        })().catch((error: unknown) => send({ kind: 'not-listening', message: causeOf(error) }));
        return;
      case 'ping':
        return send({ kind: 'pong', nonce: message.nonce });
      case 'close':
        void close(running, send).then(() => channel.end());
        return;
      case 'granted':
      case 'reserved':
      case 'spent':
      case 'failed':
        return side.take(message);
    }
  });
  process.exit(0); // the owner is gone or has had enough: what still listens here is for nobody
}

async function open(
  terms: GatewayTerms,
  side: GatewaySide,
  channel: Socket,
  send: (message: FromGateway) => void,
  { clock, network, redactorOf }: GatewayProcessPorts,
): Promise<Running> {
  const { socket, token, upstreams, model, tunnels, recording: kept, ...rest } = terms;
  const recording =
    kept === null
      ? undefined
      : recordCalls({
          redact: redactorOf(kept.secrets),
          write: (line) => writeRecord(channel, Buffer.from(line)),
          bytesMax: kept.bytesMax,
        });
  const proxy =
    tunnels.length === 0
      ? undefined
      : await ConnectProxy.start({
          listen: null, // they come in by the door of the gateway
          allow: tunnels,
          network,
          clock,
          onFact: ({ kind, target }) => {
            if (kind !== 'tunnel-closed') send({ kind: 'tunnel', fact: { kind, target } });
          },
        });
  const gateway = await Gateway.start({
    // Its folder is closed to everybody, and inside it is shown to one user whose number we don't share.
    listen: { socket, mode: 0o666 },
    token,
    upstreams,
    clock,
    budget: side.budget,
    slots: side.slots,
    mayCall: side.mayCall,
    onFact: (fact) => send({ kind: 'fact', fact: fromFact(fitFact(fact)) as never }),
    ...(model === null ? {} : { model }),
    ...(recording === undefined ? {} : { record: (call) => void recording.record(call) }),
    ...(proxy === undefined
      ? {}
      : { tunnel: (request, near, head) => proxy.take(request, near, head) }),
    ...rest,
  });
  return {
    close: async () => {
      await proxy?.close(); // first: a server waits for connections that became tunnels
      await gateway.close();
      return recording;
    },
  };
}

async function close(
  running: Running | undefined,
  send: (message: FromGateway) => void,
): Promise<void> {
  let defect: string | null = null;
  const recording = await running?.close().catch((error: unknown) => {
    defect = causeOf(error);
    return undefined;
  });
  const done = await recording?.close();
  const failure = done?.failure === undefined ? {} : { failure: causeOf(done.failure) };
  const recorded =
    done === undefined ? null : { written: done.written, leftOut: done.leftOut, ...failure };
  send({ kind: 'closed', recorded, defect });
}

/** In pieces, so that a long line does not hold up what calls are waiting for. */
async function writeRecord(channel: Socket, line: Buffer): Promise<void> {
  for (let at = 0; at < line.length; at += RECORD_FRAME_BYTES) {
    const flows = channel.write(encodeFrame('bytes', line.subarray(at, at + RECORD_FRAME_BYTES)));
    if (!flows) await new Promise((resolve) => channel.once('drain', resolve));
  }
}

function causeOf(error: unknown): string {
  const causes = error instanceof AggregateError ? error.errors.map(describeError) : [];
  return [describeError(error), ...causes].join('; ').slice(0, CAUSE_CHARS_MAX);
}
