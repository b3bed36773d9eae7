/** CLIs without an adapter, declared as the guide shows, if they are in PATH. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import type { ScriptFunction } from '../../src/testing/model-server/model-script.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import type { ToolCall } from '../../src/testing/model-server/model-wire.ts';
import { readYaml } from '../../src/yaml/read-yaml.ts';
import { toValue } from '../../src/yaml/yaml-tree.ts';
import { documents } from '../docs/markdown.ts';
import { providerEnv } from './sandboxed-clis.ts';
import { resultOf, SECRET, SandboxedHarness } from './sandboxed-harness.ts';

const TIMEOUT_MS = 300_000;

function declared(): object {
  const guide = documents().find(({ path }) => path === 'docs/guide/agents.md');
  const block = guide?.blocks.find(({ text }) => text.includes('id: qwen'));
  assert.ok(block !== undefined, 'they are in the guide');
  return toValue(
    readYaml(block.text, (line, column) => ({ file: 'guide', line, column })).tree,
  ) as object;
}

function missing(program: string): string | false {
  const absent = [program, 'bwrap'].filter((name) => which(name, process.env) === undefined);
  return absent.length > 0 ? `missing: ${absent.join(', ')}` : false;
}

function writes(line: string): Readonly<Record<string, ToolCall>> {
  return {
    qwen: {
      name: 'run_shell_command',
      args: { command: line, description: 'writes', is_background: false },
    },
    cline: { name: 'run_commands', args: { commands: [line] } },
  };
}

for (const cli of ['qwen', 'cline']) {
  const call = writes('echo made inside >one.txt')[cli];
  describe(cli, { skip: missing(cli), timeout: TIMEOUT_MS }, () => {
    const works: ScriptFunction = ({ toolResults }) =>
      toolResults === 0 && call !== undefined ? { calls: [call] } : { text: 'All done.' };

    test('reaches its model through its settings file, and works', async () => {
      await using server = await ModelServer.start({ keys: [SECRET], script: works });
      await using at = await SandboxedHarness.create({
        config: declared(),
        env: providerEnv(server.url),
      });
      const run = await at.submit(cli);
      const facts = await at.factsOf(run);
      assert.deepEqual(facts.at(-1)?.payload, {
        outcome: { kind: 'unverified', reason: 'All done.' },
      });
      const usage = resultOf(facts)['usage'] as { inputTokens: number };
      assert.ok(usage.inputTokens > 0, JSON.stringify(usage));
      await at.client.apply(run);
      assert.ok(existsSync(join(at.project, 'one.txt')));
      assert.deepEqual(
        server.journal().filter(({ answered }) => answered.kind === 'refused'),
        [],
      );
    });

    test('is refused by its provider, and the record shows it', async () => {
      await using server = await ModelServer.start({
        keys: [SECRET],
        script: works,
        faults: [{ fault: { kind: 'unauthorized' } }],
      });
      await using at = await SandboxedHarness.create({
        config: declared(),
        env: providerEnv(server.url),
      });
      const facts = await at.factsOf(await at.submit(cli, { once: true }));
      assert.equal(resultOf(facts)['reason'], 'auth', JSON.stringify(resultOf(facts)));
    });
  });
}
