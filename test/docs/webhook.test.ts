/** The program of the guide that checks a signed notification, against a real delivery. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../../src/base/clock.ts';
import { at } from '../../src/base/clock.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { deliverNotification } from '../../src/owner/notifications/deliver-notification.ts';
import { tempDir } from '../support/temp-dir.ts';
import { checkout, parse } from './markdown.ts';

const GUIDE = 'docs/guide/running.md';
const SECRET = 'a secret that both sides know';
const NOTICE = { event: 'ended', run_id: '0123456789', state: 'failed', project: '/' } as const;

type Verify = (header: string, body: string, secret: string) => boolean;
type Received = { readonly header: string | undefined; readonly body: string };

async function readProgram(): Promise<Verify> {
  const guide = parse(GUIDE, readFileSync(join(checkout, GUIDE), 'utf8'));
  const block = guide.blocks.find(({ text: code }) => code.startsWith('// verify-notification.ts'));
  await using dir = await tempDir();
  const file = join(dir.path, 'verify-notification.ts');
  await writeFile(file, block?.text ?? assert.fail(`${GUIDE} has no such program`));
  return ((await import(pathToFileURL(file).href)) as { isGenuine: Verify }).isGenuine;
}

/** What a server gets. */
async function deliver(clock: Clock, secret: string | undefined): Promise<Received> {
  const got = Promise.withResolvers<Received>();
  const server = createServer((request, response) => {
    const header = request.headers['x-supervisor-signature'] as string | undefined;
    void receive();
    async function receive(): Promise<void> {
      const body = await text(request);
      response.writeHead(204).end();
      got.resolve({ header, body });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const ownerEnv = { SUPERVISOR_NOTIFY_SECRET: secret };
    const ports = { clock, env: {}, tag: 'supervisor:test/webhook', home: '/nowhere', ownerEnv };
    const address = { notify: `http://127.0.0.1:${port}/`, signs: secret !== undefined };
    const how = await deliverNotification(address, NOTICE, ports);
    assert.equal(how, 'delivered');
    return await got.promise;
  } finally {
    server.close();
  }
}

describe('a notification to a URL', { timeout: 60_000 }, () => {
  test('is genuine for the program of the guide, unless its body, secret or time differ', async () => {
    const isGenuine = await readProgram();
    const { header = '', body } = await deliver(systemClock, SECRET);
    assert.deepEqual(JSON.parse(body), NOTICE);
    assert.equal(isGenuine(header, body, SECRET), true);
    assert.equal(isGenuine(header, body.replace('failed', 'succeeded'), SECRET), false);
    assert.equal(isGenuine(header, body, 'another secret'), false);
    assert.equal(isGenuine('', body, SECRET), false);
    const anHourAgo = { ...systemClock, now: () => at(Date.now() - 3_600_000) };
    const old = await deliver(anHourAgo, SECRET);
    assert.equal(isGenuine(old.header ?? '', old.body, SECRET), false, 'it is sent again');
  });

  test('has no signature without a secret', async () => {
    assert.equal((await deliver(systemClock, undefined)).header, undefined);
  });
});
