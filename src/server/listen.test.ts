import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { eventually } from '../../test/support/eventually.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { listenOnSocket, listenOnTcp } from './listen.ts';

test('a port accepts a bounded number of connections, and new ones when others close (L5)', async () => {
  const answer = (): Response => new Response('hello');
  const listening = await listenOnTcp(answer, { host: '127.0.0.1', port: 0 }, systemClock, 8);
  const port = listening.port ?? 0;
  let closed = 0;
  const sockets = Array.from({ length: 40 }, () => {
    const socket = connect(port, '127.0.0.1');
    return socket.on('error', () => {}).on('close', () => (closed += 1));
  });
  await eventually('all others are sent away', () => closed === 32);
  for (const socket of sockets) socket.destroy();
  await eventually('there is room again', async () => {
    const said = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    return (await said?.text()) === 'hello';
  });
  await listening.close();
});

test('a folder in place of the socket is refused, and no server stays open', async () => {
  await using dir = await tempDir();
  await mkdir(join(dir.path, 'owner.sock/inside'), { recursive: true });
  await assert.rejects(
    listenOnSocket(() => new Response(''), join(dir.path, 'owner.sock'), systemClock),
    (error) => isRefusal(error, 'home.unusable'),
  );
  // An open server would have left the name that it listens on.
  assert.deepEqual(await readdir(dir.path), ['owner.sock']);
});
