/**
 * The adapter for any other program. The user's command line starts it, and the user's paths read
 * its output.
 */
import type { AgentAdapter, AgentBrief, Invocation, InvocationRefusal } from '../adapter.ts';
import { describeExit, diedWith, failedBy, isZero } from '../conclude.ts';
import { NOISE } from '../agent-event.ts';
import { objectIn } from '../json-fields.ts';
import { isSessionId, readValue, findSessionId } from './read-custom.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';

/** The system passes no longer argument to a process. */
const ARGUMENT_BYTES_MAX = 120_000;

export type CustomSpec = Pick<AgentSpec, 'args' | 'command' | 'resumeCommand' | 'output'>;

/** Each custom agent has its own adapter, because its output format is its own. */
export function custom(agent: Partial<CustomSpec>): AgentAdapter {
  const output = agent.output ?? { format: 'text' };
  const isText = output.format === 'text';
  return {
    cli: 'custom',
    structured: false,
    namesSessionLate: buildCommand(agent).some((word) => word.includes('{session}')),
    messages: () => ({ channel: 'gateway' }),
    command,
    read(line, stream) {
      const session = output.sessionLine ? findSessionId(line, output.sessionLine) : undefined;
      const named = session === undefined ? [] : [{ kind: 'session', id: session } as const];
      if (stream === 'stderr') return named.length === 0 ? NOISE : named;
      if (isText) return [...named, ...textEvents(line)];
      const value = objectIn(line);
      const events = value === undefined ? [] : readValue(value, output);
      return named.length + events.length === 0 ? NOISE : [...named, ...events];
    },
    conclude(exit, transcript) {
      if (transcript.failed !== null) return failedBy(transcript.failed.error);
      if (isZero(exit))
        return { kind: 'done', summary: transcript.concluded ?? transcript.lastWords.trim() };
      return exit.kind === 'code'
        ? { kind: 'died', message: describeExit(exit) }
        : diedWith(exit, transcript);
    },
  };
}

function textEvents(line: string): ReturnType<AgentAdapter['read']> {
  return line.trim() === '' ? NOISE : [{ kind: 'said', text: `${line}\n` }];
}

function buildCommand({ command, args }: Partial<CustomSpec>): readonly string[] {
  return [...(command ?? []), ...(args ?? [])];
}

function command(brief: AgentBrief): Invocation | InvocationRefusal {
  const { agent, prompt, promptFile, workspace, gateway, home, resume, session } = brief;
  if (brief.allowedTools !== null)
    return refused('cannot be limited to some tools, because its tools are unknown');
  // A prompt that continues a conversation is incomplete without it. After this refusal, the run
  // starts a new conversation with the full prompt.
  if (resume !== null && !agent.resumeCommand)
    return refused('has no resume_command, with which it would continue its conversation');
  if (resume !== null && !isSessionId(resume))
    return refused('reported an invalid id for its conversation');
  const own = agent.files ?? {};
  if (Object.keys(own).length > 0 && (home === null || gateway === null))
    return refused('is given files, for which it needs a sandbox with a home of its own');
  const written =
    resume === null ? buildCommand(agent) : [...(agent.resumeCommand ?? []), ...agent.args];
  const uses = (name: string): boolean => written.some((part) => part.includes(name));
  const missing = ['{gateway_url}', '{gateway_key}', '{home}'].find(
    (name) => uses(name) && (name === '{home}' ? home : gateway) === null,
  );
  if (missing !== undefined) return refused(`needs a sandbox: its command has ${missing} in it`);
  if (uses('{prompt}') && Buffer.byteLength(prompt) > ARGUMENT_BYTES_MAX)
    return refused('cannot take so long a prompt as an argument: use {prompt_file}');
  const substitutions: Values = {
    '{workspace}': workspace,
    '{home}': home ?? '',
    '{model}': agent.model ?? '',
    '{gateway_url}': gateway?.baseUrl ?? '',
    '{gateway_key}': gateway?.token ?? '',
  };
  const values: Values = {
    ...substitutions,
    '{prompt}': prompt,
    '{prompt_file}': promptFile,
    '{session}': resume ?? session ?? '',
  };
  const [program, ...rest] = written.map((part) => filled(part, values));
  if (program === undefined) return refused('has no command');
  return {
    kind: 'run',
    argv: [program, ...rest],
    env:
      gateway === null
        ? {}
        : {
            ANTHROPIC_BASE_URL: gateway.baseUrl,
            ANTHROPIC_API_KEY: gateway.token,
            OPENAI_BASE_URL: `${gateway.baseUrl}/v1`,
            OPENAI_API_KEY: gateway.token,
            GOOGLE_GEMINI_BASE_URL: gateway.baseUrl,
            GEMINI_API_KEY: gateway.token,
          },
    stdin: uses('{prompt}') || uses('{prompt_file}') ? '' : prompt,
    files: Object.fromEntries(
      Object.entries(own).map(([path, content]) => [path, filled(content, substitutions)]),
    ),
    wantsPromptFile: uses('{prompt_file}'),
    askSignal: 'SIGTERM',
  };
}

type Values = Readonly<Record<string, string>>;

/** In one pass, so that the content of a prompt is never treated as a placeholder. */
function filled(text: string, values: Values): string {
  return text.replaceAll(/\{[a-z_]{1,20}\}/g, (name) => values[name] ?? name);
}

function refused(why: string): InvocationRefusal {
  return { kind: 'refused', why };
}
