import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { describe, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { ConnectProxy } from './connect-proxy.ts';
import type { ConnectProxyOptions, ProxyFact } from './connect-proxy.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'model.test': ['93.184.216.34'],
  'home.test': ['192.168.1.7'],
  'rebound.test': ['93.184.216.34', '127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:10.0.0.1'],
  localhost: ['127.0.0.1', '::1'],
  'mine.test': ['127.0.0.1', '93.184.216.34'],
};

type Harness = AsyncDisposable & {
  readonly clock: ManualClock;
  readonly facts: ProxyFact[];
  readonly dialled: string[];
  /** Sends bytes and collects the response until the connection ends or `until` is received. */
  say(bytes: string, until?: string): Promise<string>;
  open(): Socket;
};

/**
 * Every dial ends at one echo server on loopback, whatever the address. The list of dials shows which addresses were
 * used.
 */
async function startHarness(options: Partial<ConnectProxyOptions> = {}): Promise<Harness> {
  const clock = new ManualClock();
  const facts: ProxyFact[] = [];
  const dialled: string[] = [];
  const echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const echoPort = (echo.address() as AddressInfo).port;
  const proxy = await ConnectProxy.start({
    listen: { port: 0 },
    allow: [
      { host: 'model.test', port: 443 },
      { host: 'home.test', port: 443, isPrivate: true },
      { host: 'rebound.test', port: 443 },
      { host: 'metadata.test', port: 443, isPrivate: true },
      { host: 'mapped.test', port: 443, isPrivate: true },
      { host: 'gone.test', port: 443 },
      { host: 'localhost', port: 4873, isLoopback: true },
      { host: 'mine.test', port: 443, isLoopback: true },
    ],
    network: {
      resolve: (host) => Promise.resolve(NAMES[host] ?? []),
      dial: (address, port) => {
        dialled.push(`${address}:${port}`);
        return Promise.resolve(connect(echoPort, '127.0.0.1'));
      },
    },
    clock,
    onFact: (fact) => facts.push(fact),
    ...options,
  });
  const open = (): Socket => connect(proxy.port ?? 0, '127.0.0.1');
  return {
    clock,
    facts,
    dialled,
    open,
    say: (bytes, until) =>
      new Promise((resolve) => {
        const socket = open();
        let received = '';
        socket.on('data', (chunk: Buffer) => {
          received += chunk.toString('latin1');
          if (until !== undefined && received.includes(until)) socket.destroy();
        });
        socket.on('error', () => socket.destroy());
        socket.on('close', () => resolve(received));
        socket.write(bytes);
      }),
    [Symbol.asyncDispose]: async () => {
      await proxy.close();
      await new Promise((resolve) => echo.close(resolve));
    },
  };
}

const CONNECT = 'CONNECT model.test:443 HTTP/1.1\r\nhost: model.test:443\r\n\r\n';

