/** Copilot CLI, with its prompt on stdin and a stream of JSON. */
import type {
  AgentAdapter,
  AgentBrief,
  Invocation,
  ModelLimits,
  InvocationRefusal,
} from '../adapter.ts';
import { diedWith, failedBy, isZero } from '../conclude.ts';
import { joinErrors } from '../transcript.ts';
import type { ToolGrant } from '../tool-grants.ts';
import { readGrants, toolsFor } from '../tool-grants.ts';
import { readCopilot } from './read-copilot.ts';

/** Agents that go on in the background, and how it talks to them. */
const ORCHESTRATION = ['list_agents', 'read_agent', 'write_agent', 'stop_agent'];

const TOOLS: Readonly<Record<ToolGrant, readonly string[]>> = {
  read: ['view', 'glob', 'grep', 'rg'],
  edit: ['create', 'edit', 'apply_patch'],
  shell: ['bash', 'read_bash', 'write_bash', 'stop_bash', 'list_bash'],
  web: ['web_fetch', 'web_search'],
};

export const copilot: AgentAdapter = {
  cli: 'copilot',
  structured: true,
  namesSessionLate: true,
  command,
  read: (line, stream) => readCopilot(line, stream),

  conclude(exit, story) {
    // Asked to end in the middle of a tool, it may say that all is well.
    if (isZero(exit) && story.concluded !== null && story.toolsOpen === 0)
      return { kind: 'done', summary: story.concluded || story.lastWords };
    if (isZero(exit) && story.events === 0) return { kind: 'done', summary: '' };
    // What it says last may hide what the provider said.
    if (story.failed !== null) return failedBy(joinErrors(story.retrying, story.failed.error));
    const end = diedWith(exit, story);
    // SIGTERM makes the program itself, started without its loader, end with 0 and without a result.
    if (end.kind === 'died' && isZero(exit))
      return { kind: 'interrupted', message: 'ended without its last word' };
    return end;
  },
};

function command(brief: AgentBrief): Invocation | InvocationRefusal {
  const { agent, prompt, gateway, contained, resume, session, home } = brief;
  const granted = brief.allowedTools === null ? null : readGrants(brief.allowedTools);
  if (granted?.kind === 'refused') return granted;
  if (gateway !== null && !agent.model)
    return { kind: 'refused', why: 'needs a model when its calls go through the gateway' };
  const folder = agent.configDir ?? (home === null ? null : `${home}/.copilot`);
  return {
    kind: 'run',
    argv: [
      'copilot',
      '--output-format',
      'json',
      '--no-color',
      '--no-auto-update',
      '--no-ask-user',
      ...(contained ? ['--allow-all'] : []),
      ...(agent.model && gateway === null ? ['--model', agent.model] : []),
      // It tells its id only at its end, so the choice is ours.
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
    files: {},
    wantsPromptFile: false,
    askSignal: 'SIGTERM',
  };
}

/** Without them it takes any model for one with little room, and refuses longer prompts by itself. */
function limitVariables({ context, output }: ModelLimits): Readonly<Record<string, string>> {
  return {
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(Math.max(context - output, Math.ceil(context / 2))),
    COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: String(output),
  };
}
