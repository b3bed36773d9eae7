/** The adapter for Gemini CLI, without its relauncher, with a stream of JSON. */
import type {
  AgentAdapter,
  AgentBrief,
  AtTerminal,
  Invocation,
  InvocationRefusal,
} from '../adapter.ts';
import { diedWith, failedBy, isZero } from '../conclude.ts';
import { escapePrompt } from '../escape-prompt.ts';
import { commandAtTerminal } from '../command-at-terminal.ts';
import type { ToolGrant } from '../tool-grants.ts';
import { readGrants, toolsFor } from '../tool-grants.ts';
import { readGemini } from './read-gemini.ts';

/** In the agent's home. Settings in other places are read only if they belong to root. */
const FOLDER = '.gemini';
const SETTINGS = `${FOLDER}/settings.json`;

/** Its first arguments choose the form of its output, which a person has no use for. */
const OUTPUT_ARGS = 2;

const TOOLS: Readonly<Record<ToolGrant, readonly string[]>> = {
  read: [
    'read_file',
    'read_many_files',
    'list_directory',
    'glob',
    'search_file_content',
    'grep_search',
  ],
  edit: ['write_file', 'replace'],
  shell: ['run_shell_command'],
  web: ['web_fetch', 'google_web_search'],
};

export const gemini: AgentAdapter = {
  cli: 'gemini',
  structured: true,
  endsLoops: true,
  // Its system prompt treats the context of hooks as data that is not to be followed.
  messages: () => ({ channel: 'gateway' }),
  command,
  atTerminal,
  read: (line, stream) => readGemini(line, stream),

  conclude(exit, transcript) {
    if (transcript.failed?.final === true) {
      const { error } = transcript.failed;
      const status = error.status ?? (exit.kind === 'code' ? statusOfExit(exit.code) : null);
      const isUnfinished = error.message.includes('without a finish reason');
      const code = isUnfinished ? (transcript.isSpeaking ? 'cut-answer' : 'no-answer') : error.code;
      return failedBy({ ...error, status, code });
    }
    if (isZero(exit) && transcript.concluded !== null)
      return { kind: 'done', summary: transcript.concluded || transcript.lastWords };
    if (isZero(exit) && transcript.events === 0) return { kind: 'done', summary: '' };
    const end = diedWith(exit, transcript);
    // After SIGTERM it ends with 0 and without a result.
    if (end.kind === 'died' && isZero(exit))
      return { kind: 'interrupted', message: 'ended without its final message' };
    return end;
  },
};

const STATUSES = [400, 401, 402, 403, 408, 413, 422, 429, 500, 502, 503, 504, 529];

/** It exits with the provider's status, of which a process keeps the lowest eight bits. */
function statusOfExit(code: number): number | null {
  return STATUSES.find((status) => status % 256 === code) ?? null;
}

function command(brief: AgentBrief): Invocation | InvocationRefusal {
  const { agent, prompt, gateway, contained, resume, session, home } = brief;
  const granted = brief.allowedTools === null ? null : readGrants(brief.allowedTools);
  if (granted?.kind === 'refused') return granted;
  if (home === null && (gateway !== null || granted !== null))
    return { kind: 'refused', why: 'needs its own home for its settings' };
  const settings = {
    general: {
      disableAutoUpdate: true,
      disableUpdateNag: true,
      ...(gateway === null ? {} : { maxAttempts: 1, retryFetchErrors: false }),
    },
    ...(gateway === null ? {} : { security: { auth: { selectedType: 'gemini-api-key' } } }),
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    ...(granted === null ? {} : { tools: { core: toolsFor(granted.grants, TOOLS) } }),
  };
  return {
    kind: 'run',
    argv: [
      'gemini',
      '--output-format',
      'stream-json',
      ...(contained ? ['--approval-mode', 'yolo', '--skip-trust'] : []),
      ...(agent.model ? ['-m', agent.model] : []),
      ...(resume !== null
        ? ['--resume', resume]
        : session !== null
          ? ['--session-id', session]
          : []),
      ...agent.args,
    ],
    env: {
      // Its relauncher does not forward signals.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      // Through the gateway it needs the settings below, and no login.
      ...(agent.configDir && gateway === null ? { GEMINI_CLI_HOME: agent.configDir } : {}),
      ...(contained ? { GEMINI_CLI_TRUST_WORKSPACE: 'true' } : {}),
      // If a call fails, it writes the whole conversation to the folder for temporary files.
      ...(home === null ? {} : { TMPDIR: `${home}/${FOLDER}` }),
      ...(gateway === null
        ? {}
        : { GOOGLE_GEMINI_BASE_URL: gateway.baseUrl, GEMINI_API_KEY: gateway.token }),
    },
    stdin: escapePrompt(prompt),
    files: home === null ? {} : { [SETTINGS]: JSON.stringify(settings) },
    wantsPromptFile: false,
    askSignal: 'SIGTERM',
  };
}

function atTerminal(brief: AgentBrief): AtTerminal | InvocationRefusal {
  return commandAtTerminal(brief, command(brief), {
    unattendedArgs: OUTPUT_ARGS,
    promptOption: '--prompt-interactive',
    newSession: brief.session,
  });
}
