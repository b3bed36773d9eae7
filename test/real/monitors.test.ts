/**
 * What monitors see of contained agents, through their gateway and in their tree. The agents are a
 * line of shell.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import type { Signal } from '../../src/protocol/signal.ts';
import { GATEWAY_PORT } from '../../src/sandbox/policy.ts';
import { eventually } from '../support/eventually.ts';
import { questionOn } from '../../src/testing/model-server/ask-model.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { SECRET, SandboxedHarness } from './sandboxed-harness.ts';

const missing = ['bwrap', 'curl', 'bash'].filter((name) => which(name, process.env) === undefined);
const skip =
  missing.length > 0 && process.env['CI'] === undefined ? `missing: ${missing.join(', ')}` : false;
const WITHIN_MS = 240_000;
const USAGE = { inputTokens: 1000, cachedTokens: 0, outputTokens: 100, reasoningTokens: 0 };

/** An owner with one long-lived agent that runs this script in each of its turns. */
async function summon(
  script: string,
  more: object,
  url = '',
  network: readonly string[] = [],
): Promise<SandboxedHarness> {
  const command = ['bash', '--norc', '-c', script];
  const agents = [{ id: 'mine', cli: 'custom', command }];
  const children = [{ name: 'one', assignment: 'be there', agent: 'mine', ...more }];
  const harness = await SandboxedHarness.create({
    config: { agents, sandbox: { backend: 'bubblewrap', network }, tree: { children } },
    env: url === '' ? {} : { OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: `${url}/v1` },
  });
  await harness.client.agents.declare(harness.project);
  return harness;
}

async function signalsOf(at: SandboxedHarness): Promise<readonly Signal[]> {
  const { run } = await at.client.agents.view('one', at.project);
  const facts = await at.client.events({ run, limit: 1000 });
  return facts.flatMap((fact) => (fact.type === 'signal.received' ? [fact.payload.signal] : []));
}

async function until(
  at: SandboxedHarness,
  what: string,
  condition: (signals: readonly Signal[]) => boolean,
): Promise<readonly Signal[]> {
  await eventually(what, async () => condition(await signalsOf(at)), WITHIN_MS);
  return signalsOf(at);
}

describe('what monitors see of a contained agent', { skip, timeout: WITHIN_MS }, () => {
  test('a budget that runs out: a warning at four fifths, a question at the whole', async () => {
    await using server = await ModelServer.start({
      keys: [SECRET],
      script: { steps: [{ text: 'Good.', usage: USAGE }] },
    });
    const { path, body } = questionOn('openai-chat', 'hello');
    const script = `
      for n in 1 2 3 4 5 6; do
        curl -s -o answer "$\{OPENAI_BASE_URL%/v1}${path}" -H 'content-type: application/json' \
          -H "authorization: Bearer $OPENAI_API_KEY" -d '${JSON.stringify(body)}'
      done; sleep 600`.replaceAll('$\\{', '${');
    await using at = await summon(script, { budget: { calls: 5 } }, server.url);
    const signals = await until(at, 'the warning', (all) =>
      all.some(({ kind }) => kind === 'message'),
    );
    const warning = signals.find(({ kind }) => kind === 'message');
    assert.match(JSON.stringify(warning), /You have used 80 % of 5 model calls\./);
    await eventually('the question', async () => (await at.client.inbox()).length > 0, WITHIN_MS);
    const [asked] = await at.client.inbox();
    assert.deepEqual(asked?.choices, ['continue', 'stop']);
    assert.equal(server.journal().length, 5);
  });

  test('a blocked connection, with the name of its host', async () => {
    const script = `
      exec 3<>/dev/tcp/127.0.0.1/${GATEWAY_PORT}
      printf 'CONNECT evil.example:443 HTTP/1.1\\r\\nhost: evil.example\\r\\n\\r\\n' >&3
      head -1 <&3; sleep 600`;
    const violations = [{ name: 'hosts', action: 'log', unknown_host: ['good.example'] }];
    await using at = await summon(script, { violations });
    const signals = await until(at, 'it', (all) => all.some(({ kind }) => kind === 'violation'));
    assert.deepEqual(
      signals.find(({ kind }) => kind === 'violation'),
      {
        kind: 'violation',
        rule: 'hosts',
        action: 'log',
        what: 'connects to evil.example',
        times: 1,
      },
    );
  });

  test('a change to its own limits, in its own copy, when its turn has ended', async () => {
    const script = 'mkdir -p .supervisor; echo "{}" >.supervisor/config.yaml; echo done';
    await using at = await summon(script, {});
    const signals = await until(at, 'its end', (all) => all.some(({ kind }) => kind === 'dismiss'));
    const file = join(at.project, '.supervisor/config.yaml');
    assert.deepEqual(
      signals.find(({ kind }) => kind === 'violation'),
      {
        kind: 'violation',
        rule: 'self-modification',
        action: 'reap',
        what: `writes to ${file}, which sets its own limits`,
        times: 1,
      },
    );
    assert.equal(existsSync(file), false);
  });
});

