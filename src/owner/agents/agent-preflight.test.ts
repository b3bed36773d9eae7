import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { seededRandom } from '../../base/random.ts';
import { homeAt } from '../../host/machine/state-home.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import { defaultSettings } from '../../settings/settings.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { OwnerOptions } from '../owner-options.ts';
import type { SpawnCandidate } from './agent-preflight.ts';
import { agentPreflight, preflightFailed } from './agent-preflight.ts';
import { executionHost } from '../execution-host.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';

type Check = (candidateFor: SpawnCandidate, project: string) => Promise<readonly string[]>;

const scripted: AgentSpec = { id: 'scripted', cli: 'scripted', args: [], env: {} };

/** The preflight of an owner on a machine whose PATH contains only `bin`. */
async function preflightHarness(
  env: Record<string, string> = {},
): Promise<AsyncDisposable & { readonly path: string; readonly check: Check }> {
  const dir = await tempDir();
  for (const name of ['home', 'user', 'bin', 'app']) await mkdir(join(dir.path, name));
  const options: OwnerOptions = {
    home: homeAt(join(dir.path, 'home'), dir.path),
    ownerId: 'tester',
    version: '1.2.3',
    pid: process.pid,
    clock: systemClock,
    random: seededRandom(1),
    node: process.execPath,
    agentEnv: { PATH: join(dir.path, 'bin'), HOME: join(dir.path, 'user') },
    env,
    log: () => {},
  };
  const ports = { options, executionHost: executionHost(options), limits: defaultSettings.limits };
  const check: Check = (candidate, project) => agentPreflight(candidate, project, ports);
  return { path: dir.path, check, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

function candidateFor(
  agent: AgentSpec,
  writes: readonly string[],
  more: Partial<SpawnCandidate> = {},
): SpawnCandidate {
  const budget = { usd: null, tokens: null, calls: null, wallMs: null };
  const grant = { writes, reads: [], hosts: [], capabilities: [], budget };
  return { agent, sandbox: defaultSettings.sandbox, longLived: { grant }, ...more };
}

describe('the preflight of an agent', () => {
  test('finds no problem for a scripted agent in an existing folder', async () => {
    await using at = await preflightHarness();
    const app = join(at.path, 'app');
    assert.deepEqual(await at.check(candidateFor(scripted, [app]), app), []);
  });

  test('reports each granted folder that does not exist or is a file', async () => {
    await using at = await preflightHarness();
    const app = join(at.path, 'app');
    await writeFile(join(app, 'file'), '');
    const candidate = candidateFor(scripted, [join(app, 'gone'), join(app, 'file'), app]);
    assert.deepEqual(await at.check(candidate, app), [
      `permissions: ${app}/gone does not exist`,
      `permissions: ${app}/file is not a folder`,
    ]);
  });

  test('reports a missing sandbox, program and key together', { timeout: 300_000 }, async () => {
    await using at = await preflightHarness();
    const app = join(at.path, 'app');
    const claude: AgentSpec = { id: 'claude', cli: 'claude', args: [], env: {} };
    const sandbox = { ...defaultSettings.sandbox, backend: 'none' as const };
    const found = await at.check(candidateFor(claude, [app], { sandbox }), app);
    assert.deepEqual(
      found.map((one) => one.replace(/:.*/, '')),
      ['sandbox', 'login', 'login'],
    );
    assert.match(found[1] ?? '', /claude is not installed/);
    assert.match(found[2] ?? '', /ANTHROPIC_API_KEY/);
  });

  test('reports no problem if the key and the program exist', async () => {
    await using at = await preflightHarness({ ANTHROPIC_API_KEY: 'sk-ant-of-a-test' });
    const app = join(at.path, 'app');
    const claudeScript = '#!/bin/sh\necho 2.1.197\n';
    await writeFile(join(at.path, 'bin', 'claude'), claudeScript, { mode: 0o755 });
    const claude: AgentSpec = { id: 'claude', cli: 'claude', args: [], env: {} };
    assert.deepEqual(await at.check(candidateFor(claude, [app], { unsafe: true }), app), []);
  });

  test('reports a variable that is neither configured nor set', async () => {
    await using at = await preflightHarness();
    const app = join(at.path, 'app');
    await writeFile(join(at.path, 'bin', 'mine'), '#!/bin/sh\n', { mode: 0o755 });
    const command = ['mine'];
    const mine: AgentSpec = {
      id: 'mine',
      cli: 'custom',
      args: [],
      env: {},
      secrets: ['T'],
      command,
    };
    const [first, ...rest] = await at.check(candidateFor(mine, [app], { unsafe: true }), app);
    assert.match(first ?? '', /^login: /);
    assert.deepEqual(rest, []);
  });

  test('puts all problems into one refusal', () => {
    const { data } = preflightFailed('builder', ['sandbox: none.', 'login: no key.']);
    assert.equal(data.code, 'agent.preflight-failed');
    assert.equal(data.message, 'The agent builder is not started: sandbox: none; login: no key.');
  });
});
