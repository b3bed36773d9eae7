/** What monitors see of contained agents: through their gateway and in their tree, shown with a line of shell. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/which.ts';
import type { Signal } from '../../src/protocol/event.ts';
import { GATEWAY_PORT } from '../../src/sandbox/policy.ts';
import { eventually } from '../../src/testing/eventually.ts';
import { questionOn } from '../../src/testing/model-server/ask.ts';
import { ModelServer } from '../../src/testing/model-server/server.ts';
import { SECRET, WalledDesk } from './walled-desk.ts';

const missing = ['bwrap', 'curl', 'bash'].filter((name) => which(name, process.env) === undefined);
const skip =
  missing.length > 0 && process.env['CI'] === undefined ? `missing: ${missing.join(', ')}` : false;
const WITHIN_MS = 240_000;
const USAGE = { inputTokens: 1000, cachedTokens: 0, outputTokens: 100, reasoningTokens: 0 };

/** An owner with one agent that lives long and runs this script in each of its turns. */
async function summon(script: string, more: object, url = ''): Promise<WalledDesk> {
  const command = ['bash', '--norc', '-c', script];
  const agents = [{ id: 'mine', cli: 'custom', command }];
  const children = [{ name: 'one', assignment: 'be there', agent: 'mine', ...more }];
  const desk = await WalledDesk.set({
    config: { agents, sandbox: { backend: 'bubblewrap' }, tree: { children } },
    env: url === '' ? {} : { OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: `${url}/v1` },
  });
  await desk.client.agents.declare(desk.project);
  return desk;
}

async function signalsOf(at: WalledDesk): Promise<readonly Signal[]> {
  const { run } = await at.client.agents.view('one', at.project);
  const facts = await at.client.events({ run, limit: 1000 });
  return facts.flatMap((fact) => (fact.type === 'signal.received' ? [fact.payload.signal] : []));
}

async function until(
  at: WalledDesk,
  what: string,
  isSo: (signals: readonly Signal[]) => boolean,
): Promise<readonly Signal[]> {
  await eventually(what, async () => isSo(await signalsOf(at)), WITHIN_MS);
  return signalsOf(at);
}

describe('what monitors see of a contained agent', { skip, timeout: WITHIN_MS }, () => {
  test('a budget that comes to its end: a warning at four fifths, a question at the whole', async () => {
    await using server = await ModelServer.start({
      keys: [SECRET],
      script: { steps: [{ text: 'Good.', usage: USAGE }] },
    });
    const { path, body } = questionOn('openai-chat', 'hello', false);
    const script = `
      for n in 1 2 3 4 5 6; do
        curl -s -o answer "$\{OPENAI_BASE_URL%/v1}${path}" -H 'content-type: application/json' \
          -H "authorization: Bearer $OPENAI_API_KEY" -d '${JSON.stringify(body)}'
      done; sleep 600`.replaceAll('$\\{', '${');
    await using at = await summon(script, { budget: { calls: 5 } }, server.url);
    const told = await until(at, 'the warning', (all) =>
      all.some(({ kind }) => kind === 'message'),
    );
    const warning = told.find(({ kind }) => kind === 'message');
    assert.match(JSON.stringify(warning), /You have used 80 % of 5 model calls\./);
    await eventually('the question', async () => (await at.client.inbox()).length > 0, WITHIN_MS);
    const [asked] = await at.client.inbox();
    assert.deepEqual(asked?.choices, ['continue', 'stop']);
    assert.equal(server.journal().length, 5);
  });

  test('a way out that is none, as the host that it was to', async () => {
    const script = `
      exec 3<>/dev/tcp/127.0.0.1/${GATEWAY_PORT}
      printf 'CONNECT evil.example:443 HTTP/1.1\\r\\nhost: evil.example\\r\\n\\r\\n' >&3
      head -1 <&3; sleep 600`;
    const violations = [{ name: 'hosts', action: 'log', unknown_host: ['good.example'] }];
    await using at = await summon(script, { violations });
    const told = await until(at, 'it', (all) => all.some(({ kind }) => kind === 'violation'));
    assert.deepEqual(
      told.find(({ kind }) => kind === 'violation'),
      {
        kind: 'violation',
        rule: 'hosts',
        action: 'log',
        what: 'connects to evil.example',
        times: 1,
      },
    );
  });

  test('a change to what sets its limits, in its own copy, when its turn has ended', async () => {
    const script = 'mkdir -p .supervisor; echo "{}" >.supervisor/config.yaml; echo done';
    await using at = await summon(script, {});
    const told = await until(at, 'its end', (all) => all.some(({ kind }) => kind === 'dismiss'));
    const file = join(at.project, '.supervisor/config.yaml');
    assert.deepEqual(
      told.find(({ kind }) => kind === 'violation'),
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
