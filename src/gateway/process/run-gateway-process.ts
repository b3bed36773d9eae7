/** The program of a gateway process. It has no configuration until its owner sends it over the channel. */
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
import type { ToldMessages } from '../observe/told-messages.ts';
import { recordCalls } from '../observe/record-calls.ts';
import type { Recording } from '../observe/record-calls.ts';

export type GatewayProcessPorts = {
  readonly clock: Clock;
  readonly network: ProxyNetwork;
  /** Removes these secrets, and text that looks like a secret. */
  readonly createRedactor: (secrets: readonly string[]) => (text: string) => Promise<string>;
};

type Running = {
  readonly told: ToldMessages;
  readonly close: () => Promise<Recording | undefined>;
};

const CHANNEL_FD = 3;
const RECORD_FRAME_BYTES = 65_536;
const CAUSE_CHARS_MAX = 2000;

/** Resolves when the owner is gone, or has closed its gateway. */
export async function runGatewayProcess(ports: GatewayProcessPorts): Promise<void> {
  const channel = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
  channel.on('error', () => process.exit(1)); // the owner is gone, so this process has no purpose
  const send = (message: FromGateway): void => void channel.write(encodeMessage(message));
  const side = new GatewaySide(send);
  let running: Running | undefined;
  send({ kind: 'ready' });
  await readChannelFrames(channel, { bytesMax: FRAME_BYTES_MAX.toGateway }, async ({ bytes }) => {
    const message = JSON.parse(bytes.toString('utf8')) as ToGateway;
    switch (message.kind) {
      case 'start':
        // Not awaited, because the owner's answers arrive on the same channel.
        void (async () => {
          running = await open(message.terms, side, channel, send, ports);
          send({ kind: 'listening' });
        })().catch((error: unknown) =>
          send({ kind: 'not-listening', message: describeCause(error) }),
        );
        return;
      case 'ping':
        return send({ kind: 'pong', nonce: message.nonce });
      case 'close':
        void close(running, send).then(() => channel.end());
        return;
      case 'tell':
        return running?.told.tell(message.message);
      case 'withdraw':
        return running?.told.withdraw(message.id);
      case 'granted':
      case 'reserved':
      case 'spent':
      case 'failed':
        return side.take(message);
    }
  });
  process.exit(0); // the owner is gone or closed the gateway, so open listeners serve no client
}

async function open(
  terms: GatewayTerms,
  side: GatewaySide,
  channel: Socket,
  send: (message: FromGateway) => void,
  { clock, network, createRedactor }: GatewayProcessPorts,
): Promise<Running> {
  const { socket, token, upstreams, model, tunnels, recording: recordingTerms, ...rest } = terms;
  const recording =
    recordingTerms === null
      ? undefined
      : recordCalls({
          redact: createRedactor(recordingTerms.secrets),
          write: (line) => writeRecord(channel, Buffer.from(line)),
          bytesMax: recordingTerms.bytesMax,
        });
  const proxy =
    tunnels.length === 0
      ? undefined
      : await ConnectProxy.start({
          listen: null, // CONNECT requests arrive through the gateway's socket
          allow: tunnels,
          network,
          clock,
          onFact: ({ kind, target }) => {
            if (kind !== 'tunnel-closed') send({ kind: 'tunnel', fact: { kind, target } });
          },
        });
  const gateway = await Gateway.start({
    // The folder of the socket is closed to all other users. Inside the sandbox it is shown to one user, whose uid
    // differs from ours.
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
    told: gateway.told,
    close: async () => {
      await proxy?.close(); // first, because a server waits for connections that became tunnels
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
    defect = describeCause(error);
    return undefined;
  });
  const done = await recording?.close();
  const failure = done?.failure === undefined ? {} : { failure: describeCause(done.failure) };
  const recorded =
    done === undefined ? null : { written: done.written, leftOut: done.leftOut, ...failure };
  send({ kind: 'closed', recorded, defect });
}

/** Writes in pieces, so that a long line does not delay messages that calls wait for. */
async function writeRecord(channel: Socket, line: Buffer): Promise<void> {
  for (let at = 0; at < line.length; at += RECORD_FRAME_BYTES) {
    const flows = channel.write(encodeFrame('bytes', line.subarray(at, at + RECORD_FRAME_BYTES)));
    if (!flows) await new Promise((resolve) => channel.once('drain', resolve));
  }
}

function describeCause(error: unknown): string {
  const causes = error instanceof AggregateError ? error.errors.map(describeError) : [];
  return [describeError(error), ...causes].join('; ').slice(0, CAUSE_CHARS_MAX);
}
