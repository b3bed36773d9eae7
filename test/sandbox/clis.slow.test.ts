/** Real agents in a real sandbox: only the socket leads to the model, and a tool does its work. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chownSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { SandboxNetwork } from '../../src/sandbox/policy.ts';
import { GATEWAY_PORT, HOME_INSIDE } from '../../src/sandbox/policy.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { tempDir } from '../support/temp-dir.ts';
import { commandOf, RECIPES } from '../real/clis.ts';
import type { TestEngine } from './docker-engine.ts';
import { dockerEngine } from './docker-engine.ts';
import type { Run } from './setup.ts';
import { missing, noBubblewrap, runScript, workFolder } from './setup.ts';

const CLIS = ['claude', 'codex'] as const;
const TIMEOUT_MS = 180_000;

/** In place of the gateway: a socket whose other end is the model server. */
async function socketTo(url: string, path: string): Promise<AsyncDisposable> {
  const { hostname, port } = new URL(url);
  const server = createServer((inner) => {
    const outer = connect(Number(port), hostname);
    const end = (): void => void (inner.destroy(), outer.destroy());
    inner.on('error', end).pipe(outer);
    outer.on('error', end).pipe(inner);
  }).listen({ path, writableAll: true });
  await once(server, 'listening');
  return {
    [Symbol.asyncDispose]: () => new Promise<void>((done) => void server.close(() => done())),
  };
}

async function doesATask(cli: (typeof CLIS)[number], run: Run): Promise<void> {
  const found = commandOf(cli);
  assert.ok(found !== undefined);
  // The folder of all packages, by its real path: nothing is mounted behind a link.
  const packages = realpathSync(dirname(dirname(found)));
  const command = join(packages, '.bin', basename(found));
  const recipe = RECIPES[cli];
  await using work = await workFolder();
  await using home = await workFolder();
  await using outside = await tempDir();
  const setting = { home: HOME_INSIDE, cwd: work.path, url: `http://127.0.0.1:${GATEWAY_PORT}` };
  const { uid, gid } = statSync(home.path);
  for (const [name, content] of Object.entries(recipe.files(setting))) {
    const file = join(home.path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    for (const path of [file, dirname(file)])
      if (process.getuid?.() === 0) chownSync(path, uid, gid);
  }
  await using server = await ModelServer.start({
    script: [
      {
        when: 'the task',
        steps: [
          { calls: [recipe.write('made.txt', 'made inside', setting)] },
          { text: 'All done.' },
        ],
      },
    ],
  });
  const network: SandboxNetwork = {
    kind: 'gateway',
    socket: join(outside.path, 'g'),
    port: GATEWAY_PORT,
  };
  await using socket = await socketTo(server.url, network.socket);
  const argv = [command, ...recipe.args('Do the task.', setting)].map(
    (word) => `'${word.replaceAll("'", `'\\''`)}'`,
  );
  const result = await runScript(work.path, `exec ${argv.join(' ')}`, {
    ...run,
    policy: {
      home: home.path,
      network,
      read: [packages, dirname(dirname(process.execPath))],
      env: {
        ...recipe.env(setting),
        HOME: HOME_INSIDE,
        PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      },
    },
    limits: { timeMs: 120_000 },
  });
  assert.ok(socket);
  assert.deepEqual(
    [result.exit, result.oom === true],
    [{ kind: 'code', code: 0 }, false],
    result.stderr,
  );
  assert.match(result.stdout, /All done\./);
  assert.equal(readFileSync(join(work.path, 'made.txt'), 'utf8').trim(), 'made inside');
  assert.deepEqual(
    server.journal().filter(({ kind, answered }) => kind === 'main' && answered.kind === 'step')
      .length,
    2,
  );
}

function notInstalled(cli: (typeof CLIS)[number]): string | false {
  return commandOf(cli) === undefined ? missing(`${cli} (npm ci --prefix test/real)`) : false;
}

for (const cli of CLIS) {
  test(
    `${cli} does a task in bubblewrap`,
    { skip: noBubblewrap() || notInstalled(cli), timeout: TIMEOUT_MS },
    () => doesATask(cli, {}),
  );
}

describe('docker', () => {
  let engine: TestEngine | undefined;
  before(async () => {
    engine = await dockerEngine((why) => missing(`docker (${why})`));
  });
  after(() => engine?.[Symbol.asyncDispose]());
  for (const cli of CLIS) {
    test(
      `${cli} does a task in docker`,
      { skip: notInstalled(cli), timeout: TIMEOUT_MS },
      async (t) => {
        if (engine === undefined) return t.skip('there is no engine');
        const { image, host } = engine;
        await doesATask(cli, {
          backend: 'docker',
          image,
          env: { ...process.env, DOCKER_HOST: host },
        });
      },
    );
  }
});
