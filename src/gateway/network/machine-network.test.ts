import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { addressKind } from './private-addresses.ts';
import { machineNetwork } from './machine-network.ts';

const { signal } = new AbortController();

test('the name of this machine resolves to addresses that no tunnel may reach', async () => {
  const addresses = await machineNetwork.resolve('localhost', signal);
  assert.ok(addresses.length > 0);
  assert.deepEqual([...new Set(addresses.map(addressKind))], ['special']);
});

test('an impossible name has no address', async () => {
  await assert.rejects(machineNetwork.resolve('nobody.invalid', signal));
});

test('a dial connects to exactly its address, or rejects', async () => {
  const server = createServer((socket) => socket.end('hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const received: unknown[] = await (
    await machineNetwork.dial('127.0.0.1', port, signal)
  ).toArray();
  assert.equal(Buffer.concat(received as Buffer[]).toString(), 'hello');
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(machineNetwork.dial('127.0.0.1', port, signal), { code: 'ECONNREFUSED' });
  await assert.rejects(machineNetwork.dial('127.0.0.1', port, AbortSignal.abort()));
});
