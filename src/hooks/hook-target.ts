/** Where each CLI reads hooks of a person, and what an entry looks like. Never a hook at the end of a turn. */
import { join } from 'node:path';

export const HOOK_CLIS = ['claude', 'codex', 'gemini', 'copilot', 'opencode'] as const;
export type HookCli = (typeof HOOK_CLIS)[number];

/** Whose sessions get the hook: all of the user's, or those in one project. */
export type HookScope =
  | {
      readonly kind: 'user';
      readonly home: string;
      readonly env: Readonly<Record<string, string | undefined>>;
    }
  | { readonly kind: 'project'; readonly project: string };

export type HookTarget =
  /** A list in a settings file that may have other content. */
  | {
      readonly kind: 'entry';
      readonly file: string;
      readonly path: readonly string[];
      readonly value: unknown;
    }
  /** A file that only we write. */
  | { readonly kind: 'file'; readonly file: string; readonly text: string };

const SECONDS_MAX = 20;

/** `command`: the command line that the hook runs, for a shell. */
export function hookTarget(cli: HookCli, scope: HookScope, command: string): HookTarget {
  const file = hookFile(cli, scope);
  const run = { type: 'command', command };
  switch (cli) {
    case 'claude':
    case 'codex': {
      const hooks = [{ ...run, timeout: SECONDS_MAX }];
      const value = cli === 'claude' ? { matcher: '*', hooks } : { hooks };
      return { kind: 'entry', file, path: ['hooks', 'PostToolUse'], value };
    }
    case 'gemini': {
      const hooks = [{ ...run, name: 'supervisor', timeout: SECONDS_MAX * 1000 }];
      return { kind: 'entry', file, path: ['hooks', 'AfterTool'], value: { matcher: '*', hooks } };
    }
    case 'copilot': {
      const postToolUse = [{ type: 'command', bash: command, timeoutSec: SECONDS_MAX }];
      const text = `${JSON.stringify({ version: 1, hooks: { postToolUse } }, null, 2)}\n`;
      return { kind: 'file', file, text };
    }
    case 'opencode':
      return { kind: 'file', file, text: opencodePlugin(command) };
  }
}

function hookFile(cli: HookCli, scope: HookScope): string {
  if (scope.kind === 'project') return join(scope.project, ...PROJECT_FILES[cli]);
  const { home, env } = scope;
  const named = (name: string, ...otherwise: readonly string[]): string =>
    env[name] === undefined || env[name] === '' ? join(home, ...otherwise) : env[name];
  switch (cli) {
    case 'claude':
      return join(named('CLAUDE_CONFIG_DIR', '.claude'), 'settings.json');
    case 'codex':
      return join(named('CODEX_HOME', '.codex'), 'hooks.json');
    case 'gemini':
      return join(named('GEMINI_CLI_HOME'), '.gemini', 'settings.json');
    case 'copilot':
      return join(named('COPILOT_HOME', '.copilot'), 'hooks', 'supervisor.json');
    case 'opencode':
      return join(named('XDG_CONFIG_HOME', '.config'), 'opencode', 'plugin', 'supervisor.js');
  }
}

/** Claude Code has a file for settings that are not shared. The command names paths of this machine. */
const PROJECT_FILES: Readonly<Record<HookCli, readonly string[]>> = {
  claude: ['.claude', 'settings.local.json'],
  codex: ['.codex', 'hooks.json'],
  gemini: ['.gemini', 'settings.json'],
  copilot: ['.github', 'hooks', 'supervisor.json'],
  opencode: ['.opencode', 'plugin', 'supervisor.js'],
};

/** A line of the plugin, which runs inside of opencode. This room itself imports nothing of the kind. */
const STARTS_PROCESSES = ['import { spawn }', "'node:child_process';"].join(' from ');

function opencodePlugin(command: string): string {
  return `// Written by \`supervisor hook install opencode\`. Remove it with: supervisor hook remove opencode
${STARTS_PROCESSES}

const COMMAND = ${JSON.stringify(command)};

function ask(input) {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', COMMAND], { stdio: ['pipe', 'pipe', 'ignore'], timeout: ${SECONDS_MAX * 1000} });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part) => (text += part));
    child.on('error', () => resolve(''));
    child.on('close', () => resolve(text));
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(input));
  });
}

export const Supervisor = async ({ directory }) => ({
  'tool.execute.after': async (call, result) => {
    const text = await ask({
      session_id: call.sessionID,
      cwd: directory,
      tool_name: call.tool,
      tool_input: call.args,
      tool_response: result.output,
    });
    if (text !== '') result.output += '\\n\\n' + text;
  },
});
`;
}
