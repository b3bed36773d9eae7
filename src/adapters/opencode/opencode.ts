/** The adapter for opencode: `opencode run --format json`. */
import type {
  AgentAdapter,
  AgentBrief,
  AtTerminal,
  Invocation,
  InvocationRefusal,
} from '../adapter.ts';
import { diedWith, failedBy, isZero } from '../conclude.ts';
import { commandAtTerminal } from '../command-at-terminal.ts';
import { readGrants } from '../tool-grants.ts';
import { readOpencode } from './read-opencode.ts';

/** The name of the gateway in opencode's provider settings. */
const PROVIDER = 'supervisor';
const KEY_VARIABLE = 'SUPERVISOR_MODEL_KEY';
/** Without a person. */
const ALONE_ARGS = ['run', '--format', 'json'];
/** The limits of an unknown model. Few models in use have less. */
const UNKNOWN_LIMITS = { context: 128_000, output: 16_384 };

export const opencode: AgentAdapter = {
  cli: 'opencode',
  structured: true,
  // With a plugin, its first tool call did not start in a sandbox, so the gateway inserts the text.
  messages: () => ({ channel: 'gateway' }),
  command,
  atTerminal,
  read: (line, stream) => readOpencode(line, stream),

  conclude(exit, transcript) {
    // It may exit with 0 after an error that it reported. The transcript drops an error that it
    // recovered from.
    if (transcript.failed !== null) return failedBy(transcript.failed.error);
    // It has no final message: a step that the model ended normally is the end.
    if (isZero(exit) && transcript.concluded !== null)
      return { kind: 'done', summary: transcript.concluded || transcript.lastWords };
    if (isZero(exit) && transcript.events === 0) return { kind: 'done', summary: '' };
    const end = diedWith(exit, transcript);
    if (end.kind === 'cut-off') {
      const code = transcript.isSpeaking ? 'cut-answer' : end.error.code;
      return { ...end, error: { ...end.error, code } };
    }
    if (isZero(exit)) return { kind: 'interrupted', message: 'ended in the middle of a step' };
    return end;
  },
};

function command(brief: AgentBrief): Invocation | InvocationRefusal {
  const { agent, prompt, gateway, contained, resume } = brief;
  const granted = brief.allowedTools === null ? null : readGrants(brief.allowedTools);
  if (granted?.kind === 'refused') return granted;
  if (granted !== null && !granted.grants.has('read'))
    return { kind: 'refused', why: 'cannot be kept from reading' };
  if (gateway !== null && !agent.model)
    return { kind: 'refused', why: 'needs a model when its calls go through the gateway' };
  const model = agent.model?.split('/').at(-1);
  const through = `${PROVIDER}/${model}`;
  const permission = (['edit', 'shell', 'web'] as const)
    .filter((one) => granted !== null && !granted.grants.has(one))
    .map((one) => [{ edit: 'edit', shell: 'bash', web: 'webfetch' }[one], 'deny']);
  const config = {
    autoupdate: false,
    share: 'disabled',
    ...(permission.length === 0
      ? contained
        ? { permission: 'allow' }
        : {}
      : { permission: Object.fromEntries(permission) as Record<string, string> }),
    ...(gateway === null || model === undefined
      ? {}
      : {
          model: through,
          small_model: through,
          provider: {
            [PROVIDER]: {
              npm: '@ai-sdk/openai-compatible',
              name: PROVIDER,
              options: {
                baseURL: `${gateway.baseUrl}/v1`,
                apiKey: `{env:${KEY_VARIABLE}}`,
                timeout: false, // the gateway decides how long a provider may be silent
              },
              models: {
                [model]: {
                  name: model,
                  tool_call: true,
                  limit: brief.limits ?? UNKNOWN_LIMITS,
                },
              },
            },
          },
        }),
  };
  return {
    kind: 'run',
    argv: [
      'opencode',
      ...ALONE_ARGS,
      ...(contained ? ['--auto'] : []),
      ...(agent.model ? ['-m', gateway === null ? agent.model : through] : []),
      ...(resume === null ? [] : ['--session', resume]),
      ...agent.args,
    ],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      ...(agent.configDir ? { OPENCODE_CONFIG_DIR: agent.configDir } : {}),
      ...(gateway === null
        ? {}
        : {
            [KEY_VARIABLE]: gateway.token,
            OPENCODE_DISABLE_MODELS_FETCH: '1',
            OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
            OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
          }),
    },
    stdin: prompt,
    files: {},
    wantsPromptFile: false,
    askSignal: 'SIGTERM',
  };
}

function atTerminal(brief: AgentBrief): AtTerminal | InvocationRefusal {
  return commandAtTerminal(brief, command(brief), {
    unattendedArgs: ALONE_ARGS.length,
    promptOption: '--prompt',
    newSession: null,
  });
}