describe('a tunnel', () => {
  test('to an allowed host carries bytes both ways, and is reported', async () => {
    await using at = await startHarness();
    const received = await at.say(`${CONNECT}early and late`, 'late');
    assert.equal(received, 'HTTP/1.1 200 Connection Established\r\n\r\nearly and late');
    assert.deepEqual(at.dialled, ['93.184.216.34:443']);
    await eventually('its end is reported', () => at.facts.length === 2);
    assert.deepEqual(at.facts, [
      { kind: 'tunnel-opened', at: 0, target: 'model.test:443', address: '93.184.216.34' },
      {
        kind: 'tunnel-closed',
        at: 0,
        target: 'model.test:443',
        end: 'done',
        bytesOut: 14,
        bytesIn: 14,
      },
    ]);
  });

  const refused: [why: string, bytes: string, status: number, dials?: number][] = [
    ['case 19: another port', 'CONNECT model.test:80 HTTP/1.1\r\nhost: x\r\n\r\n', 403],
    ['case 19: another host', 'CONNECT elsewhere.test:443 HTTP/1.1\r\nhost: x\r\n\r\n', 403],
    [
      'case 19: a host below an allowed one',
      'CONNECT a.model.test:443 HTTP/1.1\r\nhost: x\r\n\r\n',
      403,
    ],
    [
      'case 19: an allowed host in the wrong header',
      'CONNECT elsewhere.test:443 HTTP/1.1\r\nhost: model.test:443\r\n\r\n',
      403,
    ],
    ['case 19: an address', 'CONNECT 93.184.216.34:443 HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['case 19: an address as a number', 'CONNECT 2130706433:443 HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    [
      'case 19: a name with a trailing dot',
      'CONNECT model.test.:443 HTTP/1.1\r\nhost: x\r\n\r\n',
      400,
    ],
    [
      'case 19: credentials before the host',
      'CONNECT model.test:443@b.test:443 HTTP/1.1\r\nhost: x\r\n\r\n',
      400,
    ],
    [
      'case 20: a name that also resolves to this machine',
      'CONNECT rebound.test:443 HTTP/1.1\r\nhost: x\r\n\r\n',
      403,
    ],
    [
      'case 20: a name of the cloud metadata service',
      'CONNECT metadata.test:443 HTTP/1.1\r\nhost: x\r\n\r\n',
      403,
    ],
    [
      'case 20: a private address mapped into IPv6',
      'CONNECT mapped.test:443 HTTP/1.1\r\nhost: x\r\n\r\n',
      403,
    ],
    ['a name without an address', 'CONNECT gone.test:443 HTTP/1.1\r\nhost: x\r\n\r\n', 502],
    [
      'case 19: this machine, at another port',
      'CONNECT localhost:22 HTTP/1.1\r\nhost: x\r\n\r\n',
      403,
    ],
    [
      'case 20: an allowed local name that also resolves elsewhere',
      'CONNECT mine.test:443 HTTP/1.1\r\nhost: x\r\n\r\n',
      403,
    ],
    [
      'case 22: a plain request',
      'GET http://model.test:443/ HTTP/1.1\r\nhost: model.test\r\n\r\n',
      405,
    ],
    [
      'a websocket',
      'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
      405,
    ],
    [
      'case 22: a body before the tunnel',
      'CONNECT model.test:443 HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc',
      400,
    ],
    [
      'case 22: two lengths',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['no HTTP', 'hello\r\n\r\n', 400],
  ];
  for (const [why, bytes, status] of refused)
    test(`${why} is refused`, async () => {
      await using at = await startHarness();
      assert.match(await at.say(bytes), new RegExp(`^HTTP/1.1 ${status} `));
      assert.deepEqual(at.dialled, []);
    });

  test('case 20: a name is resolved once, and the checked address is dialled', async () => {
    const answers = [['93.184.216.34'], ['127.0.0.1']]; // a second lookup would get this answer
    const dialled: string[] = [];
    const network: ConnectProxyOptions['network'] = {
      resolve: () => Promise.resolve(answers.shift() ?? []),
      dial: (address, port) => {
        dialled.push(`${address}:${port}`);
        return Promise.reject(new Error('the host is down'));
      },
    };
    await using at = await startHarness({ network });
    assert.match(await at.say(CONNECT), / 502 /);
    assert.match(await at.say(CONNECT), / 403 /);
    assert.deepEqual(dialled, ['93.184.216.34:443']);
  });

  test('to a private address is opened if the list allows it', async () => {
    await using at = await startHarness();
    const request = CONNECT.replaceAll('model.test', 'home.test');
    assert.match(await at.say(`${request}ping`, 'ping'), /200 Connection/);
    assert.deepEqual(at.dialled, ['192.168.1.7:443']);
  });

  test('to this machine is opened if the list allows it, at that port', async () => {
    await using at = await startHarness();
    const request = CONNECT.replaceAll('model.test:443', 'localhost:4873');
    assert.match(await at.say(`${request}ping`, 'ping'), /200 Connection/);
    assert.deepEqual(at.dialled, ['127.0.0.1:4873']);
  });

  test('requires the token if there is one', async () => {
    await using at = await startHarness({ token: 'word' });
    const basic = Buffer.from('any:word').toString('base64');
    const withToken = (header: string): string =>
      CONNECT.replace('\r\n\r\n', `\r\nproxy-authorization: ${header}\r\n\r\n`);
    assert.match(await at.say(CONNECT), / 407 /);
    assert.match(await at.say(withToken('Bearer wrong')), / 407 /);
    assert.match(await at.say(`${withToken(`Basic ${basic}`)}x`, 'x'), / 200 /);
    assert.match(await at.say(`${withToken('Bearer word')}x`, 'x'), / 200 /);
  });

  test('case 22: ends when it reaches its byte limit', async () => {
    await using at = await startHarness({ bounds: { bytesMax: 1000 } });
    await at.say(`${CONNECT}${'x'.repeat(5000)}`);
    await eventually('its end is reported', () => at.facts.length === 2);
    const [, closed] = at.facts;
    assert.equal(closed?.kind === 'tunnel-closed' && closed.end, 'too-large');
  });

  test('ends after a long silence', async () => {
    await using at = await startHarness();
    const received = at.say(CONNECT);
    await eventually('it is open', () => at.facts.length === 1);
    await at.clock.advance(600_000);
    assert.match(await received, / 200 /);
    const [, closed] = at.facts;
    assert.equal(closed?.kind === 'tunnel-closed' && closed.end, 'silent');
  });

  test('ends with its proxy, and the number of tunnels is limited', async () => {
    await using at = await startHarness({ bounds: { tunnelsMax: 3 } });
    const sockets = Array.from({ length: 3 }, () => at.open());
    for (const socket of sockets) socket.write(CONNECT);
    await eventually('all are open', () => at.facts.length === 3);
    assert.match(await at.say(CONNECT), / 503 /);
    assert.equal(at.dialled.length, 3);
    for (const socket of sockets) socket.destroy();
  });
});
