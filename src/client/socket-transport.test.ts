import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { tempDir } from '../../test/support/temp-dir.ts';

/** Prints what the owner answered, and whether undici is loaded then. */
const CALL = `
const [, socket, transport, gateway] = process.argv;
await import(gateway);
const { socketTransport } = await import(transport);
const answer = await socketTransport(socket)('/v1/x', { method: 'POST', body: [1] });
const text = await answer.text();
const loaded = process.moduleLoadList.filter((name) => name.endsWith('deps/undici/undici'));
console.log(JSON.stringify({ status: answer.status, text, loaded }));
`;

describe('a call over the socket of an owner', () => {
  test('has the answer, and neither it nor a gateway loads undici, which takes 60 ms', async () => {
    await using dir = await tempDir();
    const socket = join(dir.path, 's');
    const server = createServer((request, response) => request.pipe(response.writeHead(404)));
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    try {
      const files = ['./socket-transport.ts', '../gateway/process/run-gateway-process.ts'];
      const urls = files.map((file) => import.meta.resolve(file));
      const args = ['--input-type=module', '-e', CALL, socket, ...urls];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      assert.deepEqual(JSON.parse(stdout), { status: 404, text: '[1]', loaded: [] });
    } finally {
      server.close();
    }
  });
});
