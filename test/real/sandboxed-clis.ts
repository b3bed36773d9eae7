/**
 * The real CLIs as agents of an owner: their names, their configuration, and the tool calls that
 * make them act.
 */
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import type { TestContext } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import type { ScriptFunction } from '../../src/testing/model-server/model-script.ts';
import type { ToolCall } from '../../src/testing/model-server/model-wire.ts';
import type { CliName } from './clis.ts';
import { commandOf, RECIPES } from './clis.ts';
import type { SandboxedOptions } from './sandboxed-harness.ts';
import { SECRET, SandboxedHarness } from './sandboxed-harness.ts';

/** Where the programs of all of them are. */
export const BIN = dirname(commandOf('claude') ?? '');

export const CLIS = Object.keys(RECIPES) as readonly CliName[];

/** CLIs without a model here choose one themselves. */
export const MODELS: Readonly<Record<CliName, string | null>> = {
  claude: null,
  codex: 'gpt-5.5', // newer ones take their tools in another form
  gemini: 'gemini-2.5-flash',
  copilot: 'gpt-4.1',
  opencode: 'test-model',
};

/**
 * An owner with these agents, each under its own name, and a model server at `url` for all of them.
 */
export function harnessFor(
  clis: readonly CliName[],
  url: string,
  more: SandboxedOptions = {},
): Promise<SandboxedHarness> {
  const agents = clis.map((cli) => ({
    id: cli,
    cli,
    ...(MODELS[cli] === null ? {} : { model: MODELS[cli] }),
  }));
  return SandboxedHarness.create({
    path: [BIN],
    config: { agents, ...more.config },
    env: { ...providerEnv(url), ...more.env },
  });
}

export function providerEnv(url: string): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_API_KEY: SECRET,
    ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: SECRET,
    OPENAI_BASE_URL: `${url}/v1`,
    GEMINI_API_KEY: SECRET,
    GOOGLE_GEMINI_BASE_URL: url,
  };
}

/** The tool call with which this CLI runs a line of shell. */
export function shellCall(cli: CliName, command: string): ToolCall {
  switch (cli) {
    case 'codex':
      return { name: 'exec_command', args: { cmd: command } };
    case 'gemini':
      return { name: 'run_shell_command', args: { command, description: 'does it' } };
    case 'claude':
      return { name: 'Bash', args: { command, description: 'does it' } };
    case 'copilot':
    case 'opencode':
      return { name: 'bash', args: { command, description: 'does it' } };
  }
}

/** Skips the test if something is missing here, which is red in CI. */
export function isMissing(t: TestContext, ...clis: readonly CliName[]): boolean {
  const missing = [
    ...clis
      .filter((cli) => commandOf(cli) === undefined)
      .map((cli) => `${cli} (npm ci --prefix test/real)`),
    ...(which('bwrap', process.env) === undefined ? ['bubblewrap'] : []),
  ];
  if (missing.length === 0) return false;
  const words = `missing: ${missing.join(', ')}`;
  if (process.env['CI'] !== undefined) assert.fail(words);
  t.skip(words);
  return true;
}

/**
 * A model that makes this CLI run a line of shell, and then write a file into the folder that the
 * line printed.
 */
export function shellThenFile(cli: CliName, line: string, file: string): ScriptFunction {
  return ({ toolResults, units }) => {
    if (toolResults === 0) return { calls: [shellCall(cli, `${line}; pwd`)] };
    if (toolResults > 1) return { text: 'All done.' };
    const cwd = /\/[^\s"\\]+\/trees\/\w+\/\d+\/work/.exec(JSON.stringify(units))?.[0] ?? 'unknown';
    return { calls: [RECIPES[cli].write(file, 'made inside', { cwd, home: '/home/agent' })] };
  };
}
