/** The only way out: a port on the sandbox's own loopback that ends at our socket. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { BRIDGE_PROGRAM, entryArgv } from '../../src/sandbox/entry-script.ts';
import { AGENT_LIMITS, GATEWAY_PORT, offlinePolicy } from '../../src/sandbox/policy.ts';
import { tempDir } from '../support/temp-dir.ts';
import type { TestEngine } from './docker-engine.ts';
import { dockerEngine } from './docker-engine.ts';
import type { Run } from './setup.ts';
import { missing, noBubblewrap, runScript, workFolder } from './setup.ts';

/** Prints the request that it received, as a gateway would. */
async function echoServer(socket: string) {
  const http = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => response.end(`${request.method} ${request.url} ${body.length}\n`));
  }).listen(socket);
  await once(http, 'listening');
  await chmod(socket, 0o666);
  return {
    socket,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}

/** Two HTTP requests with only perl. */
const ASK = `perl -e '
use IO::Socket::IP;
my $body = "x" x 300_000;
for my $path ("/one", "/two") {
  my $s = IO::Socket::IP->new(PeerHost => "127.0.0.1", PeerPort => ${GATEWAY_PORT}) or die "no way out: $!";
  print $s "POST $path HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\nContent-Length: " . length($body) . "\\r\\n\\r\\n$body";
  my @lines = <$s>;
  print $lines[-1];
}'`;

async function asks(run: Run): Promise<void> {
  await using work = await workFolder();
  await using outside = await tempDir();
  await using server = await echoServer(join(outside.path, 'gateway.sock'));
  const { socket } = server;
  const network = { kind: 'gateway', socket, port: GATEWAY_PORT } as const;
  const through = await runScript(work.path, ASK, { ...run, policy: { network } });
  assert.deepEqual(
    [through.stdout, through.exit],
    ['POST /one 300000\nPOST /two 300000\n', { kind: 'code', code: 0 }],
    through.stderr,
  );

  const proxied = await runScript(
    work.path,
    'echo "$https_proxy $HTTP_PROXY"; rm /run/supervisor/gateway.sock; ls /run/supervisor/gateway.sock',
    {
      ...run,
      policy: { network: { ...network, kind: 'allowlist' } },
    },
  );
  const url = `http://127.0.0.1:${GATEWAY_PORT}`;
  assert.equal(proxied.stdout, `${url} ${url}\n/run/supervisor/gateway.sock\n`);
}

describe('the connection to the gateway', () => {
  test(
    'opens in bubblewrap, even if only root can reach the socket',
    { skip: noBubblewrap() },
    () => asks({}),
  );

  describe('in docker', () => {
    let engine: TestEngine | undefined;
    before(async () => {
      engine = await dockerEngine((why) => missing(`docker (${why})`));
    });
    after(() => engine?.[Symbol.asyncDispose]());
    test('opens', async (t) => {
      if (engine === undefined) return t.skip('there is no engine');
      await asks({
        backend: 'docker',
        image: engine.image,
        env: { ...process.env, DOCKER_HOST: engine.host },
      });
    });
  });

  test('opens with Node if there is no socat', async () => {
    await using folder = await tempDir();
    const [bridge, bin] = [join(folder.path, 'bridge.cjs'), join(folder.path, 'bin')];
    await using server = await echoServer(join(folder.path, 'socket'));
    const { socket } = server;
    await writeFile(bridge, BRIDGE_PROGRAM);
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, 'node'));
    symlinkSync('/usr/bin/perl', join(bin, 'perl'));
    symlinkSync('/bin/sleep', join(bin, 'sleep'));
    const network = { kind: 'gateway', socket, port: 30_000 + (process.pid % 20_000) } as const;
    const policy = { ...offlinePolicy('x', '/', AGENT_LIMITS), network };
    const [file = '', ...args] = entryArgv(
      policy,
      ['/bin/sh', '-c', ASK.replace(String(GATEWAY_PORT), String(network.port))],
      {
        rlimits: null,
        lifeline: false,
        socket,
        bridge,
      },
    );
    const child = spawn(file, args, {
      env: { PATH: bin },
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    await once(child, 'exit');
    process.kill(-(child.pid ?? 0), 'SIGKILL'); // the bridge, which nothing else ends here
    assert.equal(stdout, 'POST /one 300000\nPOST /two 300000\n');
  });
});
