/** The adapter for Copilot CLI, with its prompt on stdin and a stream of JSON. */
import type {
  AgentAdapter,
  AgentBrief,
  AtTerminal,
  Invocation,
  ModelLimits,
  InvocationRefusal,
} from '../adapter.ts';
import { diedWith, failedBy, isZero } from '../conclude.ts';
import { joinErrors } from '../transcript.ts';
import { HOOK_PROGRAM, HOOK_SCRIPT, hookCommand } from '../message-way.ts';
import { commandAtTerminal } from '../command-at-terminal.ts';
import type { ToolGrant } from '../tool-grants.ts';
import { readGrants, toolsFor } from '../tool-grants.ts';
import { readCopilot } from './read-copilot.ts';

/** Background agents, and the tools to contact them. */
const ORCHESTRATION = ['list_agents', 'read_agent', 'write_agent', 'stop_agent'];

const TOOLS: Readonly<Record<ToolGrant, readonly string[]>> = {
  read: ['view', 'glob', 'grep', 'rg'],
  edit: ['create', 'edit', 'apply_patch'],
  shell: ['bash', 'read_bash', 'write_bash', 'stop_bash', 'list_bash'],
  web: ['web_fetch', 'web_search'],
};

/** Without a person. */
const ALONE_ARGS = ['--output-format', 'json', '--no-color', '--no-ask-user'];

/** In the agent's home. */
const HOOKS_FILE = '.copilot/hooks/supervisor.json';

export const copilot: AgentAdapter = {
  cli: 'copilot',
  structured: true,
  namesSessionLate: true,
  messages: () => ({
    channel: 'hook',
    letter: (text) => JSON.stringify({ additionalContext: text }),
    files: { [HOOK_PROGRAM]: HOOK_SCRIPT },
  }),
  command,
  atTerminal,
  read: (line, stream) => readCopilot(line, stream),

  conclude(exit, transcript) {
    // If it is asked to end during a tool, it may report success.
    if (isZero(exit) && transcript.concluded !== null && transcript.toolsOpen === 0)
      return { kind: 'done', summary: transcript.concluded || transcript.lastWords };
    if (isZero(exit) && transcript.events === 0) return { kind: 'done', summary: '' };
    // Its final error may hide the error of the provider.
    if (transcript.failed !== null)
      return failedBy(joinErrors(transcript.retrying, transcript.failed.error));
    const end = diedWith(exit, transcript);
    // After SIGTERM the program itself, started without its loader, ends with 0 and without a
    // result.
    if (end.kind === 'died' && isZero(exit))
      return { kind: 'interrupted', message: 'ended without its final message' };
    return end;
  },
};

function command(brief: AgentBrief): Invocation | InvocationRefusal {
  const { agent, prompt, gateway, contained, resume, session, home, mailbox = null } = brief;
  const granted = brief.allowedTools === null ? null : readGrants(brief.allowedTools);
  if (granted?.kind === 'refused') return granted;
  if (gateway !== null && !agent.model)
    return { kind: 'refused', why: 'needs a model when its calls go through the gateway' };
  const folder = agent.configDir ?? (home === null ? null : `${home}/.copilot`);
  return {
    kind: 'run',
    argv: [
      'copilot',
      ...ALONE_ARGS,
      '--no-auto-update',
      ...(contained ? ['--allow-all'] : []),
      ...(agent.model && gateway === null ? ['--model', agent.model] : []),
      // It reports its id only at its end, so the caller chooses the id.
      ...(resume !== null
        ? [`--resume=${resume}`]
        : session !== null
          ? ['--session-id', session]
          : []),
      ...(granted === null
        ? []
        : [`--available-tools=${toolsFor(granted.grants, TOOLS).join(',')}`]),
      ...(brief.orchestrates ? [] : [`--excluded-tools=${ORCHESTRATION.join(',')}`]),
      ...agent.args,
    ],
    env: {
      ...(folder === null ? {} : { COPILOT_HOME: folder }),
      ...(gateway === null || !agent.model
        ? {}
        : {
            COPILOT_PROVIDER_TYPE: 'openai',
            COPILOT_PROVIDER_WIRE_API: 'completions',
            COPILOT_PROVIDER_BASE_URL: `${gateway.baseUrl}/v1`,
            COPILOT_PROVIDER_API_KEY: gateway.token,
            COPILOT_MODEL: agent.model,
            COPILOT_OFFLINE: 'true',
            ...(brief.limits === null ? {} : limitVariables(brief.limits)),
          }),
    },
    stdin: prompt,
    files: mailbox === null ? {} : { [HOOKS_FILE]: hooksFile(mailbox) },
    wantsPromptFile: false,
    askSignal: 'SIGTERM',
  };
}

function hooksFile(mailbox: string): string {
  const hook = { type: 'command', bash: hookCommand(mailbox), timeoutSec: 10 };
  return JSON.stringify({ version: 1, hooks: { postToolUse: [hook] } });
}

/** Without these variables it assumes a small context for any model, and refuses longer prompts. */
function limitVariables({ context, output }: ModelLimits): Readonly<Record<string, string>> {
  return {
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(Math.max(context - output, Math.ceil(context / 2))),
    COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: String(output),
  };
}

function atTerminal(brief: AgentBrief): AtTerminal | InvocationRefusal {
  return commandAtTerminal(brief, command(brief), {
    unattendedArgs: ALONE_ARGS.length,
    promptOption: '--interactive',
    newSession: brief.session,
  });
}
