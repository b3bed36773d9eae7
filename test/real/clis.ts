/**
 * How to run each real CLI once, against a model server, with only a PATH of this machine: its
 * command, its environment, the files in its home, and its tool that writes a file.
 */
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { ToolCall, WireName } from '../../src/testing/model-server/model-wire.ts';

export type CliName = 'claude' | 'codex' | 'gemini' | 'copilot' | 'opencode';

export type Place = { readonly home: string; readonly cwd: string };
/** Where the CLI runs, and its model server. */
type Setting = Place & { readonly url: string };

export type Recipe = {
  readonly wire: WireName;
  /** `resumed` is the id of the conversation to continue. */
  readonly args: (prompt: string, setting: Setting, resumed?: string) => readonly string[];
  readonly env: (setting: Setting) => Readonly<Record<string, string>>;
  /** Files that must be in the home before the first run, by their path in it. */
  readonly files: (setting: Setting) => Readonly<Record<string, string>>;
  /** The tool call with which this CLI writes a file into its working directory. */
  readonly write: (file: string, content: string, place: Place) => ToolCall;
};

export const KEY = 'sk-test-0123456789abcdef0123456789abcdef';
const BIN = fileURLToPath(new URL('node_modules/.bin', import.meta.url));

function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}

export const RECIPES: Readonly<Record<CliName, Recipe>> = {
  claude: {
    wire: 'anthropic',
    args: (prompt, _setting, resumed) => [
      ...option('--resume', resumed),
      '-p',
      prompt,
      '--output-format',
      'stream-json',
      '--verbose',
      '--dangerously-skip-permissions',
    ],
    env: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '1',
      IS_SANDBOX: '1',
    }),
    files: () => ({}),
    write: (file, content, { cwd }) => ({
      name: 'Write',
      args: { file_path: join(cwd, file), content },
    }),
  },

  codex: {
    wire: 'openai-responses',
    args: (prompt, { url }, resumed) => [
      'exec',
      ...(resumed === undefined ? [] : ['resume']),
      '--json',
      '--skip-git-repo-check',
      '-m',
      'gpt-5.5',
      '--dangerously-bypass-approvals-and-sandbox',
      '-c',
      'model_provider=test',
      '-c',
      `model_providers.test={name="test",base_url="${url}/v1",env_key="OPENAI_API_KEY",wire_api="responses",request_max_retries=1,stream_max_retries=1}`,
      ...(resumed === undefined ? [] : [resumed]),
      prompt,
    ],
    env: ({ home }) => ({ OPENAI_API_KEY: KEY, CODEX_HOME: join(home, '.codex') }),
    files: () => ({ '.codex/config.toml': '' }),
    write: (file, content) => ({
      name: 'apply_patch',
      args: `*** Begin Patch\n*** Add File: ${file}\n+${content}\n*** End Patch\n`,
    }),
  },

  gemini: {
    wire: 'gemini',
    args: (prompt, _setting, resumed) => [
      ...option('--resume', resumed),
      '-p',
      prompt,
      '-m',
      'gemini-2.5-flash',
      '--output-format',
      'stream-json',
      '--approval-mode',
      'yolo',
      '--skip-trust',
    ],
    env: ({ url }) => ({
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: KEY,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }),
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { disableAutoUpdate: true, disableUpdateNag: true, maxAttempts: 1 },
      }),
    }),
    write: (file, content, { cwd }) => ({
      name: 'write_file',
      args: { file_path: join(cwd, file), content },
    }),
  },

  copilot: {
    wire: 'openai-chat',
    args: (prompt, _setting, resumed) => [
      ...(resumed === undefined ? [] : [`--resume=${resumed}`]),
      '-p',
      prompt,
      '--output-format',
      'json',
      '--allow-all',
      '--no-color',
    ],
    env: ({ home, url }) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_PROVIDER_WIRE_API: 'completions',
      COPILOT_MODEL: 'gpt-4.1',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_HOME: join(home, '.copilot'),
    }),
    files: () => ({}),
    write: (file, content, { cwd }) => ({
      name: 'create',
      args: { path: join(cwd, file), file_text: content },
    }),
  },

  opencode: {
    wire: 'openai-chat',
    args: (prompt, _setting, resumed) => [
      'run',
      ...option('--session', resumed),
      '--format',
      'json',
      '--auto',
      prompt,
    ],
    env: ({ home }) => ({
      TEST_KEY: KEY,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_DATA_HOME: join(home, '.local/share'),
      XDG_STATE_HOME: join(home, '.local/state'),
      XDG_CACHE_HOME: join(home, '.cache'),
    }),
    files: ({ url }) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        autoupdate: false,
        share: 'disabled',
        model: 'test/test-model',
        small_model: 'test/test-model',
        permission: 'allow',
        provider: {
          test: {
            npm: '@ai-sdk/openai-compatible',
            name: 'test',
            options: { baseURL: `${url}/v1`, apiKey: '{env:TEST_KEY}' },
            models: {
              'test-model': {
                name: 'test-model',
                tool_call: true,
                limit: { context: 128_000, output: 8192 },
              },
            },
          },
        },
      }),
    }),
    write: (file, content, { cwd }) => ({
      name: 'write',
      args: { filePath: join(cwd, file), content },
    }),
  },
};

export function commandOf(cli: CliName): string | undefined {
  const command = join(BIN, cli);
  return existsSync(command) ? command : undefined;
}

/** CLIs that are scripts find the Node that runs the tests. */
export function basicEnv(home: string): Record<string, string> {
  return {
    HOME: home,
    // Gemini CLI dumps each failed conversation there and never removes it.
    TMPDIR: home,
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
  };
}

/** The id that the CLI prints for its conversation, under any name. */
export function conversationIn(stdout: string): string | undefined {
  return /"(?:session_id|thread_id|sessionId|sessionID)":"([^"]+)"/.exec(stdout)?.[1];
}
