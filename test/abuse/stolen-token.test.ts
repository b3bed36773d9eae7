/** A token that an agent copies is worthless once its run has ended. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { questionOn } from '../../src/testing/model-server/ask-model.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import { SECRET, SandboxedHarness } from '../real/sandboxed-harness.ts';

const missing = ['bwrap', 'curl'].filter((name) => which(name, process.env) === undefined);
const skip =
  missing.length > 0 && process.env['CI'] === undefined ? `missing: ${missing.join(', ')}` : false;

const { path, body } = questionOn('openai-chat', 'hello');
/**
 * Calls its model with its own token, then with the one that an earlier agent has left, and leaves
 * its own.
 */
const AGENT = `
  ask() {
    curl -s -o /dev/null -w '%{http_code} ' "\${OPENAI_BASE_URL%/v1}${path}" \\
      -H 'content-type: application/json' -H "authorization: Bearer $1" -d '${JSON.stringify(body)}' >>statuses
  }
  ask "$OPENAI_API_KEY"
  test -e token && ask "$(rev <token)"
  printf %s "$OPENAI_API_KEY" | rev >token
`;

test(
  'case 16: a stolen token is refused in the next run, and the key was never there',
  { skip, timeout: 300_000 },
  async () => {
    await using server = await ModelServer.start({
      keys: [SECRET],
      script: { steps: [{ text: 'Good.' }] },
    });
    const agents = [{ id: 'mine', cli: 'custom', command: ['bash', '--norc', '-c', AGENT] }];
    await using at = await SandboxedHarness.create({
      config: { agents },
      env: { OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: `${server.url}/v1` },
    });
    const tokens: string[] = [];
    for (const round of [1, 2]) {
      const run = await at.submit('mine', { once: true });
      await at.factsOf(run);
      await at.client.apply(run);
      const token = await readFile(join(at.project, 'token'), 'utf8');
      tokens.push(token.trim().split('').toReversed().join(''));
      at.git('add', '--all');
      at.git('commit', '--quiet', '-m', `round ${round}`);
    }
    assert.equal(await readFile(join(at.project, 'statuses'), 'utf8'), '200 200 401 ');
    assert.equal(server.journal().length, 2);
    const [first = '', second = ''] = tokens;
    assert.ok(first.length >= 16 && first !== second && !tokens.includes(SECRET), tokens.join(' '));
  },
);