/** A listener on this machine, and what it received. */
async function listener(): Promise<
  AsyncDisposable & { readonly host: string; readonly heard: string[] }
> {
  const received: string[] = [];
  const server = createServer((socket) => {
    received.push('');
    socket.on('error', () => socket.destroy());
    socket.setEncoding('utf8').on('data', (text: string) => {
      received.push(`${received.pop() ?? ''}${text}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    host: `localhost:${address.port}`,
    heard: received,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

describe('the network of a contained agent', { skip, timeout: WITHIN_MS }, () => {
  test('consists of the hosts of its grant, and of no other host of its project', async () => {
    await using mine = await listener();
    await using other = await listener();
    const asks = (host: string): string => `
      exec 3<>/dev/tcp/127.0.0.1/${GATEWAY_PORT}
      printf 'CONNECT ${host} HTTP/1.1\\r\\nhost: ${host}\\r\\n\\r\\n' >&3
      read -r said <&3; all="$all$said"`;
    const script = `all=; ${asks(other.host)}; exec 3>&-; ${asks(mine.host)}
      printf '%s' "$all via $HTTPS_PROXY" | tr -d '\\r' >&3; echo . >&3; sleep 600`;
    const violations = [{ name: 'hosts', action: 'log', unknown_host: ['good.example'] }];
    const narrow = { sandbox: { network: [mine.host] }, violations };
    const project = [other.host, mine.host];
    await using at = await summon(script, narrow, '', project);
    await eventually('words', () => mine.heard.some((text) => text.endsWith('.\n')), WITHIN_MS);
    assert.deepEqual(mine.heard, [
      `HTTP/1.1 403 ForbiddenHTTP/1.1 200 Connection Established via http://127.0.0.1:${GATEWAY_PORT}.\n`,
    ]);
    assert.deepEqual(other.heard, []);
    // The record shows the allowed hosts, the successful connection, and the refused one.
    const { run } = await at.client.agents.view('one', at.project);
    const facts = await at.client.events({ run, limit: 1000 });
    const [first] = facts;
    assert.ok(first?.type === 'run.submitted');
    const { longLived } = first.payload.settings as { longLived?: { grant?: { hosts?: unknown } } };
    assert.deepEqual(longLived?.grant?.hosts, [mine.host]);
    const notes = facts.flatMap((fact) =>
      fact.type === 'command.noted' && fact.payload.note['kind'] === 'started'
        ? [fact.payload.note['hosts']]
        : [],
    );
    assert.deepEqual(notes, [[mine.host]]);
    const signals = await until(at, 'both', (all) => countOf(all) === 2);
    assert.equal(countOf(signals), 2);
  });
});

function countOf(signals: readonly Signal[]): number {
  return signals.filter(({ kind }) => kind === 'violation').length;
}
