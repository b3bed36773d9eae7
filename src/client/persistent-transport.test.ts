import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RefusalCode } from '../base/errors.ts';
import { Refusal, isRefusal } from '../base/errors.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { persistentTransport } from './persistent-transport.ts';
import type { TransportCall, Transport } from './transport.ts';
import { commandCall } from './transport.ts';

function lost(code: string): Refusal {
  const cause = Object.assign(new Error(code), { code });
  return new Refusal({ code: 'owner.unreachable', message: code }, { cause });
}

function cut(): Response {
  const body = new ReadableStream({
    start: (stream) => stream.error(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })),
  });
  return new Response(body);
}

/** Answers with these one after the other, and remembers what it was asked. */
function answering(...answers: readonly (() => Response)[]) {
  const received: TransportCall[] = [];
  let up = 0;
  const transport: Transport = async (_path, call) => {
    received.push(call);
    return (answers[received.length - 1] ?? (() => new Response('late')))();
  };
  const ports = { clock: systemClock, again: async () => void (up += 1) };
  return { received, ups: () => up, transport, ports };
}

const refuse = (code: string) => (): Response => {
  throw lost(code);
};

const refusal =
  (code: RefusalCode): (() => Response) =>
  () =>
    Response.json({ error: { code, message: code } }, { status: 503 });

describe('a command over a transport that loses the owner (R5)', () => {
  for (const [how, first] of [
    ['before it answered', refuse('ECONNRESET')],
    ['while it answered', cut],
    ['before it listened', refuse('ECONNREFUSED')],
    ['because it was ending', refusal('owner.closing')],
    ['because its home was deleted', refusal('owner.home-lost')],
    ['because another owner has its database', refusal('owner.superseded')],
    ['because its journal was closed', refusal('store.closed')],
    ['and can not say how the command ended', refusal('request.outcome-unknown')],
  ] as const) {
    test(`${how} is sent again to the next owner, with the same key`, async () => {
      const at = answering(first, () => new Response('done'));
      const persistent = persistentTransport(at.transport, at.ports);
      assert.equal(await (await persistent('/v1/runs', commandCall())).text(), 'done');
      const [one, two] = at.received;
      assert.ok(one?.key !== undefined && one.key === two?.key);
      assert.equal(at.ups(), 1);
    });
  }

  for (const code of [
    'agent.preflight-failed',
    'sandbox.unavailable',
    'store.damaged',
    'supervisor.busy',
    'workspace.git-failed',
  ] as const)
    test(`is sent once when it is refused with ${code}`, async () => {
      const at = answering(refusal(code));
      const persistent = persistentTransport(at.transport, at.ports);
      const response = await persistent('/v1/runs', commandCall());
      assert.deepEqual(JSON.parse(await response.text()), { error: { code, message: code } });
      assert.deepEqual([response.status, at.received.length], [503, 1]);
    });

  test('has an unknown outcome if no new owner starts, and the hint names the key for a repeat', async () => {
    const at = answering(refuse('ECONNRESET'));
    const again = async (): Promise<never> => {
      throw new Refusal({ code: 'owner.unreachable', message: 'It could not be started.' });
    };
    const persistent = persistentTransport(at.transport, { ...at.ports, again });
    await assert.rejects(persistent('/v1/runs', commandCall('my-key')), (error) => {
      assert.ok(isRefusal(error, 'request.outcome-unknown'));
      assert.match(error.data.hint ?? '', /--idempotency-key my-key/);
      return true;
    });
  });

  test('is refused if no owner can have received it', async () => {
    const at = answering(refuse('ENOENT'));
    const again = async (): Promise<never> => {
      throw new Refusal({ code: 'owner.unreachable', message: 'It could not be started.' });
    };
    const persistent = persistentTransport(at.transport, { ...at.ports, again });
    await assert.rejects(persistent('/v1/runs', commandCall()), (error) =>
      isRefusal(error, 'owner.unreachable'),
    );
  });

  test('fails after a bounded number of tries', async () => {
    const at = answering(...Array.from({ length: 9 }, () => refuse('ECONNRESET')));
    const clock = { ...systemClock, sleep: async () => true };
    const persistent = persistentTransport(at.transport, { ...at.ports, clock });
    await assert.rejects(persistent('/v1/runs', commandCall()), (error) =>
      isRefusal(error, 'request.outcome-unknown'),
    );
    assert.equal(at.received.length, 5);
  });

  test('a read request has no key and is sent once', async () => {
    const at = answering(refuse('ECONNRESET'));
    const persistent = persistentTransport(at.transport, at.ports);
    await assert.rejects(persistent('/v1/runs', { method: 'GET' }), (error) =>
      isRefusal(error, 'owner.unreachable'),
    );
    assert.equal(at.received.length, 1);
  });
});
