/**
 * Everything that Supervisor knows about one agent CLI. An adapter is pure: it says which command
 * to run, what a line of output means, and what an exit means. All three are total: a line that it
 * cannot read is noise, never an exception.
 */
import type { AgentEvent, AgentError } from './agent-event.ts';
import type { MessageWay } from './message-way.ts';
import type { Transcript } from './transcript.ts';
import type { AgentSpec } from '../protocol/pinned-settings.ts';

/** In tokens. */
export type ModelLimits = {
  /** How much fits into one conversation. */
  readonly context: number;
  /** The maximum of one answer. */
  readonly output: number;
};

/** The input of one attempt for an adapter. */
export type AgentBrief = {
  readonly agent: AgentSpec;
  readonly prompt: string;
  /** The Node executable of this process. It runs the scripted agents. */
  readonly node: string;
  /** The workspace path, as the agent sees it. */
  readonly workspace: string;
  /** The agent's own home, as the agent sees it. Null if it runs in the user's home. */
  readonly home: string | null;
  /** The path of the prompt for agents that read it from a file. */
  readonly promptFile: string;
  /** The folder with messages for the agent, as the agent sees it. Null or absent: it gets none in this way. */
  readonly mailbox?: string | null;
  /** The conversation to continue, by the id that an earlier attempt reported. */
  readonly resume: string | null;
  /** A UUID for a new conversation, for CLIs that let the caller choose it. */
  readonly session: string | null;
  /** The address and the key of the model. Null if the CLI uses its own. */
  readonly gateway: {
    readonly baseUrl: string;
    readonly token: string;
    /** The token stands for a login instead of a key. */
    readonly login?: boolean;
  } | null;
  /** How much its model reads and writes, if known, for CLIs that need the numbers. */
  readonly limits: ModelLimits | null;
  /** The agent runs inside a sandbox. Only then may it approve its own tools. */
  readonly contained: boolean;
  /** The tools that its role allows. Null means all tools. */
  readonly allowedTools: readonly string[] | null;
  /** The schema of the answer, for CLIs that enforce a JSON Schema themselves. */
  readonly answerSchema: Readonly<Record<string, unknown>> | null;
  /** Whether the CLI may schedule work, create worktrees and run background agents by itself. */
  readonly orchestrates: boolean;
};

export type Invocation = {
  readonly kind: 'run';
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Written completely, then closed. If empty, the agent's stdin is empty from the start. */
  readonly stdin: string;
  /**
   * Files to write before the start, by path in the agent's home. Empty unless it has its own home.
   */
  readonly files: Readonly<Record<string, string>>;
  /** Whether the prompt must be written to the brief's `promptFile`. */
  readonly wantsPromptFile: boolean;
  /** The signal that asks the CLI to end in order. */
  readonly askSignal: 'SIGINT' | 'SIGTERM';
};

/** `session`: the name of the conversation. Null: the CLI chooses it. */
export type AtTerminal = Invocation & { readonly session: string | null };

/** The CLI does not support the request. `why` continues a sentence that begins with its name. */
export type InvocationRefusal = { readonly kind: 'refused'; readonly why: string };

/** How the agent's process ended. */
export type ProcessExit =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'not-started'; readonly code: string; readonly message: string };

/** What the agent's output and its exit say about its work. It is not verified yet. */
export type AgentVerdict =
  | { readonly kind: 'done'; readonly summary: string }
  /** It reported the error that ended it. */
  | { readonly kind: 'failed'; readonly message: string; readonly error: AgentError }
  /** It was ended while it waited to retry this call. */
  | { readonly kind: 'cut-off'; readonly message: string; readonly error: AgentError }
  /** It was ended from outside, as it reports itself or because its final message is missing. */
  | { readonly kind: 'interrupted'; readonly message: string }
  | { readonly kind: 'died'; readonly message: string };

export type OutputStream = 'stdout' | 'stderr';

export interface AgentAdapter {
  readonly cli: string;
  /** Whether it ends with a final message, so that an end without one means something. */
  readonly structured: boolean;
  /** It reports the id of its conversation only at its end, so the caller chooses the id. */
  readonly namesSessionLate?: boolean;
  /** It ends its run itself at the fifth equal call in a row, so a message about a loop must come early. */
  readonly endsLoops?: true;
  /** How an agent takes messages while it works in a sandbox. Absent or null: not at all. */
  messages?(agent: AgentSpec): MessageWay | null;
  command(brief: AgentBrief): Invocation | InvocationRefusal;
  /** The same conversation for a person at a terminal. Absent: Supervisor does not know how. */
  atTerminal?(brief: AgentBrief): AtTerminal | InvocationRefusal;
  read(line: string, stream: OutputStream): readonly AgentEvent[];
  conclude(exit: ProcessExit, transcript: Transcript): AgentVerdict;
}
