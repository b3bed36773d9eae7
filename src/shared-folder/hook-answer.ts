/** What a hook of a CLI reads and prints after a tool call. */
import { isRecord } from '../base/json.ts';
import type { HookCli } from '../hooks/hook-target.ts';
import type { MadeCall, MadeResult } from '../turns/turn-step.ts';

/** The answer that gives the model a text, as the CLI expects it. */
export function hookAnswer(cli: HookCli, text: string): string {
  switch (cli) {
    case 'claude':
    case 'codex':
      return contextAnswer('PostToolUse', text);
    case 'gemini':
      return contextAnswer('AfterTool', text);
    case 'copilot':
      return JSON.stringify({ additionalContext: text });
    case 'opencode':
      return text; // our plugin adds it to the output of the tool
  }
}

function contextAnswer(hookEventName: string, additionalContext: string): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } });
}

export type HookCall = {
  readonly session: string;
  /** A subagent, which is another conversation. */
  readonly isSub: boolean;
  readonly call: MadeCall;
  readonly result: MadeResult;
};

const OUTPUT_CHARS_MAX = 20_000;

/** The tool call that the input of a hook describes. Undefined: it describes none. */
export function readHookCall(input: unknown): HookCall | undefined {
  if (!isRecord(input)) return undefined;
  const tool = input['tool_name'] ?? input['toolName'];
  if (typeof tool !== 'string' || tool === '') return undefined;
  const response = input['tool_response'] ?? input['toolResult'];
  const session = input['session_id'] ?? input['sessionId'];
  return {
    session: typeof session === 'string' ? session.slice(0, 100) : 'session',
    isSub: input['agent_id'] !== undefined && input['agent_id'] !== null,
    call: { tool: tool.slice(0, 100), input: input['tool_input'] ?? input['toolArgs'] ?? {} },
    result: {
      id: textOf(input['tool_use_id']).slice(0, 100),
      isError: isError(response),
      output: textOf(response).slice(0, OUTPUT_CHARS_MAX),
    },
  };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** Each CLI has its own word for it. */
function isError(response: unknown): boolean {
  if (!isRecord(response)) return typeof response === 'string' && /^Error\b/i.test(response);
  const {
    is_error: isMarked,
    isError: isNamed,
    success,
    resultType,
    exitCode,
    exit_code: exit,
  } = response;
  const code = exitCode ?? exit ?? 0;
  return (
    isMarked === true ||
    isNamed === true ||
    success === false ||
    typeof response['error'] === 'string' ||
    (typeof resultType === 'string' && resultType !== 'success') ||
    (typeof code === 'number' && code !== 0)
  );
}
