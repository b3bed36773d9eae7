/** The adapter for Claude Code: `claude -p` with a stream of JSON. */
import type {
  AgentAdapter,
  AgentBrief,
  AtTerminal,
  Invocation,
  InvocationRefusal,
} from '../adapter.ts';
import { diedWith, failedBy, isZero } from '../conclude.ts';
import { escapePrompt } from '../escape-prompt.ts';
import { firstPrompt } from '../first-prompt.ts';
import type { MessageWay } from '../message-way.ts';
import { contextLetter, HOOK_PROGRAM, HOOK_SCRIPT, hookCommand } from '../message-way.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import type { ToolGrant } from '../tool-grants.ts';
import { readGrants, toolsFor } from '../tool-grants.ts';
import { readClaude } from './read-claude.ts';

/**
 * Tools that would outlive the attempt, leave the workspace, or contact agents that Supervisor did
 * not start.
 */
const ORCHESTRATION = [
  'CronCreate',
  'CronDelete',
  'CronList',
  'EnterWorktree',
  'ExitWorktree',
  'ListAgents',
  'Monitor',
  'RemoteTrigger',
  'ScheduleWakeup',
  'SendMessage',
  'Workflow',
];

const TOOLS: Readonly<Record<ToolGrant, readonly string[]>> = {
  read: ['Read', 'Glob', 'Grep'],
  edit: ['Edit', 'Write', 'NotebookEdit'],
  shell: ['Bash'],
  web: ['WebFetch', 'WebSearch'],
};

export const claude: AgentAdapter = {
  cli: 'claude',
  structured: true,
  messages,
  command,
  atTerminal,
  read: (line, stream) => readClaude(line, stream),

  conclude(exit, transcript) {
    if (transcript.failed !== null && (transcript.failed.final || !isZero(exit)))
      return /\baborted/.test(transcript.failed.error.code ?? '')
        ? { kind: 'interrupted', message: 'was interrupted' }
        : failedBy(transcript.failed.error);
    if (transcript.concluded !== null && isZero(exit))
      return { kind: 'done', summary: transcript.concluded };
    if (isZero(exit) && transcript.events === 0) return { kind: 'done', summary: '' };
    if (isZero(exit)) return { kind: 'interrupted', message: 'ended without its final message' };
    return diedWith(exit, transcript);
  },
};

/** Settings of the user's own on the command line would replace those with our hook. */
function messages({ args }: AgentSpec): MessageWay | null {
  if (args.some((arg) => /^--(?:settings|bare)(?:=|$)/.test(arg))) return null;
  return { channel: 'hook', letter: contextLetter, files: { [HOOK_PROGRAM]: HOOK_SCRIPT } };
}

/**
 * After a tool call that failed, Claude Code runs another hook than after one that succeeded. Never a Stop hook: it
 * continues the turn, and the same text would come again and again.
 */
function hookSettings(mailbox: string): string {
  const runs = (event?: string): readonly object[] => {
    const hook = { type: 'command', command: hookCommand(mailbox, event), timeout: 10 };
    return [{ matcher: '*', hooks: [hook] }];
  };
  const failed = 'PostToolUseFailure';
  return JSON.stringify({ hooks: { PostToolUse: runs(), [failed]: runs(failed) } });
}

function command(brief: AgentBrief): Invocation | InvocationRefusal {
  const { agent, prompt, gateway, contained, mailbox = null } = brief;
  const own = ownArgs(brief);
  if ('kind' in own) return own;
  return {
    kind: 'run',
    argv: [
      'claude',
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      ...own,
      ...(brief.answerSchema === null ? [] : ['--json-schema', JSON.stringify(brief.answerSchema)]),
      ...(mailbox === null ? [] : ['--settings', hookSettings(mailbox)]),
      ...agent.args,
    ],
    env: {
      DISABLE_AUTOUPDATER: '1',
      ...(brief.orchestrates ? {} : { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' }),
      ...(agent.configDir ? { CLAUDE_CONFIG_DIR: agent.configDir } : {}),
      // As root, the CLI refuses to skip its permission questions unless this says that it is in a
      // sandbox.
      ...(contained ? { IS_SANDBOX: '1' } : {}),
      ...(gateway === null
        ? {}
        : {
            ANTHROPIC_BASE_URL: gateway.baseUrl,
            [gateway.login === true ? 'CLAUDE_CODE_OAUTH_TOKEN' : 'ANTHROPIC_API_KEY']:
              gateway.token,
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
            CLAUDE_CODE_MAX_RETRIES: '1',
          }),
    },
    stdin: escapePrompt(prompt),
    files: {},
    wantsPromptFile: false,
    askSignal: 'SIGINT',
  };
}

/** What it needs in any mode. */
function ownArgs(brief: AgentBrief): readonly string[] | InvocationRefusal {
  const { agent, contained, resume, session } = brief;
  const granted = brief.allowedTools === null ? null : readGrants(brief.allowedTools);
  if (granted?.kind === 'refused') return granted;
  return [
    ...(contained ? ['--dangerously-skip-permissions'] : []),
    ...(agent.model ? ['--model', agent.model] : []),
    ...(resume !== null ? ['--resume', resume] : session !== null ? ['--session-id', session] : []),
    ...(granted === null ? [] : ['--tools', toolsFor(granted.grants, TOOLS).join(',')]),
    ...(brief.orchestrates ? [] : ['--disallowedTools', ORCHESTRATION.join(',')]),
  ];
}

/** Of a key, it remembers the end. */
const KEY_END_CHARS = 20;

function atTerminal(brief: AgentBrief): AtTerminal | InvocationRefusal {
  const { agent, resume, session, workspace, gateway, home } = brief;
  const [normal, own] = [command(brief), ownArgs(brief)];
  if (normal.kind === 'refused') return normal;
  if ('kind' in own) return own;
  const first = firstPrompt(brief);
  const answered = {
    hasCompletedOnboarding: true,
    bypassPermissionsModeAccepted: true,
    projects: { [workspace]: { hasTrustDialogAccepted: true } },
    ...(gateway === null
      ? {}
      : { customApiKeyResponses: { approved: [gateway.token.slice(-KEY_END_CHARS)] } }),
  };
  return {
    ...normal,
    // A list of tools takes everything that follows it, up to the next option.
    argv: ['claude', ...own, ...agent.args, ...(resume === null ? ['--', first.prompt] : [])],
    stdin: '',
    // The questions of its first start are answered: it is in a sandbox, and has the key of the gateway.
    files:
      home === null
        ? {}
        : {
            '.claude.json': JSON.stringify(answered),
            '.claude/settings.json': JSON.stringify({ skipDangerousModePermissionPrompt: true }),
          },
    wantsPromptFile: resume === null && first.wantsPromptFile,
    askSignal: 'SIGTERM',
    session: resume ?? session,
  };
}
