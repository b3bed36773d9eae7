/**
 * What we must know about one agent CLI. An adapter starts nothing and waits for nothing: it says
 * which command to run, what a line of output means, and what an end means. All three are total: a
 * line that it can't read is noise, never an exception.
 */
import type { AgentEvent, AgentError } from './agent-event.ts';
import type { Transcript } from './transcript.ts';

/** An agent as a user configured it. */
export type AgentSpec = {
  readonly id: string;
  readonly cli: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables whose values are never written down: they are looked up when it starts. */
  readonly secrets?: readonly string[];
  /** A hash of its keys and addresses, by which two accounts of one provider are told apart. */
  readonly account?: string;
  /** A project defines it or adds to its arguments: it never runs without a sandbox. */
  readonly fromProject?: true;
  readonly model?: string | null;
  readonly configDir?: string | null;
  /** The command line of a custom agent, with its placeholders. */
  readonly command?: readonly string[] | null;
  /** With which it continues a conversation; without one it can not. */
  readonly resumeCommand?: readonly string[];
  /** Of a custom agent, by their path in its home, with their placeholders. */
  readonly files?: Readonly<Record<string, string>>;
  readonly output?: CustomOutput | null;
};

/** How a custom agent speaks: plain text, one JSON value at its end, or one a line. */
export type CustomOutput = {
  readonly format: 'text' | 'json' | 'jsonl';
  /** Dotted paths into that JSON. */
  readonly result?: string | null;
  readonly usage?: string | null;
  readonly session?: string | null;
  readonly error?: string | null;
  /** Paths in the object at `usage`, where its names are of its own making. */
  readonly usageFields?: Readonly<Partial<Record<'input' | 'output' | 'cached' | 'cost', string>>>;
  /** A line of either stream, with `{session}` where the id stands. */
  readonly sessionLine?: string;
};

/** In tokens. */
export type ModelLimits = {
  /** What fits into one conversation. */
  readonly context: number;
  /** The most that one answer can have. */
  readonly output: number;
};

/** What one attempt asks of an agent. */
export type AgentBrief = {
  readonly agent: AgentSpec;
  readonly prompt: string;
  /** The Node that runs us, for agents that are programs of ours. */
  readonly node: string;
  /** Where the agent works, as it sees it. */
  readonly workspace: string;
  /** A home of the agent's own, as it sees it; null: it runs in the user's. */
  readonly home: string | null;
  /** Where the prompt is put for agents that take a file. */
  readonly promptFile: string;
  /** The conversation to go on with, by the id that an earlier attempt reported. */
  readonly resume: string | null;
  /** A UUID for a new conversation, for the CLIs that let us choose. */
  readonly session: string | null;
  /** Where the model is reached, and with which key. Null: where and how the CLI does it by itself. */
  readonly gateway: {
    readonly baseUrl: string;
    readonly token: string;
    /** The token stands for a login, and not for a key. */
    readonly login?: boolean;
  } | null;
  /** How much its model reads and writes, where that is known, for the CLIs that have to be told. */
  readonly limits: ModelLimits | null;
  /** It runs inside walls of ours; only then may it approve its own tools. */
  readonly contained: boolean;
  /** The tools that its role allows; null: all of them. */
  readonly allowedTools: readonly string[] | null;
  /** What its answer must fit, for the CLIs that hold their model to a JSON Schema themselves. */
  readonly answerSchema: Readonly<Record<string, unknown>> | null;
  /** Whether the CLI may schedule, branch off and run agents in the background by itself. */
  readonly orchestrates: boolean;
};

export type Invocation = {
  readonly kind: 'run';
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Given whole, then closed. Empty: the agent's stdin is empty from the start. */
  readonly stdin: string;
  /** To be written before it starts, by path in the agent's home. Empty unless it has a home of its own. */
  readonly files: Readonly<Record<string, string>>;
  /** Whether the prompt must lie in the brief's `promptFile`. */
  readonly wantsPromptFile: boolean;
  /** What asks it to end in good order. */
  readonly askSignal: 'SIGINT' | 'SIGTERM';
};

/** The CLI can't do what is asked. `why` follows its name. */
export type InvocationRefusal = { readonly kind: 'refused'; readonly why: string };

/** How the agent's process ended. */
export type ProcessExit =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'not-started'; readonly code: string; readonly message: string };

/** What the agent's own words and its exit say of its work; nobody has checked it yet. */
export type AgentVerdict =
  | { readonly kind: 'done'; readonly summary: string }
  /** It named the error that ended it. */
  | { readonly kind: 'failed'; readonly message: string; readonly error: AgentError }
  /** It was ended while it waited to try that call again. */
  | { readonly kind: 'cut-off'; readonly message: string; readonly error: AgentError }
  /** It was ended from outside, by its own account or by the lack of one. */
  | { readonly kind: 'interrupted'; readonly message: string }
  | { readonly kind: 'died'; readonly message: string };

export type OutputStream = 'stdout' | 'stderr';

export interface AgentAdapter {
  readonly cli: string;
  /** Whether it ends with a word of its own, so that an end without one means something. */
  readonly structured: boolean;
  /** It names its conversation only at its end, so the name has to be chosen for it. */
  readonly namesSessionLate?: boolean;
  command(brief: AgentBrief): Invocation | InvocationRefusal;
  read(line: string, stream: OutputStream): readonly AgentEvent[];
  conclude(exit: ProcessExit, story: Transcript): AgentVerdict;
}
