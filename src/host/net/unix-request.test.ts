import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { requestUnix } from './unix-request.ts';

test('a request returns the answer of a socket, or undefined if there is none', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 's');
  assert.equal(await requestUnix(path, 'GET', '/', 10_000), undefined);
  const server = createServer((request, response) => {
    if (request.url === '/silent') return;
    response.writeHead(404).end(`${request.method} ${request.url}`);
  }).listen(path);
  await once(server, 'listening');
  assert.deepEqual(await requestUnix(path, 'DELETE', '/x?y=1', 10_000), {
    status: 404,
    text: 'DELETE /x?y=1',
  });
  assert.equal(await requestUnix(path, 'GET', '/silent', 50), undefined);
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});
