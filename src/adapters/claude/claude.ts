/** Claude Code, as `claude -p` with a stream of JSON. */
import type { AgentAdapter, AgentBrief, Invocation, InvocationRefusal } from '../adapter.ts';
import { diedWith, failedBy, isZero } from '../conclude.ts';
import { escapePrompt } from '../escape-prompt.ts';
import type { ToolGrant } from '../tool-grants.ts';
import { readGrants, toolsFor } from '../tool-grants.ts';
import { readClaude } from './read-claude.ts';

/** What would outlive the attempt, leave the workspace, or talk to agents that we did not start. */
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
  command,
  read: (line, stream) => readClaude(line, stream),

  conclude(exit, story) {
    if (story.failed !== null && (story.failed.final || !isZero(exit)))
      return /\baborted/.test(story.failed.error.code ?? '')
        ? { kind: 'interrupted', message: 'was interrupted' }
        : failedBy(story.failed.error);
    if (story.concluded !== null && isZero(exit)) return { kind: 'done', summary: story.concluded };
    if (isZero(exit) && story.events === 0) return { kind: 'done', summary: '' };
    if (isZero(exit)) return { kind: 'interrupted', message: 'ended without its last word' };
    return diedWith(exit, story);
  },
};

function command(brief: AgentBrief): Invocation | InvocationRefusal {
  const { agent, prompt, gateway, contained, resume, session } = brief;
  const granted = brief.allowedTools === null ? null : readGrants(brief.allowedTools);
  if (granted?.kind === 'refused') return granted;
  const tools = granted === null ? [] : ['--tools', toolsFor(granted.grants, TOOLS).join(',')];
  const plain = brief.orchestrates ? [] : ['--disallowedTools', ORCHESTRATION.join(',')];
  return {
    kind: 'run',
    argv: [
      'claude',
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      ...(contained ? ['--dangerously-skip-permissions'] : []),
      ...(agent.model ? ['--model', agent.model] : []),
      ...(resume !== null
        ? ['--resume', resume]
        : session !== null
          ? ['--session-id', session]
          : []),
      ...tools,
      ...(brief.answerSchema === null ? [] : ['--json-schema', JSON.stringify(brief.answerSchema)]),
      ...plain,
      ...agent.args,
    ],
    env: {
      DISABLE_AUTOUPDATER: '1',
      ...(brief.orchestrates ? {} : { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' }),
      ...(agent.configDir ? { CLAUDE_CONFIG_DIR: agent.configDir } : {}),
      // As root it refuses to skip its questions unless it is told that it is walled in.
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
